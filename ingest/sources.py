"""Which files of a corpus are documents, and their bytes."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ingest.errors import UnreadableDocument

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".text"})
MAX_DOCUMENT_MB = 50


class SourceFile(Struct, frozen=True):
    document_id: str
    """The path below the corpus root, with `/` between its parts, in NFC."""
    path: Path


def find_files(root: Path) -> Iterator[SourceFile]:
    """The documents below `root`, sorted by id.

    Hidden files and folders are passed over, and so are symbolic links that lead out of the corpus. Links to
    folders are not followed: inside the corpus they would only name the same documents twice.
    """
    inside = root.resolve()
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(folder, name) for name in names if not name.startswith(".")):
            if path.suffix.lower() in SUFFIXES and path.resolve().is_relative_to(inside):
                found[_document_id(path.relative_to(root))] = path
    for document_id in sorted(found):
        yield SourceFile(document_id, found[document_id])


def read_bytes(file: SourceFile) -> bytes:
    """The bytes of a document. Raises UnreadableDocument."""
    if not _is_utf8(file.path):
        raise UnreadableDocument("its name is not valid UTF-8: rename it")
    try:
        status = file.path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableDocument("it is not a regular file")
        if status.st_size > MAX_DOCUMENT_MB * 2**20:
            raise UnreadableDocument(f"it is larger than {MAX_DOCUMENT_MB} MB")
        return file.path.read_bytes()
    except OSError as exc:
        raise UnreadableDocument(f"it can't be read: {exc.strerror}") from exc


def _document_id(path: Path) -> str:
    name = path.as_posix()
    if not _is_utf8(path):
        name = name.encode("utf-8", "backslashreplace").decode()
    return unicodedata.normalize("NFC", name)


def _is_utf8(path: Path) -> bool:
    """Python keeps the bytes of an undecodable name as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in str(path))

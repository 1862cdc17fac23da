"""Which files of a corpus are documents, and their bytes."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from msgspec import Struct

from ingest.errors import UnreadableDocument
from ingest.readers import is_document

MAX_DOCUMENT_MB = 50


class SourceFile(Struct, frozen=True):
    document_id: str
    """The path below the corpus root, with `/` between its parts, in NFC."""
    path: Path
    fault: str | None = None
    """Why it can't be a document, where that is known before it is opened."""


def find_files(root: Path) -> Iterator[SourceFile]:
    """The documents below `root`, sorted by id. A folder that can't be read stands among them, with its fault.

    Hidden files and folders are passed over, and so are symbolic links that lead out of the corpus. Links to
    folders are not followed: inside the corpus they would only name the same documents twice.
    """
    found: dict[str, SourceFile] = {}
    errors: list[OSError] = []
    for path in sorted(_paths(root, errors.append), key=_composed_first):
        file = _source_file(root, path, found)
        found[file.document_id] = file
    for error in errors:
        folder = Path(error.filename)
        if folder != root:
            file = _source_file(root, folder, found)
            found[file.document_id] = SourceFile(file.document_id, folder, f"it can't be read: {error.strerror}")
    for document_id in sorted(found):
        yield found[document_id]


def read_bytes(file: SourceFile) -> bytes:
    """The bytes of a document. Raises UnreadableDocument."""
    if file.fault:
        raise UnreadableDocument(file.fault)
    try:
        status = file.path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableDocument("it is not a regular file")
        if status.st_size > MAX_DOCUMENT_MB * 2**20:
            raise UnreadableDocument(f"it is larger than {MAX_DOCUMENT_MB} MB")
        return file.path.read_bytes()
    except OSError as exc:
        raise UnreadableDocument(f"it can't be read: {exc.strerror}") from exc


def _paths(root: Path, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    inside = root.resolve()
    for folder, folders, names in os.walk(root, onerror=on_error):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(folder, name) for name in names if not name.startswith(".")):
            if is_document(path.name) and (not path.is_symlink() or _leads_into(inside, path)):
                yield path


def _leads_into(folder: Path, link: Path) -> bool:
    try:
        return link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # a loop; which of the two depends on Python's version
        return False


def _source_file(root: Path, path: Path, taken: Collection[str]) -> SourceFile:
    name = path.relative_to(root).as_posix()
    if not _is_utf8(name):
        escaped = name.encode("utf-8", "backslashreplace").decode()
        return SourceFile(escaped, path, "its name is not valid UTF-8: rename it")
    document_id = unicodedata.normalize("NFC", name)
    if document_id in taken:
        escaped = name.encode("ascii", "backslashreplace").decode()
        return SourceFile(escaped, path, "another file bears this name in another encoding of its accents: rename it")
    return SourceFile(document_id, path)


def _composed_first(path: Path) -> tuple[bool, str]:
    """Of two names that are one in NFC, the one that is in NFC comes first and keeps it."""
    return not unicodedata.is_normalized("NFC", str(path)), str(path)


def _is_utf8(name: str) -> bool:
    """Python keeps the bytes of an undecodable name as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in name)

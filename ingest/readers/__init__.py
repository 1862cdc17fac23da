"""One reader for each format: from a file's bytes to a Document.

A reader is a module of this package with `read(data: bytes, name: str) -> Document`. It raises UnreadableDocument when
the bytes are not what the name promises. It is imported when a file needs it first, as some bring heavy libraries.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol, cast

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers.languages import LANGUAGES

_READERS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".rst": "rst",
    ".rest": "rst",
    ".docx": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".ipynb": "notebook",
    **dict.fromkeys(LANGUAGES, "code"),
}
"""Modules by suffix, or by the whole name of a file that has none; in lower case."""

SUFFIXES = frozenset(key for key in _READERS if key.startswith("."))


class _Reader(Protocol):
    def read(self, data: bytes, name: str) -> Document: ...


def is_document(name: str) -> bool:
    """Whether there is a reader for files of this name."""
    return _module(name) is not None


def read(name: str, data: bytes) -> Document:
    """Read a file, of whose `name` (a path or a document id) only the suffix matters, or the last part if it has none.

    Raises UnreadableDocument when the bytes are not what the name promises, or hold no text.
    """
    module = _module(name)
    if module is None:
        raise UnreadableDocument("its format is unknown: give its name a suffix that tells it, such as .md or .pdf")
    if not data:
        raise UnreadableDocument("it is empty")
    reader = cast("_Reader", import_module(f"{__name__}.{module}"))
    return reader.read(data, name)


def _module(name: str) -> str | None:
    path = PurePosixPath(name.lower())
    return _READERS.get(path.name) or _READERS.get(path.suffix)

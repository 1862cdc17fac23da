"""One reader for each format: from a file's bytes to a Document."""

from __future__ import annotations

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import markdown, text
from ingest.readers.encoding import decode
from ingest.sources import SourceFile

_READERS = {".md": markdown.read, ".markdown": markdown.read, ".txt": text.read, ".text": text.read}


def read(file: SourceFile, data: bytes) -> Document:
    """Raises UnreadableDocument when the bytes are not what the file's name promises, or hold no text."""
    source = decode(data)
    if not source.strip():
        raise UnreadableDocument("it is empty")
    return _READERS[file.path.suffix.lower()](source)

"""CSV and TSV files: the same records that a sheet of a workbook gives."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers.encoding import decode
from ingest.readers.outline import Outline
from ingest.readers.sheet_tables import texts_and_records

_DELIMITERS = "\t;|,"
"""The first ones are rarer in texts and numbers."""
_STATED = re.compile(r"sep=([^\n])\n", re.IGNORECASE)
"""Excel's own first line."""
_SAMPLE_ROWS = 200


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when the file is no text, or holds none."""
    source = decode(data)
    stated = _STATED.match(source)
    text = source[stated.end() :] if stated else source
    delimiter = stated[1] if stated else _delimiter(text)
    outline = Outline()
    rows = ([cell.strip() for cell in row] for row in _rows(text, delimiter))
    blocks = tuple(block for kind, said in texts_and_records(rows) for block in outline.text(said, kind))
    if not blocks:
        raise UnreadableDocument("it is empty")
    return Document(title="", blocks=blocks)


def _delimiter(text: str) -> str:
    """The one with which most rows have the same number of cells, more than one.

    The sniffer of the standard library takes a letter for the delimiter as soon as rows differ.
    """
    return max(_DELIMITERS, key=lambda delimiter: _alike(islice(_rows(text, delimiter), _SAMPLE_ROWS)))


def _alike(rows: Iterable[list[str]]) -> int:
    widths = Counter(len(row) for row in rows if len(row) > 1)
    return max(widths.values(), default=0)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Quotes that do not pair up are inches, not quotes: a field would reach to the end of the file."""
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # a file within its limit may be one field
    lines = StringIO(text, newline="")
    if text.count('"') % 2:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter)

"""From the rows of a sheet to its records and the texts around them.

A table's rows are said one by one as `- City: Rome; Rate: 120`, not as a Markdown table: a small embedding model sees
what a number is only when its column stands beside it. Asked about single rows, the bundled model finds the row first
for 62 % of the questions in this form and for 46 % in the other, and 69 % instead of 24 % reach the relevance
threshold (`python -m bench.tables`). Each passage so holds the heads of its columns too, and a row can be quoted alone.

An empty row ends a table. Its first row is its head, unless a number stands there. A row after an empty one goes on
with the table above, if the columns are the same and it has no words where the table has numbers or dates. Rows of a
single cell before the head are texts, and so is a stretch that has no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from msgspec import Struct

from ingest.document import Kind

Row = Sequence[str]
"""The cells' texts from column 1; empty for an empty cell. Rows may differ in length."""

_NUMBER = re.compile(r"[-+(]?[$€£¥]? ?\d[\d.,' ]*[%€$£¥)]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T].*)?")


class _Table(Struct, frozen=True):
    head: Row
    """Empty when there is none."""
    rows: Sequence[Row]
    columns: range
    sample: Row
    """A row below the head."""


def texts_and_records(rows: Iterable[Row]) -> Iterator[tuple[Kind, str]]:
    """Paragraphs, and lists of records, in order. One stretch between empty rows is in memory at a time."""
    above: _Table | None = None
    for filled, stretch in groupby(rows, key=any):
        if not filled:
            continue
        lines = list(stretch)
        single = list(takewhile(lambda row: len(_columns([row])) == 1, lines))
        yield from (("paragraph", "".join(row)) for row in single)
        if rest := lines[len(single) :]:
            table = _table(rest, above)
            if table.head and (above is None or table.head is not above.head):
                yield "paragraph", f"Columns: {'; '.join(filter(None, map(_folded, table.head)))}"
            if table.rows:
                yield "list", "\n".join(_record(table.head, row) for row in table.rows)
            above = table


def _table(lines: Sequence[Row], above: _Table | None) -> _Table:
    columns = _columns(lines)
    rows = [row[columns.start : columns.stop] for row in lines]
    if above and above.columns == columns and not _differs(rows[0], above.sample):
        return _Table(above.head, rows, columns, above.sample)
    if any(_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in rows[0]):
        return _Table((), rows, columns, rows[0])
    return _Table(rows[0], rows[1:], columns, rows[-1])


def _columns(rows: Iterable[Row]) -> range:
    """From the first column that is not empty to the last one."""
    filled = [[index for index, cell in enumerate(row) if cell] for row in rows]
    return range(min(row[0] for row in filled), max(row[-1] for row in filled) + 1)


def _differs(row: Row, sample: Row) -> bool:
    """Whether there are words where a number or a date is expected."""
    return any(cell and _is_datum(other) and not _is_datum(cell) for cell, other in zip(row, sample, strict=False))


def _is_datum(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def _record(head: Row, row: Row) -> str:
    """One line: a cell's white space is folded, an empty cell is not said."""
    names = [*head, *[""] * (len(row) - len(head))]
    cells = (
        f"{_folded(name)}: {_folded(cell)}" if name else _folded(cell)
        for name, cell in zip(names, row, strict=False)
        if cell
    )
    return f"- {'; '.join(cells)}"


def _folded(text: str) -> str:
    return " ".join(text.split())

"""From the rows of a sheet to its tables and the texts around them.

An empty row ends a table. Its first row is its head; but where a row after an empty one holds numbers or dates and
the columns are those of the table above, the table goes on under the same head. Rows of a single cell before the head,
and stretches that are one column wide, are texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from msgspec import Struct

from ingest.document import Kind
from ingest.readers.tables import markdown_table

Row = Sequence[str]
"""The cells' texts from column 1; empty for an empty cell, and at the end not said."""


class SheetRow(Struct, frozen=True):
    cells: Row
    is_words: bool
    """No number or date is in it."""


class _Table(Struct, frozen=True):
    head: Row
    start: int
    rows: Sequence[Row]


def texts_and_tables(rows: Iterable[SheetRow]) -> Iterator[tuple[Kind, str]]:
    """Paragraphs, and tables as Markdown, in order. One stretch between empty rows is in memory at a time."""
    above: _Table | None = None
    for filled, stretch in groupby(rows, key=lambda row: any(row.cells)):
        if not filled:
            continue
        lines = list(stretch)
        single = list(takewhile(lambda line: _last(line.cells) - _first(line.cells) == 1, lines))
        yield from (("paragraph", "".join(line.cells)) for line in single)
        if rest := lines[len(single) :]:
            above = _table(rest, above)
            yield "table", markdown_table([above.head, *above.rows])


def _table(lines: Sequence[SheetRow], above: _Table | None) -> _Table:
    start = min(_first(line.cells) for line in lines)
    end = max(_last(line.cells) for line in lines)
    rows = [line.cells[start:end] for line in lines]
    if above and (above.start, len(above.head)) == (start, end - start) and not lines[0].is_words:
        return _Table(above.head, start, rows)
    return _Table([*rows[0], *[""] * (end - start - len(rows[0]))], start, rows[1:])


def _first(cells: Row) -> int:
    return next(index for index, cell in enumerate(cells) if cell)


def _last(cells: Row) -> int:
    return next(index for index in range(len(cells), 0, -1) if cells[index - 1])

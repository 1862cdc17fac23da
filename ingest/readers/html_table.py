"""The cells of an HTML table as rows."""

from __future__ import annotations

from typing import Any

from ingest.readers.tables import LONGEST_REPEATED

Element = Any
"""An lxml element, which has no types."""

_NO_CELLS = ("table", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_WIDEST = 20
"""Columns that one cell may take."""


def is_data(table: Element) -> bool:
    """Whether it holds rows of cells; else it only places parts of the page side by side."""
    if table.get("role", "").strip().lower() in ("presentation", "none"):
        return False
    if any(below is not table for below in table.iter(*_NO_CELLS)):
        return False
    return any(len(row.xpath("td|th")) > 1 for row in table.iter("tr"))


class Rows:
    """A cell that spans rows is said in each of them, so that each row can be read alone."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._spans: dict[int, tuple[int, str]] = {}
        """By column: in how many more rows to say a text."""

    def start_row(self) -> None:
        self._finish_row()
        self._rows.append([])

    def add(self, text: str, cell: Element) -> None:
        if not self._rows:
            self._rows.append([])
        row = self._rows[-1]
        self._repeat(row)
        rows = _number(cell.get("rowspan")) - 1
        for text_there in [text, *[""] * (min(_number(cell.get("colspan")), _WIDEST) - 1)]:
            if rows > 0:
                self._spans[len(row)] = (rows, text_there if len(text) <= LONGEST_REPEATED else "")
            row.append(text_there)

    def finish(self) -> list[list[str]]:
        """The rows that hold a text."""
        self._finish_row()
        return [row for row in self._rows if any(row)]

    def _finish_row(self) -> None:
        if self._rows:
            self._repeat(self._rows[-1])

    def _repeat(self, row: list[str]) -> None:
        while len(row) in self._spans:
            left, text = self._spans.pop(len(row))
            if left > 1:
                self._spans[len(row)] = (left - 1, text)
            row.append(text)


def _number(value: str | None) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 5 else 1

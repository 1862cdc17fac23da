"""What openpyxl does not tell of a sheet that it streams: what is hidden, and which formulas have no result."""

from __future__ import annotations

from contextlib import suppress
from typing import IO
from xml.parsers import expat

from openpyxl.utils import range_boundaries  # type: ignore[import-untyped]

_CHUNK = 65_536
_LAST_COLUMN = 16_384
_LAST_ROW = 1_048_576
_ON = ("1", "true")


class SheetScan:
    """Reads a sheet's XML once, element by element. Raises ValueError for a row that no sheet has: all those before it
    would be gone through."""

    def __init__(self, source: IO[bytes]) -> None:
        self.hidden_rows: set[int] = set()
        """Numbers from 1."""
        self.hidden_columns: set[int] = set()
        """Numbers from 1."""
        self.tall: dict[tuple[int, int], int] = {}
        """Merged cells that span rows: the last of them, by the row and the column in which the cell begins."""
        self.formulas_without_result = 0
        self._row = 0
        self._type = ""
        self._formula = self._result = self._in_value = False
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        while chunk := source.read(_CHUNK):
            parser.Parse(chunk)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "col" if attributes.get("hidden") in _ON:
                last = min(int(attributes.get("max", "0")), _LAST_COLUMN)
                self.hidden_columns.update(range(int(attributes.get("min", "1")), last + 1))
            case "row":
                self._row = int(attributes.get("r", self._row + 1))
                if self._row > _LAST_ROW:
                    raise ValueError(f"row {self._row}")
                if attributes.get("hidden") in _ON:
                    self.hidden_rows.add(self._row)
            case "mergeCell":
                self._merge(attributes.get("ref", ""))
            case "c":
                self._type = attributes.get("t", "n")
                self._formula = self._result = False
            case "f":
                self._formula = True
            case "v":
                self._in_value = True

    def _merge(self, cells: str) -> None:
        with suppress(ValueError, TypeError):  # no range of cells
            column, row, _, last_row = range_boundaries(cells)
            if last_row > row:
                self.tall[row, column] = last_row

    def _characters(self, text: str) -> None:
        self._result = self._result or self._in_value

    def _end(self, name: str) -> None:
        local = name.rpartition(" ")[2]
        if local == "v":
            self._in_value = False
        elif local == "c" and self._formula and not self._result and self._type != "str":  # "" is a result too
            self.formulas_without_result += 1

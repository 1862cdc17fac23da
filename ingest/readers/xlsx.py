"""Excel workbooks: a section for each sheet, its tables record by record with the values that Excel shows.

Rows are streamed, so that a large sheet costs its text and not a tree of cells. Left out are hidden sheets, rows and
columns, pictures, charts, text boxes and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

import openpyxl  # type: ignore[import-untyped]
from openpyxl.worksheet._read_only import ReadOnlyWorksheet  # type: ignore[import-untyped]

from ingest.document import Block, Document
from ingest.readers import ooxml
from ingest.readers.left_out import LeftOut
from ingest.readers.number_formats import shown
from ingest.readers.outline import Outline
from ingest.readers.sheet_scan import SheetScan
from ingest.readers.sheet_tables import Row, texts_and_records
from ingest.readers.tables import LONGEST_REPEATED

_UNREAD_PARTS = {
    re.compile(r"xl/media/.*"): "images",
    re.compile(r"xl/(?:charts|chartsheets)/[^/]*\.xml"): "charts",
    re.compile(r"xl/(?:threadedComments/|comments).*\.xml"): "comments",
}


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when the file is encrypted, damaged or no workbook, or holds no text."""
    left_out = LeftOut()
    with ooxml.opened(data, "Excel") as file:
        about = ooxml.properties(file)
        blocks = tuple(_blocks(file, left_out))
        _look_elsewhere(file, left_out)
    return ooxml.document(blocks, about.title, about, left_out)


def _blocks(file: BytesIO, left_out: LeftOut) -> Iterator[Block]:
    outline = Outline()
    workbook = openpyxl.load_workbook(file, read_only=True, data_only=True)
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            left_out.count("hidden sheet")
            continue
        entered = False
        for kind, text in texts_and_records(_rows(sheet, left_out)):
            if not entered:
                yield from outline.enter(1, sheet.title, sheet.title)
                entered = True
            yield from outline.text(text, kind)


def _rows(sheet: ReadOnlyWorksheet, left_out: LeftOut) -> Iterator[Row]:
    scan = SheetScan(sheet._get_source())  # openpyxl has no public name for the sheet's part
    if scan.formulas_without_result:
        left_out.note("formulas whose results are not stored: open the file in Excel and save it again")
    going_on: dict[int, tuple[int, str]] = {}
    sheet.reset_dimensions()  # some programs state wrong ones, and cells outside would be lost
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = [shown(cell.value, cell.number_format or "General").strip() for cell in row]
        if any(not said and str(cell.value or "").strip() for cell, said in zip(row, cells, strict=True)):
            left_out.note("what the format of its cell hides")
        hidden = [index for index, cell in enumerate(cells) if cell and _is_hidden(scan, number, index + 1)]
        for index in hidden:
            cells[index] = ""
            left_out.note("hidden rows and columns")
        _say_merged(cells, number, scan, going_on)
        yield cells


def _say_merged(cells: list[str], number: int, scan: SheetScan, going_on: dict[int, tuple[int, str]]) -> None:
    """Say a cell that spans rows in each of them that says anything, so that each can be read alone.

    `going_on` has by column the last row of such a cell, and its text.
    """
    for column, (last, text) in list(going_on.items()):
        if number > last:
            del going_on[column]
        elif any(cells) and column < len(cells) and not cells[column]:
            cells[column] = text
    for column, text in enumerate(cells):
        last = scan.tall.get((number, column + 1), number)
        if last > number and 0 < len(text) <= LONGEST_REPEATED:
            going_on[column] = (last, text)


def _is_hidden(scan: SheetScan, row: int, column: int) -> bool:
    return row in scan.hidden_rows or column in scan.hidden_columns


def _look_elsewhere(file: BytesIO, left_out: LeftOut) -> None:
    """What hangs on the sheets in parts of its own, of which nothing is taken in."""
    with ZipFile(file) as package:
        for part in package.namelist():
            for pattern, things in _UNREAD_PARTS.items():
                if pattern.fullmatch(part):
                    left_out.note(things)
            if part.startswith("xl/drawings/drawing") and b":t>" in package.read(part):
                left_out.note("text boxes")

"""Workbooks: sheets as sections, tables with their heads, values as they are shown."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import openpyxl
import pytest

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from tests.ingest.office_files import replaced, saved, with_part


def workbook(*rows: list[Any]) -> Any:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    return made


def cells(made: Any) -> Document:
    return read("a.xlsx", saved(made))


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def test_each_sheet_is_a_section_with_its_table() -> None:
    made = workbook(["City", "Rate"], ["Rome", 120])
    made.active.title = "Rates"
    made.create_sheet("Empty")
    second = made.create_sheet("People")
    second["C5"], second["D5"], second["C6"], second["D6"] = "Name", "Team", "Ana", "Red"
    assert cells(made).blocks == (
        Block("Columns: City; Rate", ("Rates",), section=1),
        Block("- City: Rome; Rate: 120", ("Rates",), "list", section=1),
        Block("Columns: Name; Team", ("People",), section=2),
        Block("- Name: Ana; Team: Red", ("People",), "list", section=2),
    )


def test_values_are_said_as_they_are_shown() -> None:
    made = workbook(["When", "Share", "Price", "Id", "Done"], [datetime(2024, 3, 5), 0.125, 1234.5, 42, True])
    sheet = made.active
    sheet["B2"].number_format, sheet["C2"].number_format, sheet["D2"].number_format = "0.0%", '"$"#,##0.00', "00000"
    assert texts(cells(made))[1] == "- When: 2024-03-05; Share: 12.5%; Price: $1,234.50; Id: 00042; Done: TRUE"


def test_a_cell_that_spans_rows_is_said_in_each_that_says_anything() -> None:
    made = workbook(["Area", "City"], ["EU", "Rome"], [None, "Oslo"], [None, "Bern"], [None, None], ["US", "Reno"])
    made.active.merge_cells("A2:A3")
    made.active.merge_cells("A6:A7")
    made.active["B8"] = "Lima"
    assert texts(cells(made)) == [
        "Columns: Area; City",
        "- Area: EU; City: Rome\n- Area: EU; City: Oslo\n- City: Bern",
        "- Area: US; City: Reno",
        "Lima",
    ]


def test_hidden_sheets_rows_and_columns_are_left_out_and_reported() -> None:
    made = workbook(["Name", "Salary", "Team"], ["Ana", 1, "Red"], ["Bo", 2, "Blue"])
    made.active.column_dimensions["B"].hidden = True
    made.active.row_dimensions[3].hidden = True
    made.create_sheet("Secret").append(["x"])
    made["Secret"].sheet_state = "veryHidden"
    read = cells(made)
    assert texts(read) == ["Columns: Name; Team", "- Name: Ana; Team: Red"]
    assert read.left_out == ("1 hidden sheet", "hidden rows and columns")


def test_what_a_cell_hides_by_its_format_is_left_out_and_reported() -> None:
    made = workbook(["Name", "Salary", "Note"], ["Ana", 1, " "])
    assert cells(made).left_out == ()
    made.active["B2"].number_format = ";;;"
    read = cells(made)
    assert texts(read) == ["Columns: Name; Salary; Note", "- Name: Ana"]
    assert read.left_out == ("what the format of its cell hides",)


def test_results_of_formulas_are_read_and_missing_ones_reported() -> None:
    made = workbook(["Sum", "Text"], ["=1+1", '=""'])
    data = saved(made)
    sheet = "xl/worksheets/sheet1.xml"
    stored = with_part(data, sheet, replaced(r"<v\s*/>|<v></v>", "<v>2</v>"))
    stored = with_part(stored, sheet, replaced('<c r="B2"', '<c r="B2" t="str"'))
    assert texts(read("a.xlsx", stored)) == ["Columns: Sum; Text", "- Sum: 2"]
    assert read("a.xlsx", stored).left_out == ()
    [reason] = cells(made).left_out
    assert reason.startswith("formulas whose results are not stored")


def test_a_wrong_statement_of_the_sheets_size_loses_nothing() -> None:
    data = saved(workbook(["a", "b"], ["c", "d"]))
    wrong = with_part(data, "xl/worksheets/sheet1.xml", replaced('<dimension ref="A1:B2"', '<dimension ref="A1:A1"'))
    assert texts(read("a.xlsx", wrong)) == ["Columns: a; b", "- a: c; b: d"]


def test_a_row_that_no_sheet_has_is_a_failure_and_not_searched_for() -> None:
    far = with_part(saved(workbook(["a"])), "xl/worksheets/sheet1.xml", replaced('r="1"', 'r="99999999999"'))
    with pytest.raises(UnreadableDocument, match="damaged"):
        read("a.xlsx", far)


def test_the_title_and_date_are_those_of_the_properties_and_no_sheet_or_file_name() -> None:
    made = workbook(["x"])
    assert cells(made).title == ""
    made.properties.title = "Rates"
    made.properties.modified = datetime(2024, 3, 5)
    made.properties.keywords = "travel,rates"
    read = cells(made)
    assert (read.title, read.tags) == ("Rates", ("travel", "rates"))
    assert read.updated_at == date.today().isoformat()  # openpyxl states when it saves


def test_pictures_charts_and_comments_are_reported() -> None:
    made = workbook(["a", 1])
    made.active["A1"].comment = openpyxl.comments.Comment("Remark.", "me")
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(made.active, min_col=2, min_row=1))
    made.active.add_chart(chart)
    assert set(cells(made).left_out) == {"comments", "charts"}


def test_a_workbook_without_text_is_a_failure() -> None:
    with pytest.raises(UnreadableDocument, match="it is empty"):
        cells(workbook())

"""Presentations: slides as sections, and what an audience would not see."""

from __future__ import annotations

from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.util import Inches

from ingest.chunking import chunk
from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from tests.ingest.office_files import saved
from tests.ingest.passages import bundled_tokenizer

Said = list[tuple[str, tuple[str, ...], int | None]]
TITLE_SLIDE, TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 0, 1, 5, 6


def slides(made: Any) -> Document:
    return read("a.pptx", saved(made))


def said(document: Document) -> Said:
    return [(block.text, block.heading, block.page) for block in document.blocks]


def add_slide(made: Any, layout: int, title: str = "", body: str = "") -> Any:
    slide = made.slides.add_slide(made.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    if body:
        slide.placeholders[1].text = body
    return slide


def add_text(shapes: Any, text: str) -> Any:
    box = shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
    box.text_frame.text = text
    return box


def test_a_raised_number_does_not_run_into_the_one_before_it() -> None:
    made = pptx.Presentation()
    paragraph = add_text(add_slide(made, BLANK).shapes, "10").text_frame.paragraphs[0]
    for text, baseline in (("6", "30000"), (" or CO", "0"), ("2", "-25000"), (" or m", None), ("2", "30%")):
        run = paragraph.add_run()
        run.text = text
        if baseline is not None:
            run._r.get_or_add_rPr().set("baseline", baseline)
    assert [text for text, _, _ in said(slides(made))] == ["10^6 or CO2 or m^2"]


def test_each_slide_is_a_section_under_its_title_with_its_number() -> None:
    made = pptx.Presentation()
    add_slide(made, TITLE_SLIDE, "Travel", "How we travel")
    slide = add_slide(made, TITLE_AND_CONTENT, "Trains", "Book early\nSit anywhere\vif you can")
    slide.placeholders[1].text_frame.paragraphs[1].level = 1
    add_text(add_slide(made, BLANK).shapes, "No title here.")
    add_slide(made, TITLE_ONLY, "Thanks")
    read = slides(made)
    assert read.title == "Travel"
    assert said(read) == [
        ("How we travel", ("Travel",), 1),
        ("- Book early\n  - Sit anywhere\nif you can", ("Trains",), 2),
        ("No title here.", (), 3),
        ("Thanks", (), 4),
    ]


def test_tables_groups_and_speaker_notes_are_read() -> None:
    made = pptx.Presentation()
    slide = add_slide(made, TITLE_ONLY, "Rates")
    table = slide.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for row, texts in enumerate((("City", "Rate"), ("Rome", "120"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    group = slide.shapes.add_group_shape()
    add_text(group.shapes.add_group_shape().shapes, "Deep in groups.")
    slide.notes_slide.notes_text_frame.text = "Ask finance.\nTwice."
    assert [text for text, _, _ in said(slides(made))] == [
        "| City | Rate |\n| --- | --- |\n| Rome | 120 |",
        "Deep in groups.",
        "Speaker notes: Ask finance.\nTwice.",
    ]


@pytest.mark.parametrize("yes", ["1", "true"])
def test_cells_that_another_one_spans_say_nothing(yes: str) -> None:
    made = pptx.Presentation()
    table = add_slide(made, BLANK).shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    table.cell(0, 0).text = "wide"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 1).text = "under"
    table.cell(0, 1)._tc.set("hMerge", yes)
    table.cell(1, 0).text = "x"
    [block] = slides(made).blocks
    assert block.text.split("\n")[0] == "| wide |  |"


@pytest.mark.parametrize(("tall", "below"), [("EU", "EU"), ("long " * 50, "")])
def test_a_cell_that_spans_rows_is_said_in_each_unless_it_is_long(tall: str, below: str) -> None:
    made = pptx.Presentation()
    table = add_slide(made, BLANK).shapes.add_table(4, 2, 0, 0, Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Area", "City"
    table.cell(1, 0).text, table.cell(1, 1).text, table.cell(2, 1).text = tall, "Rome", "Oslo"
    table.cell(1, 0).merge(table.cell(3, 0))
    [block] = slides(made).blocks
    assert block.text.split("\n")[3:] == [f"| {below} | Oslo |", "|  |  |"]


def test_hidden_slides_and_shapes_pictures_and_charts_are_left_out_and_reported() -> None:
    made = pptx.Presentation()
    add_slide(made, TITLE_ONLY, "Secret").element.set("show", "0")
    slide = add_slide(made, TITLE_ONLY, "Shown")
    add_text(slide.shapes, "Not shown.")._element.nvSpPr.cNvPr.set("hidden", "1")
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(1), Inches(1), data)
    footer = add_text(slide.shapes, "Confidential")
    footer._element.nvSpPr.nvPr.append(parse_xml(f'<p:ph {nsdecls("p")} type="ftr"/>'))
    read = slides(made)
    assert said(read) == [("Shown", (), 2)]
    assert read.left_out == ("1 hidden slide", "1 hidden shape", "1 chart", "dates, footers and numbers of slides")


def test_a_shape_that_only_newer_programs_know_is_read_once() -> None:
    made = pptx.Presentation()
    shapes = add_slide(made, BLANK).shapes
    shape = add_text(shapes, "New.")._element
    compatibility = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    alternate = parse_xml(
        f"<mc:AlternateContent {compatibility}><mc:Choice Requires='a14'/><mc:Fallback/></mc:AlternateContent>"
    )
    shapes._spTree.replace(shape, alternate)
    alternate[0].append(shape)
    alternate[1].append(parse_xml(f"<p:pic {nsdecls('p')}/>"))
    assert [text for text, _, _ in said(slides(made))] == ["New."]


def test_a_slide_put_in_front_makes_only_its_own_passages_new() -> None:
    def deck(titles: list[str]) -> Any:
        made = pptx.Presentation()
        for title in titles:
            add_slide(made, TITLE_AND_CONTENT, title, f"All about {title}.")
        return made

    tokenizer = bundled_tokenizer()
    before = {(piece.heading, piece.text) for piece in chunk(slides(deck(["A", "B", "C"])), tokenizer)}
    after = {(piece.heading, piece.text) for piece in chunk(slides(deck(["A", "New", "B", "C"])), tokenizer)}
    assert len(after - before) == 1


def test_a_presentation_without_text_is_a_failure() -> None:
    made = pptx.Presentation()
    add_slide(made, BLANK)
    with pytest.raises(UnreadableDocument, match="it is empty"):
        slides(made)

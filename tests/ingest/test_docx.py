"""Word documents: what is a heading, a list, a table, and what nobody would see."""

from __future__ import annotations

import random
import statistics
from datetime import UTC, datetime
from typing import Any

import docx
import pytest
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from ingest.readers.tables import markdown_table
from tests.ingest.office_files import replaced, saved, with_part
from tests.ingest.passages import bundled_tokenizer


def word(document: Any) -> Document:
    return read("a.docx", saved(document))


def said(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.heading) for block in document.blocks]


def run_of(xml: str) -> Any:
    return parse_xml(f"<w:r {nsdecls('w')}>{xml}</w:r>")


def test_a_raised_number_does_not_run_into_the_one_before_it() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("10")
    for text, is_raised in (("1", True), ("2", True), (" or the 2", False), ("nd", True), (", CO", False)):
        paragraph.add_run(text).font.superscript = is_raised
    paragraph.add_run("2").font.subscript = True
    power = "<m:r><m:t>{}</m:t></m:r>"
    formula = f"<m:sSup><m:e>{power.format(10)}</m:e><m:sup>{power.format(9)}</m:sup></m:sSup>"
    made.add_paragraph()._p.append(parse_xml(f"<m:oMath {nsdecls('m')}>{formula}</m:oMath>"))
    assert [text for text, _ in said(word(made))] == ["10^12 or the 2nd, CO2", "10^9"]


def test_paragraphs_lists_and_tables_stand_in_order_under_their_headings() -> None:
    made = docx.Document()
    made.add_paragraph("Before.")
    made.add_heading("Leave", 1)
    made.add_paragraph("You get leave.")
    made.add_paragraph("annual", "List Bullet")
    made.add_paragraph("sick", "List Number")
    made.add_heading("Days", 2)
    table = made.add_table(2, 2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["Kind", "Days", "a|b", "30\n31"], strict=True):
        cell.text = text
    made.add_paragraph("After.")
    assert word(made).blocks == (
        Block("Before."),
        Block("You get leave.", ("Leave",), section=1),
        Block("- annual\n- sick", ("Leave",), "list", section=1),
        Block("| Kind | Days |\n| --- | --- |\n| a\\|b | 30 31 |", ("Leave", "Days"), "table", section=2),
        Block("After.", ("Leave", "Days"), section=2),
    )


def test_the_title_is_the_one_in_the_style_title_then_the_properties_then_the_first_heading() -> None:
    made = docx.Document()
    made.add_heading("Part", 1)
    made.add_paragraph("text")
    assert word(made).title == "Part"
    made.core_properties.title = "Stated"
    assert word(made).title == "Stated"
    made.paragraphs[0].insert_paragraph_before("Shown", "Title")
    read = word(made)
    assert read.title == "Shown"
    assert said(read) == [("text", ("Shown", "Part"))]


@pytest.mark.parametrize("stated", ["Microsoft Word - plan.doc", "plan final.docx", "Untitled", "Document1", " "])
def test_a_title_that_no_one_gave_is_none(stated: str) -> None:
    made = docx.Document()
    made.add_paragraph("text")
    made.core_properties.title = stated
    assert word(made).title == ""


def test_date_and_keywords_come_from_the_properties() -> None:
    made = docx.Document()
    made.add_paragraph("text")
    assert (word(made).updated_at, word(made).tags) == (None, ())
    made.core_properties.modified = datetime(2024, 3, 5, 23, 59, tzinfo=UTC)
    made.core_properties.keywords = "leave, people; leave"
    read = word(made)
    assert (read.updated_at, read.tags) == ("2024-03-05", ("leave", "people"))


def test_the_language_comes_from_the_properties() -> None:
    made = docx.Document()
    made.add_paragraph("Urlaub")
    assert word(made).language is None
    made.core_properties.language = "de-CH"
    assert word(made).language == "de"


def test_a_heading_of_a_style_of_ones_own_counts() -> None:
    made = docx.Document()
    own = made.styles.add_style("Kapitel", 1)
    own.base_style = made.styles["Heading 2"]
    made.add_paragraph("Reisen", "Kapitel")
    made.add_paragraph("text")
    outlined = made.add_paragraph("Outlined")
    level = OxmlElement("w:outlineLvl")
    level.set(qn("w:val"), "2")
    outlined._p.get_or_add_pPr().append(level)
    made.add_paragraph("more")
    assert said(word(made)) == [("text", ("Reisen",)), ("more", ("Reisen", "Outlined"))]


def test_hidden_and_deleted_text_and_comments_are_left_out_and_reported() -> None:
    made = docx.Document()
    seen = made.add_paragraph("Seen. ")
    seen.add_run("Hidden.").font.hidden = True
    made.styles.add_style("Secret", 2).font.hidden = True
    seen.add_run("Hidden too.", "Secret")
    deleted, inserted = OxmlElement("w:del"), OxmlElement("w:ins")
    deleted.append(run_of("<w:delText>Deleted.</w:delText>"))
    inserted.append(run_of("<w:t>Inserted.</w:t>"))
    seen._p.extend([deleted, inserted])
    made.add_comment(seen.runs, "Remark.", "me", "me")
    made.sections[0].header.paragraphs[0].text = "Head of the page"
    read = word(made)
    assert said(read) == [("Seen. Inserted.", ())]
    assert read.left_out == ("1 deleted change", "1 comment", "text marked as hidden", "page headers and footers")


def test_deleted_rows_and_cells_of_a_table_are_left_out_and_reported() -> None:
    made = docx.Document()
    table = made.add_table(3, 3)
    for row, texts in zip(table.rows, (("A", "B", "C"), ("a", "gone", "c"), ("gone", "gone", "gone")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 1)._tc.get_or_add_tcPr().append(OxmlElement("w:cellDel"))
    box = "<w:txbxContent><w:p><w:r><w:t>gone, too</w:t></w:r></w:p></w:txbxContent>"
    table.cell(1, 1).paragraphs[0]._p.append(run_of(box))
    table.rows[2]._tr.get_or_add_trPr().append(OxmlElement("w:del"))
    read = word(made)
    assert said(read) == [("| A | B | C |\n| --- | --- | --- |\n| a |  | c |", ())]
    assert read.left_out == ("2 deleted changes",)


def test_symbols_that_answer_are_said_and_others_reported() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("Included: ")
    for font, character in (("Wingdings", "F0FC"), ("Wingdings", "00FB"), ("Wingdings", "F04A"), ("Symbol", "F0FC")):
        paragraph._p.append(run_of(f'<w:sym w:font="{font}" w:char="{character}"/>'))
    paragraph._p.append(run_of('<w:sym w:font="Symbol" w:char="03B1"/>'))
    for font in ("Wingdings", "Arial"):  # as LibreOffice writes them
        paragraph._p.append(run_of(f'<w:rPr><w:rFonts w:ascii="{font}"/></w:rPr><w:t>, ü\uf0fe</w:t>'))
    read = word(made)
    assert said(read) == [("Included: ✓✗\u03b1, ✓☑, ü\uf0fe", ())]
    assert read.left_out == ("2 symbols",)


def test_the_table_of_contents_is_left_out_and_reported() -> None:
    made = docx.Document()
    made.styles.add_style("toc 1", 1)
    made.add_paragraph("Leave ..... 3", "toc 1")
    made.add_heading("Leave", 1)
    made.add_paragraph("text")
    read = word(made)
    assert said(read) == [("text", ("Leave",))]
    assert read.left_out == ("the table of contents",)


def test_text_in_boxes_links_controls_fields_and_formulas_is_read() -> None:
    made = docx.Document()
    body = made.element.body
    paragraph = made.add_paragraph("See ")
    paragraph._p.append(
        parse_xml(f"<w:hyperlink {nsdecls('w')}><w:r><w:t>the policy</w:t></w:r></w:hyperlink>"),
    )
    paragraph._p.append(
        parse_xml(
            f'<w:fldSimple {nsdecls("w")} w:instr="PAGE"><w:r><w:instrText>PAGE</w:instrText><w:t>, 3</w:t></w:r>'
            "</w:fldSimple>"
        )
    )
    box = "<w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>"
    paragraph._p.append(
        parse_xml(
            f'<w:r {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
            f"<mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
            f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        )
    )
    control = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    body.insert(len(body) - 1, parse_xml(control))
    assert [text for text, _ in said(word(made))] == ["See the policy, 3", "In a box.", "Controlled."]


def test_footnotes_follow_the_paragraph_that_they_belong_to() -> None:
    made = docx.Document()
    made.add_paragraph("Up to 30 days").runs[0]._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="2"/>'))
    made.add_paragraph("Next.")
    notes = (
        f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2"><w:p><w:r><w:t>Or 20.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    ).encode()
    data = with_part(saved(made), "word/footnotes.xml", lambda _: notes)
    data = with_part(
        data,
        "word/_rels/document.xml.rels",
        replaced(
            "</Relationships>",
            '<Relationship Id="rId99" Target="footnotes.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006'
            '/relationships/footnotes"/></Relationships>',
        ),
    )
    content = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    data = with_part(
        data,
        "[Content_Types].xml",
        replaced("</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{content}"/></Types>'),
    )
    assert [text for text, _ in said(read("a.docx", data))] == ["Up to 30 days", "Footnote: Or 20.", "Next."]


def test_merged_cells_are_said_in_each_row_and_nested_tables_in_their_cell() -> None:
    made = docx.Document()
    table = made.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).text = "C"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    table.cell(1, 1).text = "x"
    inner = table.cell(2, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "ner"
    [block] = word(made).blocks
    assert block.text.split("\n") == [
        "| wide |  | C |",
        "| --- | --- | --- |",
        "| tall | x |  |",
        "| tall | in ner |  |",
    ]


def test_a_table_of_one_column_is_a_frame_around_paragraphs() -> None:
    made = docx.Document()
    cell = made.add_table(1, 1).cell(0, 0)
    cell.text = "Note."
    cell.add_paragraph("Beware.")
    assert [(block.text, block.kind) for block in word(made).blocks] == [
        ("Note.", "paragraph"),
        ("Beware.", "paragraph"),
    ]


def test_a_document_of_pictures_alone_is_a_failure_that_says_so() -> None:
    made = docx.Document()
    picture = '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"/>'
    made.add_paragraph().add_run()._r.append(parse_xml(f"<w:drawing {nsdecls('w')}>{picture}</w:drawing>"))
    with pytest.raises(UnreadableDocument, match="it holds no text, only 1 image"):
        word(made)
    with pytest.raises(UnreadableDocument, match="it is empty"):
        word(docx.Document())


def test_an_edited_row_of_a_table_makes_few_passages_new() -> None:
    tokenizer, randomly = bundled_tokenizer(), random.Random(4)
    rows = [[f"Person {n * 7919 % 1000}", f"Team {n % 7}", str(randomly.randint(100, 999))] for n in range(200)]

    def passages(rows: list[list[str]]) -> set[str]:
        table = Block(markdown_table([["Name", "Team", "Phone"], *rows]), kind="table")
        return {piece.text for piece in chunk(Document(title="", blocks=(table,)), tokenizer)}

    before = passages(rows)
    assert all(passage.startswith("| Name | Team | Phone |\n") for passage in before)
    new: list[int] = []
    for at in range(0, 200, 10):
        edits = ([], [["Someone New", "Team 1", "555"], rows[at]], [[*rows[at][:2], "0"]])
        new += [len(passages([*rows[:at], *put, *rows[at + 1 :]]) - before) for put in edits]
    assert statistics.mean(new) <= 2
    assert max(new) <= 4

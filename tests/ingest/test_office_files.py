"""Files that pandoc and LibreOffice made, and files that are broken or hostile."""

from __future__ import annotations

import tracemalloc
import zipfile
from io import BytesIO

import docx
import openpyxl
import pptx
import pytest

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import ooxml, read
from tests.ingest.office_files import FILES, replaced, saved, with_part

Said = list[tuple[str, tuple[str, ...]]]
RATES = "| City | Hotel limit | Meals |\n| --- | --- | --- |\n| Rome | 140 | 45 |\n| Oslo | 210 | 60 |"


def file(name: str) -> Document:
    return read(name, (FILES / name).read_bytes())


def said(document: Document) -> Said:
    return [(block.text, block.heading) for block in document.blocks]


def small(suffix: str) -> bytes:
    """A file of a few words."""
    if suffix == "docx":
        made = docx.Document()
        made.add_paragraph("Some words.")
        return saved(made)
    if suffix == "pptx":
        slides = pptx.Presentation()
        slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Some words."
        return saved(slides)
    workbook = openpyxl.Workbook()
    workbook.active.append(["Some words."])
    return saved(workbook)


MAIN_PARTS = {"docx": "word/document.xml", "pptx": "ppt/slides/slide1.xml", "xlsx": "xl/worksheets/sheet1.xml"}


# Of other programs


def test_a_word_document_of_pandoc() -> None:
    read = file("pandoc.docx")
    path = ("Travel handbook", "Booking")
    assert (read.title, read.tags) == ("Travel handbook", ("travel", "expenses"))
    assert said(read) == [
        ("2024-03-05", path[:1]),
        ("The travel desk books every train. See the rates.", path),
        ("Footnote: Write to the desk before noon.", path),
        ("- Ask your manager.\n- Write to the desk.\n  - State the dates.\n  - State the city.", path),
        (RATES, (*path, "Rates")),
        ("Rates change every January.", (*path, "Rates")),
        (
            '```\ndef book(city, nights):\n    return desk.post("/trips", city, nights)\n```',
            (*path, "Calling the interface"),
        ),
        ("No flight under four hours by train.", (*path, "Calling the interface")),
        ("The cost is c=n⋅r for n nights.", (*path, "Calling the interface")),
    ]
    assert read.left_out == ("the table of contents",)


def test_a_word_document_of_libreoffice() -> None:
    read = file("libreoffice.docx")
    assert read.title == "Leave policy"
    assert said(read) == [
        ("You get 30 days.", ("Leave policy",)),
        ("- Call before nine.\n- Send a note on day three.", ("Leave policy", "Sick leave")),
        ("| Year | Days |\n| --- | --- |\n| First | 28 |\n| Later | 30 |", ("Leave policy", "Sick leave")),
        ("End.", ("Leave policy", "Sick leave")),
    ]


@pytest.mark.parametrize("name", ["pandoc.pptx", "libreoffice.pptx"])
def test_a_presentation_of_pandoc_and_libreoffice(name: str) -> None:
    read = file(name)
    assert read.title == "How we travel"
    assert [(block.text, block.heading, block.page) for block in read.blocks] == [
        ("The travel desk", ("How we travel",), 1),
        ("- Book early\n- Sit anywhere\n  - even in the quiet car", ("Trains first",), 2),
        ("Speaker notes: Mention the night trains.", ("Trains first",), 2),
        ("| City | Limit |\n| --- | --- |\n| Rome | 140 |\n| Oslo | 210 |", ("Rates",), 3),
    ]


def test_a_workbook_of_libreoffice_says_what_the_csv_file_says() -> None:
    workbook, table = file("libreoffice.xlsx"), file("rates.csv")
    assert [block.text for block in workbook.blocks] == [block.text for block in table.blocks]
    assert "- City: Bonn, old town; Limit: 95; Share: 3%; From: 2024-03-01" in workbook.blocks[1].text


# Broken and hostile


@pytest.mark.parametrize("suffix", MAIN_PARTS)
def test_an_encrypted_or_older_file_says_what_to_do(suffix: str) -> None:
    encrypted, older = ((FILES / name).read_bytes() for name in ("encrypted.docx", "before_2007.docx"))
    with pytest.raises(UnreadableDocument, match="it is encrypted: save it without a password"):
        read(f"a.{suffix}", encrypted)
    with pytest.raises(UnreadableDocument, match="it has a format from before 2007: save it anew in"):
        read(f"a.{suffix}", older)


@pytest.mark.parametrize("suffix", MAIN_PARTS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_was_cut_short_says_so(suffix: str, share: float) -> None:
    data = small(suffix)
    with pytest.raises(UnreadableDocument, match="it is damaged or cut short: open it in"):
        read(f"a.{suffix}", data[: int(len(data) * share)])


@pytest.mark.parametrize("suffix", MAIN_PARTS)
def test_another_kind_of_file_says_so(suffix: str) -> None:
    with pytest.raises(UnreadableDocument, match="it is not what its name says"):
        read(f"a.{suffix}", b"%PDF-1.7 and more")
    other = small(next(kind for kind in MAIN_PARTS if kind != suffix))
    with pytest.raises(UnreadableDocument, match="it is damaged: open it in"):
        read(f"a.{suffix}", other)


@pytest.mark.parametrize(("suffix", "part"), MAIN_PARTS.items())
def test_a_broken_part_is_damage(suffix: str, part: str) -> None:
    broken = with_part(small(suffix), part, lambda xml: xml[: len(xml) // 2])
    with pytest.raises(UnreadableDocument, match="it is damaged: open it in"):
        read(f"a.{suffix}", broken)


@pytest.mark.parametrize(("suffix", "part"), MAIN_PARTS.items())
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(suffix: str, part: str, encoding: str) -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'

    def declare(xml: bytes) -> bytes:
        body = xml.decode().split("?>", 1)[-1]
        return f'<?xml version="1.0" encoding="{encoding}"?>{"<!-- x -->" * 20_000}{laughs}{body}'.encode(encoding)

    with pytest.raises(UnreadableDocument, match="its XML declares entities"):
        read(f"a.{suffix}", with_part(small(suffix), part, declare))


@pytest.mark.parametrize("suffix", MAIN_PARTS)
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(suffix: str) -> None:
    bomb = BytesIO(small(suffix))
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as package, package.open("more", "w") as member:
        for _ in range(ooxml.MAX_UNPACKED_MB):
            member.write(bytes(2**20))
    tracemalloc.start()
    with pytest.raises(UnreadableDocument, match="it unpacks to more than 256 MB: split it"):
        read(f"a.{suffix}", bomb.getvalue())
    assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("suffix", MAIN_PARTS)
def test_a_locked_archive_is_encrypted(suffix: str) -> None:
    data = bytearray(small(suffix))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(signature)
        data[at + flags] |= 1
    with pytest.raises(UnreadableDocument, match="it is encrypted: save it without a password"):
        read(f"a.{suffix}", bytes(data))


def test_xml_that_is_nested_without_end_is_damage() -> None:
    nested = with_part(
        small("docx"),
        "word/document.xml",
        replaced("<w:p>", f"{'<w:sdt><w:sdtContent>' * 5_000}<w:p>"),
    )
    with pytest.raises(UnreadableDocument, match="it is damaged"):
        read("a.docx", nested)


@pytest.mark.parametrize("suffix", MAIN_PARTS)
def test_a_file_without_properties_is_read_and_no_date_is_made_up(suffix: str) -> None:
    unrelated = with_part(small(suffix), "_rels/.rels", replaced('<Relationship [^>]*core-properties"[^>]*/>', ""))
    document = read(f"a.{suffix}", unrelated)
    assert [block.text for block in document.blocks] == ["Some words."]
    assert (document.title, document.updated_at) == ("Some words." if suffix == "pptx" else "", None)

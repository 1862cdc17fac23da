"""PDF: pages, headings, paragraphs in reading order, and files that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document import Block, Document
from ingest.readers import read
from tests.ingest.pdfs import lines, pdf, spelled

FILES = Path(__file__).parent / "files" / "pdf"
MARGINS = "repeating page headers, footers and page numbers"


def of(data: bytes) -> Document:
    return read("a.pdf", data)


def said(document: Document) -> list[tuple[int | None, tuple[str, ...], str]]:
    return [(block.page, block.heading, block.text) for block in document.blocks]


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def test_a_browser_s_print_keeps_headings_pages_and_rows() -> None:
    document = of((FILES / "chromium.pdf").read_bytes())
    assert document.title == "Travel handbook"
    assert document.left_out == (MARGINS,)
    assert {block.page for block in document.blocks} == {1, 2, 3}
    assert list(dict.fromkeys(block.heading for block in document.blocks)) == [
        ("Travel handbook",),
        ("Travel handbook", "Booking"),
        ("Travel handbook", "Booking", "Night trains"),
        ("Travel handbook", "Hotels"),
        ("Travel handbook", "Meals"),
        ("Travel handbook", "Efficient offices"),
    ]
    assert document.blocks[0].text == (
        "The travel desk books every train. No flight is booked unless a manager asks for one, and nobody flies where "
        "a train takes less than six hours."
    )
    assert "City  Limit  Breakfast\nBremen  120 EUR  included\nBrno  80 EUR  extra" in texts(document)
    assert "fillable form, which is sufficient" in document.blocks[-1].text  # set with ligatures
    assert not any("Example Ltd" in text or "Page" in text or "not printed" in text for text in texts(document))


def test_words_that_run_from_right_to_left_are_read_so() -> None:
    """PDFium says most of those in the print of a browser from left to right."""
    assert said(of((FILES / "arabic.pdf").read_bytes())) == [
        (1, ("سياسة السفر",), "يحجز مكتب السفر كل القطارات، ولا تُحجَز رحلة جوية إلا بطلب من المدير."),
        (1, ("سياسة السفر", "הוצאות"), "כל עובד זכאי להחזר הוצאות."),
    ]


def test_columns_are_read_one_after_the_other_and_hyphens_are_mended() -> None:
    document = of((FILES / "columns.pdf").read_bytes())
    assert document.title == "Two columns"  # its own says columns.html
    assert [block.heading[-1] for block in document.blocks] == [
        *("Remuneration", "Remuneration", "Confidentiality", "Confidentiality", "Representation", "Representation")
    ]
    assert texts(document)[0] == (
        "Remuneration is reconsidered every September. Representatives of the administration recommend modifications, "
        "and the compensation committee considers recommendations individually. Extraordinary contributions are "
        "acknowledged independently of remuneration. Documentation of every consideration is confidential."
    )
    assert "twenty-eight days" in texts(document)[1]
    assert "Well-known figures" in texts(document)[3]


@pytest.mark.parametrize("name", ["libreoffice.pdf", "no_printing.pdf"])
def test_bookmarks_name_the_headings_where_type_does_not(name: str) -> None:
    document = of((FILES / name).read_bytes())
    assert [(block.page, block.heading) for block in document.blocks] == [
        (1, ("1 Findings",)),
        (1, ("1 Findings", "1.1 Passwords")),
        (2, ("2 Measures",)),
        (2, ("2 Measures", "2.1 Register")),
        (3, ("3 Outlook",)),
    ]
    assert (document.title, document.tags) == ("Security report", ("security", "audit"))
    assert document.updated_at
    assert document.left_out == (MARGINS,)
    assert "confidential" not in " ".join(texts(document))


PARAGRAPH = "The travel desk books every train and\nnobody flies where a train takes less\nthan six hours on its way."


def test_lines_become_paragraphs() -> None:
    document = of(pdf(lines(f"{PARAGRAPH}\n\n{PARAGRAPH}")))
    assert texts(document) == [PARAGRAPH.replace("\n", " ")] * 2
    assert document.blocks[0] == Block(PARAGRAPH.replace("\n", " "), page=1)


def test_items_of_a_list_stay_together() -> None:
    document = of(
        pdf(lines("Bring with you:\n• a passport that is valid for\nsix months\n• the tickets\n1. one\n2) two"))
    )
    assert texts(document) == [
        "Bring with you:",
        "• a passport that is valid for six months\n• the tickets\n1. one\n2) two",
    ]
    assert document.blocks[1].kind == "list"


def test_larger_type_makes_headings() -> None:
    page = [
        *lines("Guide to\nTravel", size=24),
        *lines(PARAGRAPH, top=650),
        *lines("Trains", top=550, size=16),
        *lines(PARAGRAPH, top=520),
    ]
    document = of(pdf(page, lines(PARAGRAPH)))
    assert [(block.page, block.heading) for block in document.blocks] == [
        (1, ("Guide to Travel",)),
        (1, ("Guide to Travel", "Trains")),
        (2, ("Guide to Travel", "Trains")),
    ]


def test_a_heading_with_nothing_under_it_is_text_on_its_page() -> None:
    document = of(
        pdf([*lines(PARAGRAPH), *lines("Annex", top=600, size=16)], [*lines("Other", size=16), *lines("a", top=700)])
    )
    assert said(document)[1:] == [(1, (), "Annex"), (2, ("Other",), "a")]


def test_large_type_everywhere_means_nothing() -> None:
    slide = [
        text for at, size in enumerate((36, 30, 24, 20)) for text in lines("large words", top=760 - 90 * at, size=size)
    ]
    document = of(pdf([*slide, *lines("more words, but small ones", top=300)]))
    assert all(block.heading == () for block in document.blocks)


def test_what_stands_above_comes_first_however_it_is_drawn() -> None:
    above, below = lines("First comes this.", top=700), lines("Then comes that.", top=600)
    side = lines("And in the margin this.", left=400, top=600)
    assert texts(of(pdf([*below, *above]))) == ["First comes this.", "Then comes that."]
    assert texts(of(pdf([*below, *side, *above])))[0] == "First comes this."


def test_a_run_of_lines_is_not_broken_by_what_is_drawn_before_it() -> None:
    left, right = lines("Name\nAddress", top=600), lines("Number", left=400, top=600)
    notice = [*lines("What is asked here is asked by law, and " * 3, top=660, size=8), *lines("kept.", top=640, size=8)]
    assert " ".join(texts(of(pdf([*left, *right, *notice])))).endswith("by law, and kept. Name Address Number")


def test_letters_drawn_one_by_one_are_a_line() -> None:
    letters = [(72 + 6.12 * at, 700, 11, letter) for at, letter in enumerate("abnopdqu")]
    assert texts(of(pdf(letters))) == ["abnopdqu"]


@pytest.mark.parametrize(
    ("start", "rest", "elsewhere", "joined"),
    [
        ("compen-", "sation", "compensation", "compensation"),
        ("well-", "known", "well-known", "well-known"),
        ("Anglo-", "American", "", "Anglo-American"),
        ("one-to-", "one", "", "one-to-one"),
        ("seldom-", "seen", "", "seldom-seen"),  # no other line ends so: this document does not hyphenate
        ("1990-", "1995", "", "1990- 1995"),
    ],
)
def test_a_hyphen_at_a_line_s_end_goes_if_the_document_writes_the_word_without(
    start: str, rest: str, elsewhere: str, joined: str
) -> None:
    filler = "\n".join(f"These are the words of line number {number}" for number in range(60))
    document = of(pdf(lines(f"{filler}\nand here comes the {start}\n{rest} that a line broke {elsewhere}", size=8)))
    assert f"and here comes the {joined} that a line broke" in texts(document)[-1]


def test_a_document_that_hyphenates_is_mended() -> None:
    words = ["infor-\nmation", "docu-\nmentation", "remu-\nneration", "adminis-\ntration"]
    document = of(pdf(lines("\n".join(f"this is about {word} in here" for word in words))))
    assert "-" not in texts(document)[0]
    assert "remuneration" in texts(document)[0]


@pytest.mark.parametrize(
    ("title", "taken"),
    [
        ("Travel policy", "Travel policy"),
        ("Microsoft Word - travel.docx", "Guide"),
        ("travel_v2.indd", "Guide"),
        ("Untitled document", "Guide"),
        ("Document1", "Guide"),
        ("  ", "Guide"),
    ],
)
def test_a_title_is_no_file_name(title: str, taken: str) -> None:
    data = pdf([*lines("Guide", size=24), *lines(PARAGRAPH, top=650)], about=f"/Title({title})")
    assert of(data).title == taken


def test_a_cover_is_the_title() -> None:
    cover = [*lines("Example Ltd", size=36), *lines("Travel policy", top=650, size=28)]
    assert of(pdf(cover, lines(PARAGRAPH), lines(PARAGRAPH))).title == "Example Ltd Travel policy"


def test_without_title_and_headings_there_is_none() -> None:
    assert of(pdf(lines(PARAGRAPH))).title == ""


def test_what_a_file_says_of_itself() -> None:
    document = of(pdf(lines("a"), about="/Keywords(travel; trains, travel)/ModDate(D:20240229101112+01'00')"))
    assert (document.tags, document.updated_at) == (("travel", "trains"), "2024-02-29")
    assert of(pdf(lines("a"), about="/ModDate(D:20230229)/Title(T)")).updated_at != "2023-02-29"


@pytest.mark.parametrize(("tag", "language"), [("", None), ("de-AT", "de"), ("fr" + "-x" * 40, None)])
def test_the_language_is_the_catalogue_s(tag: str, language: str | None) -> None:
    data = pdf(lines("a")).replace(b"/Type/Catalog", f"/Type/Catalog/Lang({tag})".encode())
    assert of(data).language == language


def test_characters_beyond_the_first_plane_are_text() -> None:
    data = spelled("Party A plan: B = 3, C end", {"A": "🎉", "B": "𝑥", "C": "𝐲𝐳"}, title="Party 🎉".encode("utf-16-be"))
    assert (of(data).title, texts(of(data))) == ("Party 🎉", ["Party 🎉 plan: 𝑥 = 3, 𝐲𝐳 end"])


def test_half_a_character_costs_the_title_at_most() -> None:
    data = spelled("Party A plan", {"A": "🎉"}, title="Party 🎉".encode("utf-16-be")[:-2])
    assert (of(data).title, texts(of(data))) == ("", ["Party 🎉 plan"])


WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "one-two", "12", "(x)", "é"]), min_size=1, max_size=8
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS.map(" ".join), min_size=1, max_size=12), min_size=1, max_size=3))
def test_every_word_is_in_some_block_in_order(pages: list[list[str]]) -> None:
    document = of(pdf(*(lines("\n".join(page)) for page in pages)))
    if document.left_out:
        return
    wanted = " ".join(line for page in pages for line in page).split()
    assert " ".join(texts(document)).split() == wanted

"""PDF: pages, headings, paragraphs in reading order, and files that can't be read."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from tests.ingest.pdfs import lines, pdf

FILES = Path(__file__).parent / "files" / "pdf"
MARGINS = "repeating page headers, footers and page numbers"
NO_TEXT = "it holds no text (scanned?): run text recognition (OCR) on it"
DAMAGED = "it is damaged, or no PDF: open it in a PDF viewer and save it again"


def of(data: bytes) -> Document:
    return read("a.pdf", data)


def said(document: Document) -> list[tuple[int | None, tuple[str, ...], str]]:
    return [(block.page, block.heading, block.text) for block in document.blocks]


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def refusal(data: bytes) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        of(data)
    return str(refused.value)


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


def test_a_scanned_page_is_told() -> None:
    assert refusal((FILES / "scanned.pdf").read_bytes()) == NO_TEXT
    document = of((FILES / "mixed.pdf").read_bytes())
    assert "1 page without text (scanned?)" in document.left_out
    assert "Three laptops had no disk encryption." in document.blocks[0].text


def test_an_encrypted_file_is_refused() -> None:
    assert refusal((FILES / "encrypted.pdf").read_bytes()) == "it is encrypted: save it without a password"


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n", b"no PDF at all", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<</Root 1 0 R>>"]
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    assert refusal(data) == DAMAGED


def test_a_file_that_is_cut_off_is_refused_or_read_as_far_as_it_goes() -> None:
    data = (FILES / "libreoffice.pdf").read_bytes()
    for size in range(100, len(data), len(data) // 20):
        with contextlib.suppress(UnreadableDocument):
            assert of(data[:size]).blocks


def test_pages_without_anything_are_refused() -> None:
    assert refusal(pdf([], [])) == "it is empty"
    assert refusal(b"") == "it is empty"


def test_a_page_whose_font_tells_no_letters_is_no_text() -> None:
    data = (FILES / "chromium.pdf").read_bytes()
    assert refusal(data.replace(b"/ToUnicode", b"/NoUnicode")) == NO_TEXT


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


def pages_with(*margins: str, count: int = 4) -> list[list[tuple[float, float, float, str]]]:
    return [
        [
            *lines(f"{PARAGRAPH}\n\nThis is said on page {'abcdefgh'[number]} alone.", top=700),
            *(
                text
                for at, margin in enumerate(margins)
                for text in lines(margin.format(number + 1), top=800 - 770 * at)
            ),
        ]
        for number in range(count)
    ]


@pytest.mark.parametrize(
    "margins", [("ACME handbook", ""), ("ACME, page {}", "{}"), ("", "{} / 40"), ("v2.0", "- {} -")]
)
def test_what_repeats_on_every_page_is_left_out(margins: tuple[str, ...]) -> None:
    document = of(pdf(*pages_with(*margins)))
    assert document.left_out == (MARGINS,)
    assert len(document.blocks) == 8
    assert all(text.startswith(("The travel", "This is said")) for text in texts(document))


def test_headers_of_left_and_right_pages_are_found() -> None:
    left, right = pages_with("ACME", count=6), pages_with("Handbook", count=6)
    document = of(pdf(*(page for pair in zip(left[::2], right[1::2], strict=True) for page in pair)))
    assert not {"ACME", "Handbook"} & set(" ".join(texts(document)).split())


def test_a_page_number_is_left_out_of_two_pages() -> None:
    assert of(pdf(*pages_with("", "{}", count=2))).left_out == (MARGINS,)


def test_numbers_that_do_not_count_pages_stay() -> None:
    pages = [[*lines(PARAGRAPH), *lines(str(number), top=60)] for number in (17, 4, 12)]
    assert texts(of(pdf(*pages)))[1::2] == ["17", "4", "12"]


def test_what_repeats_inside_pages_stays() -> None:
    page = lines("\n\n".join(["one", "two", "three", "Notice", "four", "five", "six"]))
    assert "Notice" in " ".join(texts(of(pdf(*([page] * 3)))))


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


def test_threads_may_read_at_once() -> None:
    data = (FILES / "chromium.pdf").read_bytes()
    results: list[Document] = []
    threads = [threading.Thread(target=lambda: results.append(of(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 33_000), st.binary(min_size=1, max_size=60))
def test_changed_bytes_are_read_or_refused(at: int, change: bytes) -> None:
    data = (FILES / "libreoffice.pdf").read_bytes()
    with contextlib.suppress(UnreadableDocument):
        of(data[:at] + change + data[at + len(change) :])


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

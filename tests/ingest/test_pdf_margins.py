"""Headers, footers and page numbers of a PDF are told from its text."""

from __future__ import annotations

import pytest

from ingest.document import Document
from ingest.readers import read
from tests.ingest.pdfs import lines, pdf

MARGINS = "repeating page headers, footers and page numbers"
PARAGRAPH = "The travel desk books every train and\nnobody flies where a train takes less\nthan six hours on its way."


def of(data: bytes) -> Document:
    return read("a.pdf", data)


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


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

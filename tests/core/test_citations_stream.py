from __future__ import annotations

import pytest

from app.core.citations import CitationFilter


def test_plain_text_leaves_at_once() -> None:
    citations = CitationFilter(3)
    pieces = ["The", " fee", " is ", "40", ", paid", " with", " https"]
    assert [citations.feed(piece) for piece in pieces] == ["The", " fee", " is", " 40", ", paid", " with", " https"]


@pytest.mark.parametrize(
    ("opening", "filler", "limit"),
    [
        ("`", "x", 512),
        ("[", "x", 64),
        ("【", "x", 64),
        ("[a](https://e.example/", "x", 2048),
        ("<a title='", "x", 2048),
    ],
)
def test_what_is_held_is_bounded(opening: str, filler: str, limit: int) -> None:
    citations = CitationFilter(3)
    held = len(opening) - len(citations.feed(opening))
    for _ in range(limit + 100):
        held += len(filler) - len(citations.feed(filler))
        assert held <= limit + 64
    assert held <= 64


UNITS = ["`", "[", "[9", "[9]", "]", "[[9]", "` `` ", "\\", "~", "> ", "- ", "1. ", "\n", "```\n", "<a b='\"", "<!--"]
UNITS += ["[a](", '](a "', "&", "(", "**[9]**", "www.", "【1,", "| a ", "Sources\n", "- [9]\n", "[a]: x y\n", "`a\n"]


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length_of_the_input(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    citations = CitationFilter(3)
    for at in range(0, len(text), 1000):
        citations.feed(text[at : at + 1000])
    citations.flush()

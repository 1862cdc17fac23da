"""When text leaves, how much of it is held, and what that costs."""

from __future__ import annotations

import time

import pytest

from app.core.citations import CitationFilter


def test_plain_text_leaves_at_once() -> None:
    citations = CitationFilter(3)
    pieces = ["The", " fee", " is ", "40", ", paid", " with", " https"]
    assert [citations.feed(piece) for piece in pieces] == ["The", " fee", " is", " 40", ", paid", " with", " https"]


@pytest.mark.parametrize(
    ("pieces", "leave"),
    [
        (["a [", "1", "]", " b"], ["a", "", "", " [1] b"]),
        (["a [see", " b", "]", " c"], ["a", "", "", " [see b] c"]),
        (["a `x", "[9]", "` b"], ["a", "", " `x[9]` b"]),
        (["a <b", ">c"], ["a", " <b>c"]),
        (["a < ", "b"], ["a <", " b"]),
        (["a & b", " c"], ["a & b", " c"]),
        (["5 * 3 = ", "15"], ["5 * 3 =", " 15"]),
        (["1.5, 2", ".5 ", "3.5"], ["1.5, 2", ".5", " 3.5"]),
    ],
)
def test_text_leaves_as_soon_as_it_is_decided(pieces: list[str], leave: list[str]) -> None:
    citations = CitationFilter(3)
    assert [citations.feed(piece) for piece in pieces] == leave


@pytest.mark.parametrize(
    ("opening", "filler", "limit"),
    [
        ("`", "x", 512),
        ("[", "x", 64),
        ("【", "x", 64),
        ("[a](https://e.example/", "x", 2048),
        ("<a title='", "x", 2048),
        ("```", "x", 512),
        ("[a]: ", " ", 2048),
    ],
)
def test_what_is_held_is_bounded(opening: str, filler: str, limit: int) -> None:
    citations = CitationFilter(3)
    held = len(opening) - len(citations.feed(opening))
    for _ in range(limit + 100):
        held += len(filler) - len(citations.feed(filler))
        assert held <= limit + 64
    assert held <= 64


@pytest.mark.parametrize(
    ("written", "leaves"),
    [
        ("[" + "1, " * 20 + "2]", "[1][2]"),
        ("[" + "1, " * 21 + "2]", "[1]"),
        ("[1, 2, " + "9, " * 40 + "3] a", "[1][2] a"),
        ("[1, " + "9, " * 40 + "a]", "[1]a]"),
        ("[1, " + "9, " * 40, "[1]"),
        ("a [" + "9" * 62 + "] b", "a b"),
        ("a [" + "9" * 64 + "] b", "a b"),
        ("a [" + "9" * 5000, "a"),
        ("a [" + "9" * 100 + "](https://evil.example) b", "a b"),
        ("a [" + "x" * 62 + "](u)", "a [" + "x" * 62 + "](u)"),
    ],
)
def test_a_marker_too_long_to_be_held_is_cut_short(written: str, leaves: str) -> None:
    for pieces in ([written], list(written)):
        citations = CitationFilter(3)
        assert "".join([citations.feed(piece) for piece in pieces]) + citations.flush() == leaves


def test_a_target_too_long_to_be_held_is_not_live() -> None:
    citations = CitationFilter(3)
    written = "[a](https://evil.example/" + "x" * 3000 + ")"
    output = citations.feed(written) + citations.flush()
    assert output.startswith(r"[a]\(https evil.example/x")


UNITS = [
    "`",
    "[",
    "[9",
    "[9]",
    "]",
    "[[9]",
    "` `` ",
    "\\",
    "~",
    "> ",
    "- ",
    "1. ",
    "\n",
    "```\n",
    "<",
    "<a b='\"",
    "<!--",
]
UNITS += [
    "[a](",
    '](a "',
    "&",
    "&#",
    "(",
    "*",
    "**[9]**",
    "www.",
    "http://",
    "【1,",
    "| a ",
    "Sources\n",
    "- [9]\n",
    "\ue200",
]
UNITS += ["[a]: x y\n", "`a\n", "<sup>", "![", "\"'", "[x](y '", "[1", "\u200b", "a"]
FACTOR = 4


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length_of_the_input(unit: str) -> None:
    def seconds(length: int) -> float:
        began = time.process_time()
        citations = CitationFilter(3)
        text = unit * (length // len(unit))
        for at in range(0, length, 40):
            citations.feed(text[at : at + 40])
        citations.flush()
        return time.process_time() - began

    few = max(min(seconds(5_000), seconds(5_000)), 0.01)
    assert min(seconds(5_000 * FACTOR), seconds(5_000 * FACTOR)) < 2.5 * FACTOR * few

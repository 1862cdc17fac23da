from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.question import BadQuestion, normalise


@pytest.mark.parametrize(
    ("asked", "normal"),
    [
        ("  What  is\t\n this? ", "What is this?"),
        ("Cafe\u0301?", "Café?"),
        ("a\u00a0b\u3000c", "a b c"),
        ("x" * 2_000, "x" * 2_000),
        (" " * 5_000 + "x", "x"),
    ],
)
def test_a_question_is_composed_trimmed_and_folded(asked: str, normal: str) -> None:
    assert normalise(asked) == normal


@pytest.mark.parametrize("asked", ["", "  \n", "x" * 2_001, "a\0b", "a\ud800b"])
def test_a_question_that_cannot_be_asked_says_why(asked: str) -> None:
    with pytest.raises(BadQuestion, match=r"empty|2001 characters|null|surrogate"):
        normalise(asked)


@given(st.text(min_size=1, max_size=200))
def test_normalising_twice_changes_nothing_more(asked: str) -> None:
    try:
        once = normalise(asked)
    except BadQuestion:
        return
    assert normalise(once) == once == unicodedata.normalize("NFC", once)

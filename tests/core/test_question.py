from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.question import BadQuestion, asking, normalise


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


CHATTER = "We met on Tuesday and spoke of many things. " * 30


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("We met. How many days do I get?", "We met. How many days do I get?"),
        (f"How many days do I get? {CHATTER}", "How many days do I get?"),
        (f"{CHATTER}How many days? {CHATTER}And when?", "How many days? And when?"),
        ("我们在星期二见面，谈了很多事情。" * 30 + "我有多少天假期？", "我有多少天假期？"),
    ],
)
def test_a_long_question_is_what_it_asks(question: str, asked: str) -> None:
    assert asking(question) == asked


@given(st.lists(st.sampled_from(["What?", "Yes.", "no", "Is it so? ", "？", "x" * 300]), min_size=1).map(" ".join))
def test_for_every_question_something_is_asked_and_all_of_it_was_said(question: str) -> None:
    asked = asking(question)
    assert asked
    assert set(asked.split()) <= set(question.split())

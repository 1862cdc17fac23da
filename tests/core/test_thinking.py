from __future__ import annotations

import itertools
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.thinking import CLOSE, OPEN, ThinkingFilter

FRAGMENTS = ["<think>", "</think>", "<", "th", "think>", "/", " ", "\n", "\u00a0", "a", "é", "[1]", "<b>", "</"]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


def read(*pieces: str) -> str:
    thinking = ThinkingFilter()
    return "".join([thinking.feed(piece) for piece in pieces] + [thinking.flush()])


def plainly(text: str) -> str:
    """The same rule over a whole text, as one expression."""
    return re.sub(r"\A\s*<think>.*?(</think>\s*|\Z)", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>Let me see.</think>Six weeks [1].", "Six weeks [1]."),
        ("\n <think>\nHm.\n</think>\n\n Six weeks.\n", "Six weeks.\n"),
        ("<think></think>Yes", "Yes"),
        ("<think>a <think> b</think>c</think>d", "c</think>d"),
        ("<think>1 < 2 and </thin is not the end</think>Yes", "Yes"),
        ("<think>never closed", ""),
        ("<think>never closed</thin", ""),
        ("<think>all there is</think>  ", ""),
        ("Use <think>x</think> for it.", "Use <think>x</think> for it."),
        ("<think>a</think>b<think>c</think>", "b<think>c</think>"),
        ("<thinking>a</thinking>b", "<thinking>a</thinking>b"),
        ("<Think>a</Think>b", "<Think>a</Think>b"),
        ("< think>a", "< think>a"),
        ("  <thin", "  <thin"),
        (" \n", " \n"),
        ("", ""),
    ],
)
def test_a_leading_thought_is_no_part_of_the_answer(text: str, answer: str) -> None:
    assert read(text) == answer
    assert read(*text) == answer


@given(TEXTS, st.lists(st.integers(0, 40)))
@example("<think>a</think> b", [3, 9, 16])
def test_no_split_changes_the_answer(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(edges)]
    assert read(*pieces) == plainly(text)


@given(TEXTS)
def test_text_is_held_only_while_it_may_still_be_the_tag(text: str) -> None:
    thinking, shown = ThinkingFilter(), ""
    for end, character in enumerate(text, start=1):
        shown += thinking.feed(character)
        undecided = OPEN.startswith(text[:end].lstrip())
        assert shown == ("" if undecided else plainly(text[:end]))


def test_a_long_thought_in_single_characters_takes_linear_time() -> None:
    def seconds(length: int) -> float:
        started = time.perf_counter()
        assert read(*(" " * length + OPEN + "<" * length + CLOSE + " " * length), "Yes") == "Yes"
        return time.perf_counter() - started

    seconds(1_000)
    assert seconds(160_000) < 60 * max(seconds(10_000), 0.02)


def test_a_thought_is_forgotten_as_it_passes() -> None:
    thinking = ThinkingFilter()
    thinking.feed(OPEN)
    for _ in range(100):
        assert thinking.feed("hm " * 1_000) == ""
    assert len(thinking._tag) < len(CLOSE)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.abstention import AbstentionHold, is_abstention
from tests.splits import splits_of

ABSTENTIONS = [
    "",
    " \n",
    "NOT_FOUND",
    "NOT_FOUND.",
    '"NOT_FOUND"',
    "“NOT_FOUND.”",
    "'NOT_FOUND'.\n",
    "`NOT_FOUND`",
    '""',
]
ANSWERS = ["NOT_FOUND is a code [1].", "NOT_FOUNDED", "NOT FOUND", "not_found", "No.", "NOT_FOUND..", "28 [1]"]


def shown(parts: list[str]) -> tuple[str, bool]:
    hold = AbstentionHold()
    text = "".join(hold.feed(part) for part in parts)
    return text + hold.flush(), hold.abstained


@pytest.mark.parametrize("text", ABSTENTIONS)
def test_an_abstention_is_never_shown(text: str) -> None:
    assert is_abstention(text)
    assert shown(list(text)) == ("", True)


@pytest.mark.parametrize("text", ANSWERS)
def test_anything_else_is_shown_whole(text: str) -> None:
    assert not is_abstention(text)
    assert shown(list(text)) == (text, False)


def test_text_that_can_no_longer_be_an_abstention_is_not_held() -> None:
    hold = AbstentionHold()
    assert hold.feed("NOT_") == ""
    assert hold.feed("E") == "NOT_E"
    assert hold.feed("NOT_FOUND") == "NOT_FOUND"


@given(text=st.text("NOT_FUD.\"' \na", max_size=30), data=st.data())
def test_what_is_shown_does_not_depend_on_the_split(text: str, data: st.DataObject) -> None:
    assert shown(data.draw(splits_of(text))) == shown([text])


@given(st.text(max_size=40))
def test_every_text_is_an_abstention_or_shown_but_for_leading_white_space(text: str) -> None:
    visible, abstained = shown([text])
    assert visible == ("" if abstained else text.lstrip())


def test_endless_white_space_and_quotes_cost_linear_time() -> None:
    hold = AbstentionHold()
    for character in ' "`' * 100_000:
        assert hold.feed(character) == ""
    assert hold.feed("x").endswith("x")

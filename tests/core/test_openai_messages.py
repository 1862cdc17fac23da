"""Which question a conversation asks, and what it may follow up on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.openai_messages import AnswerId, ChatMessage, Conversation, Part, fault, read
from app.core.question import BadQuestion, normalise


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def answer(text: str = "Because [1].", id: str | None = None) -> ChatMessage:
    return ChatMessage("assistant", text, AnswerId(id) if id else None)


def test_the_last_message_of_the_user_is_the_question_whatever_follows() -> None:
    asked = read([user("First one here?"), answer(), user("  Second \n one? "), answer("Well,")])
    assert (asked.question, asked.earlier) == ("Second one?", ("First one here?",))


def test_earlier_questions_are_chained_as_kept_ones_would_be() -> None:
    leave = "How many days of annual leave does an employee get in a year?"
    asked = read([user(leave), answer(), user("And in Spain?"), answer(), user("Why?")])
    assert asked.searched == f"And in Spain? {leave}"
    alone = read([user(leave), answer(), user("When are the reports of expenses due at the latest?"), user("Why?")])
    assert alone.searched == "When are the reports of expenses due at the latest?"
    assert read([user(leave)]).searched is None


def test_earlier_messages_that_are_no_question_of_their_own_do_not_count() -> None:
    asked = read([user("Leave?"), answer(), user("Repeat that"), user(" "), user("x" * 3_000), user("Why?")])
    assert asked.earlier == ("Leave?",)


def test_a_long_conversation_is_remembered_by_its_newest_questions() -> None:
    asked = read([*(user(f"Question {number}?") for number in range(100)), user("Why?")])
    assert asked.earlier[-1] == "Question 99?"
    assert len(asked.earlier) == 20


def test_only_the_newest_answer_can_be_named() -> None:
    assert read([user("A?"), answer(id="1"), user("B?"), answer(id="2"), user("C?")]).previous == "2"
    assert read([user("A?"), answer(id="1"), user("B?"), answer(), user("C?")]).previous is None
    assert read([user("A?"), answer(id="1")]).previous is None  # it comes after the question


def test_a_question_about_the_answer_falls_back_on_the_one_before_it() -> None:
    asked = read([user("Leave?"), user("And in Spain?"), answer(), user("Repeat that")])
    assert asked.about is not None
    assert asked.asked_again() == Conversation("And in Spain?", ("Leave?",))
    nothing_before = read([user("Repeat that")])
    assert nothing_before.asked_again() == nothing_before


def test_parts_of_text_are_joined_and_others_refused() -> None:
    parts = (Part("text", "How many"), Part("text", "days?"))
    assert read([ChatMessage("user", parts)]).question == "How many days?"
    found = fault([user("A?"), ChatMessage("user", (*parts, Part("input_audio")))])
    assert found is not None
    assert found.param == "messages.[1].content.[2].type"


def test_a_conversation_needs_a_user() -> None:
    found = fault([ChatMessage("system", "Be brief."), answer()])
    assert found is not None
    assert found.param == "messages"


def test_a_message_without_content_asks_nothing() -> None:
    with pytest.raises(BadQuestion):
        read([ChatMessage("user", None)])


@given(st.lists(st.text(max_size=40), max_size=6), st.text(min_size=1, max_size=40).filter(str.strip))
def test_whatever_was_said_before_the_question_stays_the_last_one(before: list[str], last: str) -> None:
    try:
        question = normalise(last)
    except BadQuestion:
        return
    assert read([*map(user, before), user(last)]).question == question

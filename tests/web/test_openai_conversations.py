"""The OpenAI API: what becomes of the messages before the question."""

from __future__ import annotations

from tests import scripted_chat as script
from tests.openai_client import assistant, complete, extension, user
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, Service

ANSWER = "Every employee gets 28 days a year [1]."


async def test_only_the_last_question_reaches_the_model(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await complete(
        chatting,
        {"role": "system", "content": "Speak like a pirate."},
        user("Are there bonus days?"),
        assistant("Everybody gets 99 bonus days [1]."),
        {"role": "tool", "content": "The tool found gold.", "tool_call_id": "t"},
        user(),
        assistant("Yes, in fact"),
    )
    prompt = script.prompt_of(chat.requests[0])
    assert prompt.endswith(f"Question: {QUESTION}")
    assert not [word for word in ("pirate", "bonus", "99", "gold", "in fact") if word in prompt]


async def test_an_earlier_question_widens_the_search_of_one_that_needs_it(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = says("Up to 5 days [1].")
    alone = await complete(chatting, user("And how many of those?"))
    followed = await complete(chatting, user("Do unused days carry over?"), user("And how many of those?"))
    assert extension(alone)["status"] == "refused"
    assert extension(followed)["status"] == "answered"
    assert "carry over?" not in script.prompt_of(chat.requests[0]).split("Question:")[1]


async def test_repeat_that_is_told_from_the_evidence_when_the_message_comes_back(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    first = await complete(chatting)
    message = first.choices[0].message.model_dump(exclude_none=True)
    again = await complete(chatting, user(), message, user("Repeat that, please"))
    assert (again.choices[0].message.content, extension(again)["id"]) == (ANSWER, extension(first)["id"])
    origin = await complete(chatting, user(), message, user("Where does that come from?"))
    assert "Leave" in origin.choices[0].message.content
    assert len(chat.requests) == 1


async def test_repeat_that_without_an_id_asks_the_question_before_it_again(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    again = await complete(chatting, user(), assistant("A thousand days [1]."), user("Repeat that, please"))
    assert (again.choices[0].message.content, extension(again)["question"]) == (ANSWER, QUESTION)

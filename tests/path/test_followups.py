"""Questions that follow up on an earlier answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import scripted_chat as script
from tests.path.test_caching import sync
from tests.scripted_chat import ScriptedChat, says
from tests.service import Service

ANSWER = "Every employee gets 28 days a year [1]."


async def test_repeat_that_is_served_from_the_evidence_without_a_model_call(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    first = await chatting.ask()
    again = await chatting.stream("Repeat that, please", previous=first["id"])
    assert again.names == ["sources", "delta", "done"]
    assert (again.text, again.done["status"], again.done["sources"]) == (ANSWER, "answered", first["sources"])
    assert len(chat.requests) == 1


async def test_where_does_that_come_from_names_the_cited_documents(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    first = await chatting.ask()
    origin = await chatting.ask("Where does that come from?", previous=first["id"])
    assert (origin["status"], origin["cited"]) == ("answered", [1])
    assert "Leave" in origin["answer"]
    assert len(chat.requests) == 1


async def test_an_earlier_question_only_widens_the_search(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    first = await chatting.ask("How many days of annual leave does an employee get?")
    assert (await chatting.ask("And how many carry over?"))["status"] in ("answered", "refused")
    chat.requests.clear()
    chat.reply = says("Up to 5 days [1].")
    followed = await chatting.ask("And how many of them carry over?", previous=first["id"])
    assert followed["status"] == "answered"
    prompt = script.prompt_of(chat.requests[0])
    assert "does an employee get" not in prompt  # neither the earlier question nor its answer is shown to the model
    assert "28 days a year" not in prompt.split("Question:")[1]


async def test_an_unknown_answer_cannot_be_repeated(chatting: Service, chat: ScriptedChat) -> None:
    reply = await chatting.http.post("/v1/answers", json={"question": "Repeat that", "previous": "0" * 32})
    assert (reply.status_code, reply.json()["type"]) == (404, "/problems/unknown-answer")
    chat.reply = says(ANSWER)
    question = "How many days of annual leave does an employee get?"
    assert (await chatting.ask(question, previous="0" * 32))["status"] == "answered"


@pytest.mark.parametrize("question", ["Repeat that", "Where does that come from?"])
async def test_what_may_no_longer_be_seen_is_not_repeated(
    chatting: Service, chat: ScriptedChat, tmp_path: Path, question: str
) -> None:
    chat.reply = says(ANSWER)
    first = await chatting.ask(filter={"source_prefix": "leave.md"})
    leave = tmp_path / "corpus" / "leave.md"
    leave.write_text("---\naccess: [hr]\n---\n" + leave.read_text(encoding="utf-8"), encoding="utf-8")
    await sync(chatting)
    again = await chatting.ask(question, previous=first["id"])
    assert (again["status"], again["answer"], again["sources"]) == ("refused", None, [])

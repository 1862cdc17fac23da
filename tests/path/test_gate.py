"""The gate on the whole path: what it lets through, what it refuses, and what it tells of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests.callers import as_caller, write_keys
from tests.scripted_chat import ScriptedChat, says
from tests.service import CORPUS, QUESTION, ingest, running, settings_for, write_corpus

NEAR_MISS = "How many days of annual leave does an employee get in Lisbon?"
STRICT = 0.95
"""A bar that NEAR_MISS does not reach, and hardly any question does."""


def settings_with_bar(folder: Path, chat: ScriptedChat, bar: float) -> Settings:
    return settings_for(folder, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", ANSWERABILITY_THRESHOLD=bar)


async def test_a_question_below_the_bar_costs_no_model_call_and_says_why(
    indexed: Settings, tmp_path: Path, chat: ScriptedChat
) -> None:
    async with running(settings_with_bar(tmp_path, chat, STRICT)) as service:
        streamed = await service.stream(NEAR_MISS)
        searched = (await service.http.get("/v1/search", params={"q": NEAR_MISS})).json()
    seen = streamed.done["relevance"]
    assert (streamed.names, streamed.done["status"], streamed.done["reason"]) == (
        ["done"],
        "refused",
        "below_threshold",
    )
    assert seen["best"] >= seen["threshold"]
    assert 0 < seen["answerability"] < seen["answerability_threshold"] == STRICT
    assert any("Lisbon" in words for words in seen["evidence"]["against"])
    assert seen["evidence"]["for"]
    assert (searched["would_answer"], searched["reason"], searched["relevance"]) == (False, "below_threshold", seen)
    assert chat.requests == []


async def test_without_a_bar_only_the_cosine_counts(indexed: Settings, tmp_path: Path, chat: ScriptedChat) -> None:
    chat.reply = says("28 days [1].")
    async with running(settings_with_bar(tmp_path, chat, 0)) as service:
        seen = (await service.ask(NEAR_MISS))["relevance"]
    assert seen["best"] >= seen["threshold"] == 0.4
    assert (seen["answerability"], seen["answerability_threshold"], seen["evidence"]) == (None, None, None)
    assert len(chat.requests) == 1


async def test_lists_and_advice_go_by_the_cosine_alone(indexed: Settings, tmp_path: Path, chat: ScriptedChat) -> None:
    chat.reply = says("Read this [1].")
    async with running(settings_with_bar(tmp_path, chat, STRICT)) as service:
        listed = await service.ask("Which documents are there about annual leave?", intent="catalogue")
        advised = await service.ask("What should I read about annual leave?", intent="recommend")
    assert (listed["status"], advised["status"]) == ("answered", "answered")
    assert listed["relevance"]["threshold"] == advised["relevance"]["threshold"] == 0.4
    assert advised["relevance"]["answerability"] is None


async def test_an_answer_under_another_bar_is_not_replayed(
    indexed: Settings, tmp_path: Path, chat: ScriptedChat, redis: Any
) -> None:
    chat.reply = says("28 days [1].")
    for bar in (0.01, 0.02, 0.02):
        settings = settings_for(
            tmp_path,
            CHAT_BASE_URL=chat.base_url,
            CHAT_MODEL="scripted",
            ANSWERABILITY_THRESHOLD=bar,
            REDIS_URL=redis.url,
        )
        async with running(settings) as service:
            assert (await service.ask(QUESTION))["status"] == "answered"
    assert len(chat.requests) == 2


@pytest.mark.parametrize(("code", "status"), [("QX-77", "answered"), ("QX-78", "refused")])
async def test_a_passage_with_the_identifier_is_accepted_below_the_threshold(
    tmp_path: Path, chat: ScriptedChat, code: str, status: str
) -> None:
    settings = settings_for(
        tmp_path,
        CHAT_BASE_URL=chat.base_url,
        CHAT_MODEL="scripted",
        RELEVANCE_THRESHOLD=0.9,
        ANSWERABILITY_THRESHOLD=0.02,
    )
    write_corpus(tmp_path, {**CORPUS, "valves.md": "# Valves\n\nTurn QX-77 to the left, then wait.\n"})
    await ingest(settings)
    chat.reply = says("To the left [1].")
    async with running(settings) as service:
        reply = await service.ask(f"Which way do I have to turn {code}?")
    assert reply["status"] == status
    assert len(chat.requests) == (status == "answered")
    if status == "answered":
        assert [source["document_id"] for source in reply["sources"]] == ["valves.md"]
        assert reply["relevance"]["best"] < reply["relevance"]["threshold"]


async def test_what_a_caller_may_not_see_bears_on_nothing_that_it_is_told(tmp_path: Path) -> None:
    """The same reply with a hidden document that answers as without it."""
    question = "How much is the severance for Lisbon, and who is Project Heron?"
    secret = "---\naccess: [board]\n---\n# Severance\n\nProject Heron: the severance for Lisbon is 12 months.\n"
    seen = []
    for name, documents in (("with", {**CORPUS, "secret.md": secret}), ("without", CORPUS)):
        folder = tmp_path / name
        write_corpus(folder, documents)
        settings = settings_for(folder, API_KEYS_FILE=write_keys(folder), ANSWERABILITY_THRESHOLD=STRICT)
        await ingest(settings)
        async with running(settings) as service:
            reply = await service.http.post("/v1/answers", json={"question": question}, headers=as_caller("wiki"))
            told = reply.json()
            seen.append((told["status"], told["reason"], told["relevance"]))
    assert seen[0] == seen[1]
    assert any("Heron" in words for words in seen[0][2]["evidence"]["against"])

"""Structured and validated answers, from the HTTP request to the reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import scripted_chat as script
from tests.scripted_chat import ScriptedChat, says
from tests.service import Service

QUOTE = "Every employee gets 28 days of annual leave a year."


def structured(answer: str, *citations: tuple[int, str], confidence: str = "high") -> script.Reply:
    quotes = [{"source": source, "quote": quote} for source, quote in citations]
    return says(*script.pieces(json.dumps({"answer": answer, "citations": quotes, "confidence": confidence}), 7))


async def test_a_structured_answer_carries_quotes_that_stand_in_their_sources(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = structured("28 days a year [1]. Or 30 [9].", (1, QUOTE), (1, "Everyone gets 30 days."), (9, QUOTE))
    reply = await chatting.ask(mode="structured")
    assert (reply["status"], reply["answer"], reply["dropped"]) == ("answered", "28 days a year [1]. Or 30.", ["[9]"])
    (citation,) = reply["citations"]
    source = reply["sources"][0]["text"]
    assert source[citation["start"] : citation["end"]] == citation["quote"] == QUOTE
    assert [(quote["source"], quote["reason"]) for quote in reply["rejected_quotes"]] == [
        (1, "not_in_source"),
        (9, "unknown_source"),
    ]
    assert (reply["confidence"], reply["claimed_confidence"]) == ("medium", "high")
    assert chat.requests[0]["response_format"]["type"] == "json_schema"


async def test_a_streamed_a_replayed_and_a_json_structured_answer_are_the_same(
    chatting: Service, chat: ScriptedChat
) -> None:
    chat.reply = structured("28 days a year [1].", (1, QUOTE))
    stream = await chatting.stream(mode="structured")
    replayed = await chatting.ask(mode="structured")
    assert len(chat.requests) == 1
    assert stream.text == stream.done["answer"] == replayed["answer"]
    for name in ("citations", "rejected_quotes", "confidence", "claimed_confidence", "cited"):
        assert stream.done[name] == replayed[name]


@pytest.mark.parametrize("text", ['{"answer": "28 days [1]', "28 days [1]", '{"answer": 28, "citations": []}'])
async def test_json_that_cannot_be_read_is_failed_and_counted(chatting: Service, chat: ScriptedChat, text: str) -> None:
    chat.reply = says(text)
    reply = await chatting.ask(mode="structured")
    assert (reply["status"], reply["reason"], reply["answer"]) == ("failed", "provider_protocol", None)
    assert "citations" not in reply
    assert "vouch_structured_parse_failures_total{" in (await chatting.http.get("/metrics")).text


async def test_without_a_model_structured_answers_quote_too(service: Service) -> None:
    reply = await service.ask(mode="structured")
    assert (reply["status"], reply["confidence"]) == ("answered", "high")
    assert reply["citations"]


async def test_a_plain_answer_has_no_field_of_another_mode(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says("28 days a year [1].")
    plain = {"citations", "rejected_quotes", "confidence", "claimed_confidence", "fallback"}
    assert not plain & (await chatting.ask()).keys()


FAULTY = "```\ndays: 28\n\nTwenty-eight days [1]."
WHOLE = "Twenty-eight days [1]."


async def test_a_faulty_text_is_written_again_with_the_fault_named(chatting: Service, chat: ScriptedChat) -> None:
    chat.script(says(FAULTY), says(WHOLE))
    reply = await chatting.ask(mode="validated")
    assert (reply["status"], reply["answer"], reply["fallback"]) == ("answered", WHOLE, False)
    assert len(chat.requests) == 2
    assert "fence" in chat.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("second", [says(FAULTY), script.status(500)], ids=["faulty", "error"])
async def test_after_a_second_fault_the_extractive_answer_stands_in_and_says_so(
    chatting: Service, chat: ScriptedChat, second: script.Reply
) -> None:
    chat.script(says(FAULTY), second)
    reply = await chatting.ask(mode="validated")
    assert (reply["status"], reply["fallback"], reply["model"]) == ("answered", True, "extractive-3")
    assert "28 days" in reply["answer"]


async def test_a_first_call_that_fails_is_failed(chatting: Service, chat: ScriptedChat) -> None:
    chat.script(script.status(500))
    reply = await chatting.ask(mode="validated")
    assert (reply["status"], reply["reason"]) == ("failed", "provider_error")


async def test_each_mode_has_its_own_place_in_the_cache(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(WHOLE)
    replies: list[dict[str, Any]] = [await chatting.ask(mode=mode) for mode in ("text", "validated", "text")]
    assert [reply["cached"] for reply in replies] == [False, False, True]

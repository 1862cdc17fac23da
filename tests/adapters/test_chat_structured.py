"""Whole replies and structured answers of the chat answerer, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from app.adapters.chat import MAX_COMPLETION, ChatAnswerer, connect
from app.core import prompt
from app.core.structured import SCHEMA, ClaimedQuote, Draft, StructuredFault
from app.errors import AnswererFailed
from app.ports import Completer
from tests.raw_http import Stall
from tests.scripted_chat import SECRET, Reply, ScriptedChat, pieces, says, stalls, status, writes

MESSAGES = prompt.build_structured("How long?", [])
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
NAMES_FORMAT = b'{"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}'
SOON_S = 5.0


@pytest.fixture
async def answerer(chat: ScriptedChat) -> AsyncIterator[ChatAnswerer]:
    async with connect(20) as client:
        yield asking(chat, client)


def asking(chat: ScriptedChat, client: httpx.AsyncClient, deadline_s: float = 20) -> ChatAnswerer:
    return ChatAnswerer(client, base_url=chat.base_url, model="small", api_key="", deadline_s=deadline_s)


def refuses_format(refusal: Reply, otherwise: Reply) -> Reply:
    return lambda body: (refusal if "response_format" in body else otherwise)(body)


async def failure(answerer: ChatAnswerer, **options: float) -> AnswererFailed:
    with pytest.raises(AnswererFailed) as failed:
        async with asyncio.timeout(SOON_S):
            await answerer.complete(MESSAGES, schema=SCHEMA, **options)
    assert SECRET not in str(failed.value)
    return failed.value


def test_the_chat_answerer_is_a_completer(answerer: ChatAnswerer) -> None:
    assert isinstance(answerer, Completer)


async def test_a_completion_is_the_whole_reply_without_thoughts(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = says("<think>Hm.", "</think>", *pieces("Six weeks – [1].", 3))
    assert await answerer.complete(MESSAGES) == "Six weeks – [1]."
    assert chat.requests == [{"model": "small", "messages": MESSAGES, "stream": True}]


async def test_a_schema_is_asked_for_strictly(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = says("{}")
    assert await answerer.complete(MESSAGES, schema=SCHEMA) == "{}"
    assert chat.requests == [{"model": "small", "messages": MESSAGES, "stream": True, "response_format": FORMAT}]


@pytest.mark.parametrize(
    "refusal", [status(400), status(400, b""), status(400, NAMES_FORMAT), status(422, NAMES_FORMAT)]
)
async def test_an_endpoint_that_refuses_the_format_is_told_the_schema_from_then_on(
    chat: ScriptedChat, answerer: ChatAnswerer, refusal: Reply
) -> None:
    chat.reply = refuses_format(refusal, says("{}"))
    assert await answerer.complete(MESSAGES, schema=SCHEMA) == "{}"
    assert await answerer.complete(MESSAGES, schema=SCHEMA) == "{}"
    assert ["response_format" in request for request in chat.requests] == [True, False, False]
    told = prompt.with_schema(MESSAGES, SCHEMA)
    assert chat.requests[1] == chat.requests[2] == {"model": "small", "messages": told, "stream": True}


@pytest.mark.parametrize("refusal", [status(400), status(422, NAMES_FORMAT)])
async def test_a_refusal_that_had_another_cause_is_not_remembered(
    chat: ScriptedChat, answerer: ChatAnswerer, refusal: Reply
) -> None:
    chat.script(refusal, status(400))
    assert (await failure(answerer)).reason == "provider_error"
    assert len(chat.requests) == 2
    chat.reply = says("{}")
    await answerer.complete(MESSAGES, schema=SCHEMA)
    assert "response_format" in chat.requests[2]


@pytest.mark.parametrize("code", [401, 404, 413, 422, 429, 500])
async def test_another_error_is_not_asked_again(chat: ScriptedChat, answerer: ChatAnswerer, code: int) -> None:
    chat.reply = status(code)
    assert (await failure(answerer)).reason == "provider_error"
    assert len(chat.requests) == 1


async def test_without_a_schema_nothing_is_asked_again(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = status(400)
    with pytest.raises(AnswererFailed):
        await answerer.complete(MESSAGES)
    assert len(chat.requests) == 1


async def test_both_attempts_share_one_deadline(chat: ScriptedChat) -> None:
    first, second = Stall(), Stall()
    chat.script(lambda body: [first, *status(400)(body)], says("{", second))
    loop = asyncio.get_running_loop()
    async with connect(20) as client:
        started = loop.time()
        loop.call_later(0.7, first.released.set)
        assert (await failure(asking(chat, client, deadline_s=1))).reason == "provider_timeout"
    assert 0.9 < loop.time() - started < 1.5
    assert second.reached.is_set()


async def test_a_caller_may_set_the_deadline_of_several_completions(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    now = asyncio.get_running_loop().time
    assert 19 < answerer.deadline() - now() <= 20
    until = now() + 0.4
    chat.script(says("{}"), stalls(Stall()))
    assert await answerer.complete(MESSAGES, schema=SCHEMA, until=until) == "{}"
    assert (await failure(answerer, until=until)).reason == "provider_timeout"
    assert now() - until < 0.4


async def test_after_the_deadline_nothing_is_waited_for(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = stalls(Stall())
    now = asyncio.get_running_loop().time
    assert (await failure(answerer, until=now() - 1)).reason == "provider_timeout"


async def test_a_refusal_whose_body_never_comes_ends_with_the_deadline(
    chat: ScriptedChat, answerer: ChatAnswerer
) -> None:
    stall = Stall()
    chat.reply = lambda body: [*list(status(422, NAMES_FORMAT)(body))[:1], stall]
    now = asyncio.get_running_loop().time
    assert (await failure(answerer, until=now() + 0.3)).reason == "provider_timeout"
    assert stall.reached.is_set()


async def test_a_reply_without_end_is_stopped(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = writes(lambda _: ["x" * 8_000] * 9 + [Stall()])
    assert MAX_COMPLETION < 9 * 8_000
    assert (await failure(answerer)).reason == "answer_too_long"
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_cancelling_closes_the_request(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    stall = Stall()
    chat.reply = says("{", stall)
    asked = asyncio.create_task(answerer.complete(MESSAGES, schema=SCHEMA))
    await asyncio.wait_for(stall.reached.wait(), SOON_S)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_a_draft_is_what_the_model_sent(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    sent = {"answer": "Six [1].", "citations": [{"source": 1, "quote": "six"}], "confidence": "low"}
    chat.reply = says(*pieces(json.dumps(sent), 5))
    assert await answerer.draft("How long?", []) == Draft("Six [1].", (ClaimedQuote(1, "six"),), "low")
    assert chat.requests[0]["messages"] == MESSAGES
    assert chat.requests[0]["response_format"] == FORMAT


async def test_a_draft_that_can_not_be_read_is_a_fault(chat: ScriptedChat, answerer: ChatAnswerer) -> None:
    chat.reply = says("Six weeks [1].")
    with pytest.raises(StructuredFault) as fault:
        await answerer.draft("How long?", [])
    assert (fault.value.kind, fault.value.reason) == ("no_object", "provider_protocol")

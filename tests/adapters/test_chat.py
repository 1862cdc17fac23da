"""The chat answerer over real HTTP: what it sends, what it reads, and how soon it lets go."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.adapters.chat import ChatAnswerer, connect
from app.core import prompt
from tests.raw_http import Cut, Stall
from tests.scripted_chat import (
    DONE,
    ScriptedChat,
    delta,
    echoes,
    event,
    head,
    pieces,
    says,
    sends,
    split_markers,
    stalls,
    streams,
)

KEY = "sk-secret-of-ours"
FINISH = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
USAGE = event({"choices": [], "usage": {"total_tokens": 9}})
SOON_S = 5.0
"""Far below the deadline of 20 s, far above what a busy machine needs."""


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with connect(20) as client:
        yield client


def answerer(chat: ScriptedChat, client: httpx.AsyncClient, **changed: object) -> ChatAnswerer:
    given = {"base_url": chat.base_url, "model": "small", "api_key": KEY, "deadline_s": 20.0, **changed}
    return ChatAnswerer(client, **given)  # type: ignore[arg-type]


async def answer(chat: ScriptedChat, client: httpx.AsyncClient, **changed: object) -> str:
    async with asyncio.timeout(SOON_S), aclosing(answerer(chat, client, **changed).stream("How long?", [])) as pieces:
        return "".join([piece async for piece in pieces])


async def test_the_request_is_the_prompt_for_the_model(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    await answer(chat, client)
    assert chat.requests == [{"model": "small", "messages": prompt.build("How long?", []), "stream": True}]
    assert chat.paths == ["/v1/chat/completions"]
    sent = chat.headers[0]
    assert (sent["authorization"], sent["accept"]) == (f"Bearer {KEY}", "text/event-stream")
    assert sent["accept-encoding"] == "identity"


async def test_without_a_key_nothing_is_authorised(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    await answer(chat, client, api_key="")
    assert "authorization" not in chat.headers[0]


@pytest.mark.parametrize("suffix", ["/", "?api-version=1"])
async def test_a_base_url_may_end_in_a_slash_or_a_query(
    chat: ScriptedChat, client: httpx.AsyncClient, suffix: str
) -> None:
    await answer(chat, client, base_url=chat.base_url + suffix)
    assert chat.paths == ["/v1/chat/completions" + suffix.strip("/")]


@pytest.mark.parametrize(
    "parts",
    [
        ["Six weeks [1]."],
        split_markers("Six weeks [1], then four [12][3]."),
        pieces("Naïve – 六 weeks 😀\u2028[1].", 1),
        [],
    ],
)
async def test_the_answer_is_what_the_model_wrote(
    chat: ScriptedChat, client: httpx.AsyncClient, parts: list[str]
) -> None:
    chat.reply = says(*parts)
    assert await answer(chat, client) == "".join(parts)


async def test_an_echo_finds_its_text_in_the_prompt(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    chat.reply = echoes(r"Question: (.*)")
    assert await answer(chat, client) == "How long?"


@pytest.mark.parametrize(
    "body",
    [
        delta(content="Six.") + FINISH + USAGE + DONE,
        delta(content="Six.") + FINISH + USAGE,
        delta(content="Six.") + FINISH,
        delta(content="Six.") + DONE,
        delta(content="Six.") + DONE.rstrip(),
        (delta(content="Six.") + FINISH).rstrip(),
        (delta(content="Six.") + FINISH + DONE).replace(b"\n", b"\r\n"),
        (delta(content="Six.") + FINISH + DONE).replace(b"\n", b"\r"),
        (delta(content="Six.") + FINISH + DONE).replace(b"data: ", b"data:"),
        b"\xef\xbb\xbf" + delta(content="Six.") + DONE,
        b": keep-alive\n\n" + delta(content="Six.") + b": keep-alive\n\n\n\n" + DONE,
        b"retry: 5\n\nid: 7\nevent: message\n" + delta(content="Six.") + b"data:\n\n" + DONE,
        delta(content="Six.").replace(b", ", b",\ndata: ") + DONE,
        event({"choices": [], "prompt_filter_results": []}) + delta(content="Six.") + FINISH + DONE,
        delta(content="Si") + delta(content="Eight", index=1) + delta(content="x.") + FINISH + DONE,
        delta(reasoning_content="Hm.") + delta(content="<think>Hm.</think>\n\nSix.") + FINISH + DONE,
        event({"choices": [{"delta": {"content": "Six."}, "finish_reason": "stop"}]}),
        delta(content="Si") + FINISH + delta(content="x.") + FINISH + DONE,
    ],
)
async def test_what_endpoints_really_send_is_read(chat: ScriptedChat, client: httpx.AsyncClient, body: bytes) -> None:
    chat.script(streams(body), streams(*(body[place : place + 1] for place in range(len(body)))))
    assert await answer(chat, client) == "Six."
    assert await answer(chat, client) == "Six."


async def test_what_only_resembles_a_thought_is_answered(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    chat.reply = says("<", "thin")
    assert await answer(chat, client) == "<thin"


async def test_a_charset_in_the_header_changes_nothing(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    chat.reply = streams(delta(content="é"), DONE, content_type="Text/Event-Stream; charset=iso-8859-1")
    assert await answer(chat, client) == "é"


async def test_a_body_that_ends_with_its_connection_is_read(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    chat.reply = sends(head(200, content_type="text/event-stream"), delta(content="Six."), DONE, Cut.CLOSE)
    assert await answer(chat, client) == "Six."


@given(text=st.text(), cuts=st.lists(st.integers(0, 600), max_size=40), size=st.integers(1, 9))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
async def test_no_split_of_the_bytes_changes_the_answer(
    chat: ScriptedChat, client: httpx.AsyncClient, text: str, cuts: list[int], size: int
) -> None:
    body = b"".join(delta(content=piece) for piece in pieces(text, size)) + FINISH + DONE
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    chat.reply = streams(*(body[start:end] for start, end in itertools.pairwise(edges)))
    assert await answer(chat, client) == text


@pytest.mark.parametrize("ending", [FINISH, DONE, FINISH + USAGE])
async def test_a_complete_answer_does_not_wait_for_the_stream_to_end(
    chat: ScriptedChat, client: httpx.AsyncClient, ending: bytes
) -> None:
    chat.reply = streams(delta(content="Six."), ending, Stall())
    assert await answer(chat, client) == "Six."
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_a_complete_answer_does_not_wait_while_other_events_come(
    chat: ScriptedChat, client: httpx.AsyncClient
) -> None:
    opening = [head(200, content_type="text/event-stream"), delta(content="Six."), FINISH]
    chat.reply = lambda _: itertools.chain(opening, itertools.repeat(USAGE))
    assert await answer(chat, client) == "Six."


async def test_text_after_a_finish_reason_shows_that_more_may_come(
    chat: ScriptedChat, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.chat.TAIL_S", 1.0)
    pauses = [Stall(), Stall(), Stall()]
    finishing = event({"choices": [{"delta": {"content": "six "}, "finish_reason": "stop"}]})
    chat.reply = streams(finishing, *(step for pause in pauses for step in (pause, finishing)), DONE)
    answering = asyncio.create_task(answer(chat, client))
    for pause in pauses:
        await pause.reached.wait()
        await asyncio.sleep(0.4)  # each pause is short enough, together they are not
        pause.released.set()
    assert await answering == "six six six six "


@pytest.mark.parametrize("cut", list(Cut))
async def test_a_complete_answer_stands_when_its_connection_breaks(
    chat: ScriptedChat, client: httpx.AsyncClient, cut: Cut
) -> None:
    read = Stall()
    chat.reply = streams(delta(content="Six."), FINISH, delta(content=""), read, cut)
    async with aclosing(answerer(chat, client).stream("How long?", [])) as stream:
        assert await anext(stream) == "Six."
        read.released.set()
        assert await anext(stream, None) is None


async def test_one_connection_serves_one_question_after_the_other(
    chat: ScriptedChat, client: httpx.AsyncClient
) -> None:
    for _ in range(3):
        await answer(chat, client)
    assert chat.connections == 1


async def test_text_is_passed_on_before_the_next_arrives(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    stall = Stall()
    chat.reply = says("Six ", stall, "weeks.")
    async with asyncio.timeout(SOON_S), aclosing(answerer(chat, client).stream("How long?", [])) as stream:
        assert await anext(stream) == "Six "
        stall.released.set()
        assert [piece async for piece in stream] == ["weeks."]


async def test_closing_the_iterator_closes_the_request(chat: ScriptedChat, client: httpx.AsyncClient) -> None:
    chat.reply = says("Six ", Stall(), "weeks.")
    stream = answerer(chat, client).stream("How long?", [])
    assert await anext(stream) == "Six "
    await stream.aclose()
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


@pytest.mark.parametrize("headers_came", [False, True])
async def test_cancelling_the_caller_closes_the_request(
    chat: ScriptedChat, client: httpx.AsyncClient, headers_came: bool
) -> None:
    stall = Stall()
    chat.reply = says("Six ", stall) if headers_came else stalls(stall)
    asking = asyncio.create_task(answer(chat, client))
    await asyncio.wait_for(stall.reached.wait(), SOON_S)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)
    chat.reply = says("Six weeks.")
    assert await answer(chat, client) == "Six weeks."

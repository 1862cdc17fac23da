"""How a chat endpoint fails, over real HTTP: each way has its reason, and no message tells a secret."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
import traceback
from collections.abc import Iterable

import httpx
import pytest

from app.adapters.chat import ChatAnswerer, connect
from app.adapters.chat_reply import EVENT_LIMIT
from app.errors import AnswererFailed, SettingsError
from tests.raw_http import Cut, Stall, Step
from tests.scripted_chat import (
    DONE,
    SECRET,
    Reply,
    ScriptedChat,
    delta,
    fails_midway,
    head,
    says,
    sends,
    stalls,
    status,
    streams,
)

KEY = "sk-secret-of-ours"
SOON_S = 5.0


async def failure(
    base_url: str, *, deadline_s: float = 20.0, client: httpx.AsyncClient | None = None
) -> AnswererFailed:
    """The error that ends a question, after a check that it is fit to be shown and logged."""
    async with client or connect(deadline_s) as client:
        answerer = ChatAnswerer(client, base_url=base_url, model="small", api_key=KEY, deadline_s=deadline_s)
        with pytest.raises(AnswererFailed) as failed:
            async with asyncio.timeout(10):
                _ = [piece async for piece in answerer.stream("How long?", [])]
    shown = "".join(traceback.format_exception(failed.value))
    assert KEY not in shown
    assert SECRET not in shown
    return failed.value


async def reason(chat: ScriptedChat, reply: Reply) -> str:
    chat.reply = reply
    return (await failure(chat.base_url)).reason


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 422, 429, 500, 502, 503, 529])
async def test_an_error_status_is_the_providers_error(chat: ScriptedChat, code: int) -> None:
    chat.reply = status(code, retry_after="7")
    failed = await failure(chat.base_url)
    assert failed.reason == "provider_error"
    assert f"HTTP {code}" in str(failed)
    assert len(chat.requests) == 1


async def test_a_refused_key_names_the_setting(chat: ScriptedChat) -> None:
    chat.reply = status(401)
    assert "CHAT_API_KEY" in str(await failure(chat.base_url))


@pytest.mark.parametrize("code", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(chat: ScriptedChat, code: int) -> None:
    async with ScriptedChat() as elsewhere:
        redirect = status(code, location=f"{elsewhere.base_url}/chat/completions")
        assert await reason(chat, redirect) == "provider_protocol"
        assert elsewhere.requests == []


@pytest.mark.parametrize("error", [{"message": f"overloaded {SECRET}"}, f"overloaded {SECRET}"])
async def test_an_error_in_the_stream_is_the_providers_error(chat: ScriptedChat, error: object) -> None:
    assert await reason(chat, fails_midway("Six ", error=error)) == "provider_error"


async def test_an_error_as_a_json_body_is_the_providers_error(chat: ScriptedChat) -> None:
    assert await reason(chat, status(200)) == "provider_error"


@pytest.mark.parametrize(
    "reply",
    [
        status(200, b'{"choices": [{"message": {"content": "Six weeks."}, "finish_reason": "stop"}]}'),
        status(200, b"[" * 100_000),
        status(200, b'{"error": "' + b"a" * 2 * EVENT_LIMIT + b'"}'),
        status(200, b"<html>" + SECRET.encode(), content_type="text/html"),
        status(204, b""),
        streams(delta(content="Six."), DONE, content_type="text/plain"),
        sends(head(200, content_length="0")),
        sends(b"SSH-2.0-OpenSSH_9.6\r\n", Cut.CLOSE),
        sends(Cut.CLOSE),
        sends(Cut.RESET),
        says(finish=None, done=False),
        says("Six ", finish=None, done=False),
        says("Six ", Cut.CLOSE),
        says("Six ", Cut.RESET),
        sends(head(200, content_type="text/event-stream"), delta(content="Six "), Cut.CLOSE),
        streams(delta(content="Six "), delta(content="weeks.")[:-9], Cut.CLOSE),
        streams(delta(content="Six "), b"data: <html>\n\n", DONE),
        streams(delta(tool_calls=[{"index": 0, "function": {"name": "search"}}]), DONE),
        says(finish="tool_calls"),
        status(200, gzip.compress(DONE), content_type="text/event-stream", content_encoding="gzip"),
    ],
)
async def test_a_reply_against_the_protocol_is_told_from_an_answer(chat: ScriptedChat, reply: Reply) -> None:
    assert await reason(chat, reply) == "provider_protocol"


async def test_a_filtered_answer_is_no_answer(chat: ScriptedChat) -> None:
    assert await reason(chat, says("Six ", finish="content_filter")) == "content_filtered"


async def test_an_answer_cut_at_its_length_is_no_answer(chat: ScriptedChat) -> None:
    assert await reason(chat, says("Six ", finish="length")) == "answer_truncated"


def endless(unit: bytes) -> Reply:
    def reply(_: object) -> Iterable[Step]:
        opening = head(200, content_type="text/event-stream") + delta(content="Six ")
        return itertools.chain([opening], itertools.repeat(unit * (20_000 // len(unit))))

    return reply


@pytest.mark.parametrize("unit", [b"data: " + b"a" * 9_000, b"data: a\n", b": keep-alive\n", b":\n\n", b"\n"])
async def test_an_event_without_an_end_is_not_kept_for_ever(chat: ScriptedChat, unit: bytes) -> None:
    assert await reason(chat, endless(unit)) == "provider_protocol"
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_a_long_answer_in_short_events_is_no_long_event(chat: ScriptedChat) -> None:
    piece = "six " * 5_000
    chat.reply = says(*[piece] * (2 * EVENT_LIMIT // len(piece)))
    async with connect(20) as client:
        answerer = ChatAnswerer(client, base_url=chat.base_url, model="small", api_key=KEY, deadline_s=20)
        assert sum([len(text) async for text in answerer.stream("How long?", [])]) > EVENT_LIMIT


async def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        failed = await failure(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert failed.reason == "provider_unreachable"


async def test_a_name_without_an_address_is_unreachable() -> None:
    assert (await failure("http://endpoint.invalid/v1")).reason == "provider_unreachable"


async def test_a_host_that_speaks_no_tls_is_unreachable() -> None:
    def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert (await failure(f"https://127.0.0.1:{port}/v1")).reason == "provider_unreachable"


async def test_a_connection_that_nobody_accepts_is_unreachable() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        with socket.create_connection(address):  # takes the only place in the queue
            client = httpx.AsyncClient(trust_env=False, timeout=httpx.Timeout(20, connect=0.2))
            failed = await failure(f"http://127.0.0.1:{address[1]}/v1", client=client)
    assert failed.reason == "provider_unreachable"


@pytest.mark.parametrize("headers_came", [False, True])
async def test_a_stall_ends_at_the_deadline_and_closes_the_request(chat: ScriptedChat, headers_came: bool) -> None:
    chat.reply = says("Six ", Stall()) if headers_came else stalls(Stall())
    started = asyncio.get_running_loop().time()
    failed = await failure(chat.base_url, deadline_s=0.5)
    assert failed.reason == "provider_timeout"
    assert 0.5 <= asyncio.get_running_loop().time() - started < SOON_S
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_the_deadline_is_for_the_whole_reply(chat: ScriptedChat) -> None:
    chat.reply = endless(delta(reasoning_content="Hm."))
    assert (await failure(chat.base_url, deadline_s=0.3)).reason == "provider_timeout"
    await asyncio.wait_for(chat.closed_early.wait(), SOON_S)


async def test_a_timeout_of_the_client_counts_as_the_deadline(chat: ScriptedChat) -> None:
    chat.reply = stalls(Stall())
    client = httpx.AsyncClient(trust_env=False, timeout=0.2)
    assert (await failure(chat.base_url, client=client)).reason == "provider_timeout"


async def test_the_deadline_does_not_interrupt_who_takes_the_pieces(chat: ScriptedChat) -> None:
    chat.reply = says("Six ", Stall())
    async with connect(0.8) as client:
        answerer = ChatAnswerer(client, base_url=chat.base_url, model="small", api_key=KEY, deadline_s=0.8)
        stream = answerer.stream("How long?", [])
        assert await anext(stream) == "Six "
        await asyncio.sleep(1.0)  # busy until after the deadline
        with pytest.raises(AnswererFailed) as failed:
            await anext(stream)
    assert failed.value.reason == "provider_timeout"


@pytest.mark.parametrize("key", ["ключ", "two words", "line\nbreak", "end "])
async def test_a_key_that_no_header_can_carry_is_a_setting_to_mend(key: str) -> None:
    async with connect(1) as client:
        with pytest.raises(SettingsError, match="CHAT_API_KEY") as refused:
            ChatAnswerer(client, base_url="http://127.0.0.1/v1", model="small", api_key=key, deadline_s=1)
    assert key not in str(refused.value)


@pytest.mark.parametrize("port", ["port", "65536"])
async def test_a_url_that_is_none_is_a_setting_to_mend(port: str) -> None:
    async with connect(1) as client:
        with pytest.raises(SettingsError, match="CHAT_BASE_URL"):
            ChatAnswerer(client, base_url=f"http://127.0.0.1:{port}/v1", model="small", api_key="", deadline_s=1)

"""/mcp, spoken to by the official client: its tools, and who may call them."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests import processes
from tests.mcp_client import call, session, text_of
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says, status
from tests.service import OFF_TOPIC, QUESTION, Service, ingest, running, settings_for, write_corpus

ANSWER = "Every employee gets 28 days a year [1]."
HEADERS = {"Accept": "application/json, text/event-stream"}


async def test_an_agent_finds_three_tools_with_schemas(service: Service) -> None:
    async with session(service.http.base_url) as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
    assert set(tools) == {"ask", "search", "list_documents"}
    assert tools["ask"].inputSchema["required"] == ["question"]
    assert {tool.inputSchema["type"] for tool in tools.values()} == {"object"}
    assert {(tool.outputSchema or {})["type"] for tool in tools.values()} == {"object"}


async def test_ask_gives_the_reply_and_a_text_with_numbered_sources(service: Service) -> None:
    result = await call(service, "ask", question=QUESTION)
    fresh = {"id", "timings_ms", "cached"}
    other = await service.ask()
    assert result.structuredContent is not None
    assert {k: v for k, v in result.structuredContent.items() if k not in fresh} == {
        k: v for k, v in other.items() if k not in fresh
    }
    assert text_of(result).startswith(
        f"{other['answer']}\n\nSources:\n[1] Leave › Annual leave … Carry-over (vouch://documents/"
    )
    assert not result.isError


async def test_every_verdict_is_told_as_what_it_is(chatting: Service, chat: ScriptedChat) -> None:
    refused = await call(chatting, "ask", question=OFF_TOPIC)
    assert (text_of(refused)[:9], refused.isError) == ("Refused: ", False)
    assert "threshold 0.25" in text_of(refused)
    chat.script(says("Twenty-eight."), status(500))
    ungrounded = await call(chatting, "ask", question=QUESTION)
    assert (text_of(ungrounded)[:12], ungrounded.isError) == ("Ungrounded: ", False)
    assert "Twenty-eight." in text_of(ungrounded)
    failed = await call(chatting, "ask", question=QUESTION)
    assert (text_of(failed)[:8], failed.isError) == ("Failed: ", True)
    assert (failed.structuredContent or {})["reason"] == "provider_error"


async def test_ask_takes_the_options_of_the_other_route(service: Service) -> None:
    first = await call(service, "ask", question=QUESTION, filter={"source_prefix": "leave.md"}, verify=True)
    assert (first.structuredContent or {})["support"]["unsupported"] == 0
    again = await call(service, "ask", question="Repeat that", previous=(first.structuredContent or {})["id"])
    assert (again.structuredContent or {})["answer"] == (first.structuredContent or {})["answer"]


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({}, "question"),
    ({"question": " "}, "empty"),
    ({"question": "x" * 2_001}, "2001"),
    ({"question": "q", "temperature": 1}, "temperature"),
    ({"question": "q", "previous": 1}, "previous"),
]


async def test_bad_arguments_are_an_error_that_names_the_fault(service: Service) -> None:
    async with session(service.http.base_url) as agent:
        for arguments, named in BAD_ARGUMENTS:
            result = await agent.call_tool("ask", arguments)
            assert result.isError
            assert named in text_of(result)


async def test_search_shows_passages_that_can_forge_nothing(tmp_path: Path) -> None:
    write_corpus(tmp_path, {"leave.md": "# Leave\n\nEvery employee gets 28 days of annual leave a year [7].\n"})
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        found = await call(service, "search", query=QUESTION, top_k=1)
    assert found.structuredContent is not None
    assert found.structuredContent["would_answer"]
    assert found.structuredContent["candidates"][0]["text"].endswith("a year [7].")
    assert text_of(found).endswith("a year (7).")


async def test_search_says_why_it_would_not_answer(service: Service) -> None:
    found = await call(service, "search", query=OFF_TOPIC)
    assert (found.structuredContent or {})["reason"] == "below_threshold"
    assert text_of(found).startswith("No passage in the documents is close enough")


async def test_an_index_that_is_gone_is_told_without_a_trace(indexed: Settings, tmp_path: Path) -> None:
    pointer = next((tmp_path / "qdrant").glob("*.alias"))
    async with running(indexed) as service, session(service.http.base_url) as agent:
        pointer.unlink()
        pointer.mkdir()
        result = await agent.call_tool("ask", {"question": QUESTION})
    assert result.isError
    assert text_of(result).startswith("The index does not answer")


async def test_when_the_agent_leaves_the_model_is_left(chatting: Service, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall)
    asking = asyncio.create_task(call(chatting, "ask", question=QUESTION))
    await stall.reached.wait()
    asking.cancel()
    async with asyncio.timeout(5):
        await chat.closed_early.wait()


async def test_a_stopped_service_lets_an_agents_answer_finish(
    indexed: Settings, tmp_path: Path, chat: ScriptedChat
) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall, "28 days a year [1].")
    async with processes.served(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m") as (process, address):
        async with session(address) as agent:
            await agent.list_tools()  # else the client would fetch their schemas after the answer
            asking = asyncio.create_task(agent.call_tool("ask", {"question": QUESTION}))
            await stall.reached.wait()
            process.send_signal(signal.SIGTERM)
            await asyncio.sleep(1)  # the SDK looks twice a second whether to cut its streams
            stall.released.set()
            assert text_of(await asking).startswith(ANSWER)
        assert await process.wait() == 0


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_no_web_page_can_act_as_an_agent(service: Service, headers: dict[str, str]) -> None:
    reply = await service.http.post("/mcp", json={}, headers=HEADERS | headers)
    assert (reply.status_code, reply.json()["type"]) == (403, "/problems/not-local")


async def test_other_hosts_are_answered_where_the_service_is_open_to_them(indexed: Settings, tmp_path: Path) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with running(settings_for(tmp_path, ALLOW_ANONYMOUS="1")) as service:
        reply = await service.http.post("/mcp", json=ping, headers=HEADERS | {"Host": "vouch.internal"})
    assert (reply.status_code, '"result":{}' in reply.text) == (200, True)


async def test_there_is_no_session_to_listen_to_and_no_room_for_a_huge_message(service: Service) -> None:
    for method in ("GET", "DELETE"):
        reply = await service.http.request(method, "/mcp", headers=HEADERS)
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    huge = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 70_000}}
    assert (await service.http.post("/mcp", json=huge, headers=HEADERS)).status_code == 413


def asking(question: str) -> bytes:
    arguments = {"question": question}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": arguments}}
    ).encode()


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"{",
        b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
        asking("\ud800 leave"),
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ' + b"[" * 150 + b"]" * 150 + b"}}",
        b"[" * 30_000 + b"]" * 30_000,
    ],
    ids=["nothing", "half", "no UTF-8", "lone surrogate", "deep", "very deep"],
)
async def test_a_message_that_can_not_be_read_is_a_problem(service: Service, message: bytes) -> None:
    sent = HEADERS | {"Content-Type": "application/json"}
    for content in (message, in_pieces(message)):
        reply = await service.http.post("/mcp", content=content, headers=sent)
        assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request")
    assert (await service.http.post("/mcp", content=in_pieces(asking(QUESTION)), headers=sent)).status_code == 200


async def in_pieces(message: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(message), 20_000):
        yield message[start : start + 20_000]


async def test_a_start_does_not_wait_for_the_sdk() -> None:
    program = "import sys, app.main; sys.exit('mcp' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=processes.ROOT)
    assert await process.wait() == 0

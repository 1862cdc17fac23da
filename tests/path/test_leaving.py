"""A caller that goes away, and a service that is stopped, while an answer is being written."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import httpx
import pytest

from app.settings import Settings
from tests import processes
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, Service

ANSWER = "Every employee gets 28 days a year [1]."
EVENTS = {"Accept": "text/event-stream"}


@pytest.mark.parametrize("headers", [EVENTS, {}], ids=["stream", "json"])
async def test_when_the_caller_leaves_the_model_is_left_and_nothing_cached(
    chatting: Service, chat: ScriptedChat, headers: dict[str, str]
) -> None:
    stall = Stall()
    chat.script(says(ANSWER, stall), says(ANSWER))
    asking = asyncio.create_task(chatting.http.post("/v1/answers", json={"question": QUESTION}, headers=headers))
    await stall.reached.wait()
    asking.cancel()
    async with asyncio.timeout(1):
        await chat.closed_early.wait()
    assert not (await chatting.ask())["cached"]
    assert len(chat.requests) == 2


async def test_a_stopped_service_lets_a_running_answer_finish(
    indexed: Settings, tmp_path: Path, chat: ScriptedChat
) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall, "28 days a year [1].")
    async with processes.served(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m") as (process, address):
        asking = asyncio.create_task(_ask(address))
        await stall.reached.wait()
        process.send_signal(signal.SIGTERM)
        await _until_it_refuses(address)
        stall.released.set()
        events = await asking
        assert await process.wait() == 0
    assert events[-1]["status"] == "answered"
    assert not (tmp_path / "qdrant" / "owner.json").exists()


async def test_an_answer_that_outlasts_the_stop_ends_in_failed(
    indexed: Settings, tmp_path: Path, chat: ScriptedChat
) -> None:
    # The model keeps within its own deadline until the stop, whose time then runs out first: the deadline of
    # the chat begins with the answer, that of the stop with the signal, so a slow first question outlasts it.
    stall = Stall()
    chat.reply = says("Every employee gets ", stall)
    settings = {"CHAT_BASE_URL": chat.base_url, "CHAT_MODEL": "m", "CHAT_DEADLINE_S": "1"}
    async with processes.served(tmp_path, **settings) as (process, address):
        asking = asyncio.create_task(_ask(address))
        await stall.reached.wait()
        process.send_signal(signal.SIGTERM)
        events = await asking
        assert await process.wait() == 0
    assert (events[-1]["status"], events[-1]["answer"]) == ("failed", None)
    assert events[-1]["reason"] in ("provider_timeout", "shutting_down")


async def _ask(address: str) -> list[dict[str, object]]:
    """The data of every event."""
    async with httpx.AsyncClient(timeout=30, trust_env=False) as client:
        reply = await client.post(f"{address}/v1/answers", json={"question": QUESTION}, headers=EVENTS)
    return [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]


async def _until_it_refuses(address: str) -> None:
    """Wait until the service takes no new connection."""
    async with httpx.AsyncClient(trust_env=False) as client, asyncio.timeout(5):
        while True:
            try:
                await client.get(f"{address}/health/live", headers={"Connection": "close"})
            except httpx.ConnectError:
                return

"""Several worker processes behave as one, also while they are replaced; and the order of start does not matter."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from app.core.callers import key_digest
from tests import processes
from tests.callers import KEYS, write_keys
from tests.faults.proxy import Fault, Proxy
from tests.qdrant_http import HttpServer, http_server, local_mode
from tests.raw_http import Stall
from tests.redis_server import RedisServer
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, ingest, settings_for, write_corpus
from tests.stores import LOCAL_MODE

pytestmark = [*LOCAL_MODE, pytest.mark.timeout(240)]

ANSWER = "Every employee gets 28 days a year [1]."


@pytest.fixture
async def qdrant() -> AsyncIterator[HttpServer]:
    async with http_server(local_mode()) as server:
        yield server


@asynccontextmanager
async def workers(
    folder: Path, qdrant: HttpServer, redis: RedisServer, chat: ScriptedChat, **changed: object
) -> AsyncIterator[tuple[Process, str]]:
    """Two of them, on an index that holds the small corpus."""
    write_corpus(folder)
    await ingest(settings_for(folder, QDRANT_URL=qdrant.url))
    settings = {"QDRANT_URL": qdrant.url, "REDIS_URL": redis.url, "CHAT_BASE_URL": chat.base_url, "CHAT_MODEL": "m"}
    async with processes.served(folder, WORKERS=2, **settings, **changed) as (process, address):
        await until(lambda: len(children(process.pid)) == 2)
        yield process, address


def children(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it is other processes that change
            await asyncio.sleep(0.05)


async def ask(address: str, question: str = QUESTION) -> dict[str, Any]:
    """On a connection of its own, which any worker may get."""
    async with httpx.AsyncClient(timeout=60, trust_env=False, headers={"Connection": "close"}) as client:
        reply = await client.post(f"{address}/v1/answers", json={"question": question})
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_workers_share_the_cache_and_their_counts(
    tmp_path: Path, qdrant: HttpServer, redis: RedisServer, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    async with workers(tmp_path, qdrant, redis, chat) as (_, address):
        questions = [f"{QUESTION} ({number})" for number in range(10)]
        first = [await ask(address, question) for question in questions]
        again = [await ask(address, question) for question in questions]
        async with httpx.AsyncClient(trust_env=False) as client:
            metrics = (await client.get(f"{address}/metrics")).text
    assert not any(reply["cached"] for reply in first)
    # One by one they come from either worker. A Redis that is slow for a moment is a miss.
    assert sum(reply["cached"] for reply in again) >= 8
    counts = re.findall(r"^vouch_answers_total\{.*\} (\d+)\.0$", metrics, re.MULTILINE)
    assert sum(map(int, counts)) == 20
    assert "vouch_index_documents 3.0" in metrics


async def test_under_a_rolling_restart_and_a_crash_every_question_is_answered(
    tmp_path: Path, qdrant: HttpServer, redis: RedisServer, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    over = asyncio.Event()
    replies: list[str] = []

    async def caller(number: int, address: str) -> None:
        while not over.is_set():
            replies.append((await ask(address, f"{QUESTION} ({number} {len(replies)})"))["status"])

    async with workers(tmp_path, qdrant, redis, chat) as (process, address):
        assert process.pid is not None
        calling = [asyncio.create_task(caller(number, address)) for number in range(4)]
        for worker in children(process.pid):
            os.kill(worker, signal.SIGTERM)
            await until(lambda worker=worker: worker not in children(process.pid) and len(children(process.pid)) == 2)
        asked = len(replies)
        await until(lambda: len(replies) > asked + 20)
        over.set()
        await asyncio.gather(*calling)
        assert set(replies) == {"answered"}
        os.kill(next(iter(children(process.pid))), signal.SIGKILL)
        await until(lambda: len(children(process.pid)) == 1)
        assert (await ask(address))["status"] == "answered"
        await until(lambda: len(children(process.pid)) == 2)


async def test_a_stop_lets_the_answers_of_all_workers_finish(
    tmp_path: Path, qdrant: HttpServer, redis: RedisServer, chat: ScriptedChat
) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall, "28 days a year [1].")
    async with workers(tmp_path, qdrant, redis, chat) as (process, address):
        asking = [asyncio.create_task(ask(address, f"{QUESTION} ({number})")) for number in range(10)]
        await until(lambda: len(chat.requests) == 10)
        process.send_signal(signal.SIGTERM)
        stall.released.set()
        assert {reply["status"] for reply in await asyncio.gather(*asking)} == {"answered"}
        assert await process.wait() == 0


async def test_a_hangup_has_every_worker_read_the_keys_again(
    tmp_path: Path, qdrant: HttpServer, redis: RedisServer, chat: ScriptedChat
) -> None:
    """The file is changed as if it had not been: nothing but the signal can tell the workers."""
    keys, new_key = write_keys(tmp_path), "vouch_test-key-that-is-new"
    async with workers(tmp_path, qdrant, redis, chat, API_KEYS_FILE=keys) as (process, address):
        before = keys.stat()
        keys.write_text(keys.read_text().replace(key_digest(KEYS["wiki"]), key_digest(new_key)))
        os.utime(keys, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert await accepted(address, process, KEYS["wiki"], new_key) == {(True, False)}
        process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(60):
            while await accepted(address, process, KEYS["wiki"], new_key) != {(False, True)}:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def accepted(address: str, process: Process, *keys: str) -> set[tuple[bool, ...]]:
    """Which of the keys are somebody's, in the eyes of each worker."""
    seen = set()
    for worker in children(process.pid):
        with only(worker, process):
            seen.add(tuple([await status(address, key) == 200 for key in keys]))
    return seen


@contextmanager
def only(worker: int, process: Process) -> Iterator[None]:
    """While the other workers stand still."""
    others = children(process.pid) - {worker}
    for other in others:
        os.kill(other, signal.SIGSTOP)
    try:
        yield
    finally:
        for other in others:
            os.kill(other, signal.SIGCONT)


async def status(address: str, key: str) -> int:
    async with httpx.AsyncClient(timeout=60, trust_env=False, headers={"X-API-Key": key}) as client:
        return (await client.get(f"{address}/v1/usage")).status_code


async def test_a_worker_that_can_not_start_ends_the_service_with_its_reason(
    tmp_path: Path, qdrant: HttpServer, redis: RedisServer
) -> None:
    settings = {"QDRANT_URL": qdrant.url, "REDIS_URL": redis.url, "API_KEYS_FILE": "missing.toml"}
    code, _, err = await processes.run(tmp_path, "app", WORKERS=2, **settings)
    assert code == 2
    assert "missing.toml" in err


async def test_a_service_that_starts_before_its_store_comes_up_with_it(tmp_path: Path, qdrant: HttpServer) -> None:
    write_corpus(tmp_path)
    await ingest(settings_for(tmp_path, QDRANT_URL=qdrant.url))
    async with Proxy(urlsplit(qdrant.url).port or 0, b"") as proxy, httpx.AsyncClient(trust_env=False) as client:
        await proxy.suffer(Fault.KILLED)
        url = f"http://127.0.0.1:{proxy.port}"
        async with processes.served(tmp_path, QDRANT_URL=url) as (_, address):
            ready = await client.get(f"{address}/health/ready")
            assert (ready.status_code, ready.json()["dependencies"]["index"]["ok"]) == (503, False)
            assert "QDRANT_URL" in ready.json()["dependencies"]["index"]["detail"]
            await proxy.mend()
            assert (await client.get(f"{address}/health/ready")).status_code == 200
            assert (await ask(address))["status"] == "answered"

"""The service among outside systems that can be made to fail: Qdrant, Redis, the chat endpoint, the embedding model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

from app import deadlines
from app.adapters import breaker, circuit
from app.main import Opened, open_services
from app.settings import Settings
from tests.faults.model import faulty_embedders
from tests.faults.proxy import Fault, Proxy
from tests.qdrant_http import Reply, Respond, http_server, local_mode
from tests.raw_http import Stall
from tests.redis_server import RedisServer
from tests.scripted_chat import ScriptedChat, writes
from tests.service import QUESTION, Service, ingest, running, settings_for, write_corpus
from tests.shared_embedder import background

ANSWER = "Every employee gets 28 days a year [1]."
RUBBISH_HTTP = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"a": null}'
RUBBISH_REDIS = b"+rubbish\r\n"
REST_S = 0.3
"""How long a circuit stays open."""
RECOVERY_S = 30.0


class System(Protocol):
    async def suffer(self, fault: Fault) -> None: ...

    async def mend(self) -> None: ...


class Gated(Protocol):
    """Holds requests in the middle of their work while it is closed."""

    def close(self) -> None: ...

    def open(self) -> None: ...

    async def holds(self, requests: int) -> None:
        """Until as many requests wait."""


class Redis:
    """A real redis-server, which is killed, frozen and restarted itself; the proxy does the rest."""

    def __init__(self, server: RedisServer, proxy: Proxy) -> None:
        self._server = server
        self._proxy = proxy

    async def suffer(self, fault: Fault) -> None:
        match fault:
            case Fault.STALLED:
                self._server.freeze()
            case Fault.KILLED:
                self._server.kill()
            case Fault.RESTARTED:
                self._server.kill()
                self._server.start()
            case _:
                await self._proxy.suffer(fault)

    async def mend(self) -> None:
        await self._proxy.mend()
        self._server.wake() if self._server.runs else self._server.start()


class Gate:
    """The port `Gated` inside a server whose replies are ours."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._opened.set()
        self._arrived: asyncio.Queue[Stall] = asyncio.Queue()

    def stall(self) -> Stall:
        """For one request to wait at."""
        stall = Stall()
        stall.released = self._opened
        self._arrived.put_nowait(stall)
        return stall

    def close(self) -> None:
        self._arrived = asyncio.Queue()
        self._opened.clear()

    def open(self) -> None:
        self._opened.set()

    async def holds(self, requests: int) -> None:
        for _ in range(requests):
            stall = await self._arrived.get()
            await stall.reached.wait()


@dataclass(frozen=True)
class Patience:
    """How long the service waits for an outside system: by default so long that no busy machine is taken for a fault.

    For the whole reply of the chat endpoint, for one of Qdrant's, and for a question beside the chat endpoint.
    """

    chat_s: int = 60
    store_s: float = 60
    margin_s: float = 60


@dataclass
class World:
    service: Service
    systems: dict[str, System]
    gates: dict[str, Gated]
    numbers: Iterator[int]

    async def ask(self, question: str) -> tuple[str, dict[str, Any]]:
        """(verdict or problem, the reply) of a question that the index answers."""
        reply = await self.service.http.post("/v1/answers", json={"question": question})
        body = reply.json()
        if reply.status_code != 200:
            return f"{reply.status_code} {body['type'].removeprefix('/problems/')}", body
        _assert_true(body)
        return ": ".join(filter(None, (body["status"], body["reason"]))), body

    def questions(self, how_many: int) -> list[str]:
        """None of which was asked before."""
        return [f"{QUESTION} ({next(self.numbers)})" for _ in range(how_many)]

    async def recovered(self) -> float:
        """Seconds until a new question is answered, and then answered from the cache."""
        began = time.monotonic()
        while True:
            (question,) = self.questions(1)
            if (await self.ask(question))[0] == "answered" and (await self.ask(question))[1]["cached"]:
                return time.monotonic() - began
            assert time.monotonic() - began < RECOVERY_S, "the service did not recover"
            await asyncio.sleep(0.05)


def _assert_true(reply: dict[str, Any]) -> None:
    """What is said of the documents is what they say, or nothing."""
    if reply["status"] == "answered":
        assert (reply["answer"], reply["cited"]) == (ANSWER, [1])
        assert "28 days" in reply["sources"][0]["text"]
    else:
        assert (reply["answer"], reply["sources"]) == (None, [])


@asynccontextmanager
async def world(folder: Path, patience: Patience) -> AsyncIterator[World]:
    """A service whose every outside system is a real server behind a proxy."""
    async with AsyncExitStack() as stack:
        stack.enter_context(_short_rests(patience.margin_s))
        searching, writing = Gate(), Gate()
        store = await stack.enter_async_context(http_server(_gated(local_mode(), searching)))
        qdrant = await stack.enter_async_context(Proxy(_port(store.url), RUBBISH_HTTP))
        redis_server = RedisServer(folder)
        redis_server.start()
        stack.callback(redis_server.kill)
        redis = await stack.enter_async_context(Proxy(redis_server.port, RUBBISH_REDIS))
        endpoint = await stack.enter_async_context(ScriptedChat())
        begin, _, end = ANSWER.partition("28")
        endpoint.reply = writes(lambda _: (begin, writing.stall(), f"28{end}"))
        chat = await stack.enter_async_context(Proxy(_port(endpoint.base_url), RUBBISH_HTTP))
        settings = settings_for(
            folder,
            QDRANT_URL=f"http://127.0.0.1:{qdrant.port}",
            REDIS_URL=f"redis://127.0.0.1:{redis.port}/0",
            CHAT_BASE_URL=f"http://127.0.0.1:{chat.port}/v1",
            CHAT_MODEL="scripted",
            CHAT_DEADLINE_S=patience.chat_s,
        )
        write_corpus(folder)
        await ingest(settings)
        model, embedders = await faulty_embedders()
        service = await stack.enter_async_context(running(settings, partial(_open, embedders, patience.store_s)))
        systems: dict[str, System] = {
            "Qdrant": qdrant,
            "Redis": Redis(redis_server, redis),
            "chat": chat,
            "embedding model": model,
        }
        gates: dict[str, Gated] = {"Qdrant": searching, "Redis": writing, "chat": writing, "embedding model": model}
        yield World(service, systems, gates, count())


@contextmanager
def _short_rests(margin_s: float) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(circuit, "REST_S", REST_S)
        patch.setattr(breaker, "REST_S", REST_S)
        patch.setattr(deadlines, "REQUEST_MARGIN_S", margin_s)
        yield


@asynccontextmanager
async def _open(embedders: Any, patience_s: float, settings: Settings) -> AsyncIterator[Opened]:
    async with open_services(settings, embedders, background) as opened:
        opened.services.store._timeout_s = patience_s  # type: ignore[attr-defined]
        yield opened


def _gated(respond: Respond, gate: Gate) -> Respond:
    async def gated(method: str, path: str, body: bytes) -> Reply:
        if path.endswith("/points/query/batch"):
            stall = gate.stall()
            stall.reached.set()
            await stall.released.wait()
        return await respond(method, path, body)

    return gated


def _port(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port

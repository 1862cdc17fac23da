"""A stage that takes longer than the request may: the right verdict in time, and nothing stays behind."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from app import deadlines
from app.adapters import fastembed_embedder
from app.adapters.fastembed_embedder import THREADS, Embedders, FastembedEmbedder
from app.main import open_services
from app.settings import Settings
from tests.service import QUESTION, Service, running, settings_for
from tests.shared_embedder import embedders


async def test_an_embedding_that_hangs_ends_in_failed_at_the_deadline(
    indexed: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "REQUEST_MARGIN_S", 0.5)
    held, embedder = threading.Event(), await embedders.get("bundled")
    async with running(settings_for(tmp_path, CHAT_DEADLINE_S=0.5, MAX_CONCURRENT_ANSWERS=1)) as service:
        try:
            for _ in range(THREADS):
                embedder._pool.submit(held.wait)
            assert await seconds_to_fail(service) < 3
            assert embedder.waiting == 0
            assert await kind_of_problem(service) == "/problems/out-of-time"
            assert await seconds_to_fail(service) < 3, "the one place is free again"
        finally:
            held.set()


async def test_a_model_that_loads_too_slowly_is_a_problem_in_time_and_loads_on(
    indexed: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "REQUEST_MARGIN_S", 0.5)
    held, loads, really_load = threading.Event(), list[str](), fastembed_embedder.load

    def load(name: str) -> FastembedEmbedder:
        loads.append(name)
        held.wait()
        return really_load(name)

    monkeypatch.setattr(fastembed_embedder, "load", load)
    own = partial(open_services, embedders=Embedders())
    async with running(settings_for(tmp_path, CHAT_DEADLINE_S=0.5), own) as service:
        try:
            assert await kind_of_problem(service) == "/problems/model-unavailable"
            assert (await service.http.get("/health/ready")).status_code == 503
        finally:
            held.set()
        async with asyncio.timeout(30):
            while (await service.http.get("/health/ready")).status_code != 200:
                pass
    assert loads == ["bundled"]


async def kind_of_problem(service: Service) -> str:
    started = time.perf_counter()
    reply = await service.http.get("/v1/search", params={"q": QUESTION})
    assert reply.status_code == 503
    assert time.perf_counter() - started < 3
    return str(reply.json()["type"])


async def seconds_to_fail(service: Service) -> float:
    started = time.perf_counter()
    reply = await service.ask()
    assert (reply["status"], reply["reason"], reply["answer"]) == ("failed", "deadline", None)
    return time.perf_counter() - started

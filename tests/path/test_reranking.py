"""The order of the sources with a reranking model, and without one that was set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.metrics import RERANKS_MISSED
from app.settings import Settings
from tests import tiny_cross_encoder
from tests.service import ingest, running, settings_for, write_corpus

QUESTION = "How is the espresso machine in the kitchen cleaned?"
KITCHEN = {
    "a.md": "# The espresso machine in the kitchen\n\nThe espresso machine in the kitchen is cleaned with water.\n",
    "b.md": "# Kitchen duty\n\nThe machine in the kitchen is cleaned on Mondays with citric acid.\n",
    "c.md": "# Kitchen plan\n\nWho has kitchen duty cleans the table.\n",
}


async def kitchen(folder: Path, **changed: object) -> Settings:
    """CACHE and index are the same for all settings, as they lie in `folder`."""
    settings = settings_for(folder, RELEVANCE_THRESHOLD=0.05, ANSWERABILITY_THRESHOLD=0, **changed)
    if not (folder / "corpus").exists():
        write_corpus(folder, KITCHEN)
        await ingest(settings)
    return settings


async def asked(settings: Settings, times: int = 1) -> list[dict[str, Any]]:
    async with running(settings) as service:
        return [await service.ask(f"{QUESTION}{'?' * number}") for number in range(times)]


def documents(reply: dict[str, Any]) -> list[str]:
    return [source["document_id"] for source in reply["sources"]]


def missed(kind: str) -> float:
    return RERANKS_MISSED.labels(kind)._value.get()


async def test_the_model_decides_the_order_and_the_scores_stay_cosines(tmp_path: Path) -> None:
    model = tiny_cross_encoder.write(tmp_path / "model", {"monday": 1.0, "acid": 3.0, "duty": 2.0})
    [plain] = await asked(await kitchen(tmp_path))
    [reranked] = await asked(await kitchen(tmp_path, RERANKER_MODEL=model))
    assert documents(plain)[0] == "a.md"
    assert documents(reranked) == ["b.md", "c.md", "a.md"]
    assert {s["document_id"]: s["score"] for s in plain["sources"]} == {
        s["document_id"]: s["score"] for s in reranked["sources"]
    }
    assert plain["relevance"] == reranked["relevance"]
    assert ("rerank" in plain["timings_ms"], "rerank" in reranked["timings_ms"]) == (False, True)


MISSES = pytest.mark.parametrize(
    ("kind", "faulty", "deadline_s"),
    [("late", {"slow": True}, 0.02), ("broken", {"vocabulary": 10}, 5)],
)


@MISSES
async def test_late_or_broken_the_order_of_the_search_stands_with_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, faulty: dict[str, Any], deadline_s: float
) -> None:
    model = tiny_cross_encoder.write(tmp_path / "model", {}, **faulty)
    plain = await asked(await kitchen(tmp_path), 3)
    before = missed(kind)
    capsys.readouterr()
    settings = await kitchen(tmp_path, RERANKER_MODEL=model, RERANKER_DEADLINE_S=deadline_s)
    replies = await asked(settings, 3)
    assert list(map(documents, replies)) == list(map(documents, plain))
    assert missed(kind) == before + 3
    assert capsys.readouterr().out.count("reranker.missed") == 1


@MISSES
async def test_an_answer_without_the_order_that_was_asked_for_is_not_kept(
    tmp_path: Path, kind: str, faulty: dict[str, Any], deadline_s: float
) -> None:
    model = tiny_cross_encoder.write(tmp_path / "model", {}, **faulty)
    before = missed(kind)
    async with running(await kitchen(tmp_path, RERANKER_MODEL=model, RERANKER_DEADLINE_S=deadline_s)) as service:
        replies = [await service.ask(QUESTION) for _ in range(2)]
    assert [(reply["status"], reply["cached"]) for reply in replies] == [("answered", False)] * 2
    assert missed(kind) == before + 2


async def test_one_that_cannot_be_loaded_keeps_no_question_from_its_answer(tmp_path: Path) -> None:
    plain = await asked(await kitchen(tmp_path))
    before = missed("unavailable")
    async with running(await kitchen(tmp_path, RERANKER_MODEL="no/such")) as service:
        reply = await service.ask(QUESTION)
        ready = (await service.http.get("/health/ready")).json()
    assert documents(reply) == documents(plain[0])
    assert missed("unavailable") == before + 1
    assert ready["ready"]
    assert not ready["dependencies"]["reranker"]["ok"]
    assert "RERANKER_MODEL=no/such" in ready["dependencies"]["reranker"]["detail"]


async def test_it_is_named_as_ready_while_it_works_and_left_out_where_none_is_set(tmp_path: Path) -> None:
    model = tiny_cross_encoder.write(tmp_path / "model", {})
    async with running(await kitchen(tmp_path, RERANKER_MODEL=model)) as service:
        ready = (await service.http.get("/health/ready")).json()
    assert ready["dependencies"]["reranker"] == {"ok": True, "detail": "reorders"}
    async with running(await kitchen(tmp_path)) as service:
        assert "reranker" not in (await service.http.get("/health/ready")).json()["dependencies"]


async def test_answers_of_another_order_are_not_replayed(tmp_path: Path, redis: Any) -> None:
    model = tiny_cross_encoder.write(tmp_path / "model", {"acid": 3.0})
    await asked(await kitchen(tmp_path, REDIS_URL=redis.url))
    [reranked] = await asked(await kitchen(tmp_path, REDIS_URL=redis.url, RERANKER_MODEL=model))
    [again] = await asked(await kitchen(tmp_path, REDIS_URL=redis.url, RERANKER_MODEL=model))
    assert (reranked["cached"], again["cached"]) == (False, True)

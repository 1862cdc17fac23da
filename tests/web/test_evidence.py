"""GET /v1/answers/{id}: who gets what of a kept answer, now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from msgspec import json, structs

from app import evidence
from app.core import packing
from app.core.model import Candidate, Reply, Source, Status
from app.core.prompt import PROMPT_VERSION
from app.metrics import EVIDENCE_LOST
from app.services import Services
from app.settings import Settings
from tests.redis_server import RedisServer
from tests.service import Service, running, settings_for

QUESTION = "How many days of annual leave are there?"


@dataclass
class Kept:
    """A running service, and answers put into what it keeps."""

    service: Service

    @property
    def services(self) -> Services:
        return self.service.app.state.services

    async def keep(self, caller: str = "anonymous", status: Status = Status.ANSWERED) -> Reply:
        """An answer from the passages that stand in the index."""
        packed = await self.sources()
        listed = status in (Status.ANSWERED, Status.UNGROUNDED)
        reply = Reply(
            id=f"{status}-{caller}",
            status=status,
            reason=None if listed else "model_abstained",
            message="Answered from the sources listed.",
            answer="There are 28 days [1]." if listed else None,
            sources=packed if listed else (),
            cited=(1,),
            dropped=("[9]",),
            revision="0123456789abcdef",
            model="scripted",
            timings_ms={"total": 12.5},
        )
        store = self.services.evidence
        await evidence.keep(store, reply, packed, question=QUESTION, searched=QUESTION, caller=caller)
        return reply

    async def sources(self) -> tuple[Source, ...]:
        collection = await self.collection()
        passages = [
            p for name in ("leave.md", "expenses.md") for p in await self.services.store.passages(collection, name)
        ]
        return tuple(packing.source(number, Candidate(passage, 0.5)) for number, passage in enumerate(passages, 1))

    async def collection(self) -> str:
        state = await self.services.store.state()
        assert state is not None
        return state.collection

    async def read(self, answer_id: str, **headers: str) -> httpx.Response:
        return await self.service.http.get(f"/v1/answers/{answer_id}", headers=headers)

    async def restrict(self, document_id: str) -> None:
        """What the ingestion job does when a document's access changes."""
        store, collection = self.services.store, await self.collection()
        passages = await store.passages(collection, document_id)
        await store.update_passages(collection, [structs.replace(p, access=("board",)) for p in passages])


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Kept]:
    async with running(settings) as service:
        yield Kept(service)


@pytest.fixture(params=["sqlite", "redis"])
async def kept(request: pytest.FixtureRequest, indexed: Settings, tmp_path: Path) -> AsyncIterator[Kept]:
    url = "" if request.param == "sqlite" else request.getfixturevalue("redis").url
    async with serving(settings_for(tmp_path, REDIS_URL=url)) as kept:
        yield kept


async def test_a_kept_answer_is_given_back_with_all_that_was_packed(kept: Kept) -> None:
    reply = await kept.keep()
    shown = (await kept.read(reply.id)).json()
    assert (shown["answer"], shown["status"], shown["cited"], shown["dropped"]) == (
        reply.answer,
        "answered",
        [1],
        ["[9]"],
    )
    assert (shown["question"], shown["prompt_version"], shown["withheld"]) == (QUESTION, PROMPT_VERSION, False)
    assert shown["timings_ms"] == {"total": 12.5}
    assert shown["answered_at"]
    wanted = [source | {"withheld": False} for source in json.decode(json.encode(reply.sources))]
    assert shown["sources"] == wanted
    assert len(wanted) > 2


async def test_what_was_packed_is_given_back_for_a_model_that_abstained(kept: Kept) -> None:
    reply = await kept.keep(status=Status.REFUSED)
    shown = (await kept.read(reply.id)).json()
    assert (shown["status"], shown["reason"], shown["answer"]) == ("refused", "model_abstained", None)
    assert [s["text"] for s in shown["sources"]] == [s.text for s in await kept.sources()]


async def test_an_unknown_answer_and_somebody_elses_are_the_same_404(kept: Kept) -> None:
    reply = await kept.keep(caller="somebody-else")
    unknown, foreign = await kept.read("0" * 32), await kept.read(reply.id)
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "application/problem+json")
    assert unknown.json()["type"] == "/problems/unknown-answer"
    assert foreign.json() == unknown.json()
    assert foreign.status_code == 404


async def test_an_admin_may_read_everybodys(kept: Kept) -> None:
    reply = await kept.keep(caller="somebody-else")
    shown = await kept.read(reply.id, **{"X-Vouch-Token": kept.service.token})
    assert (shown.status_code, shown.json()["answer"]) == (200, reply.answer)
    wrong = await kept.read(reply.id, **{"X-Vouch-Token": "wrong"})
    assert wrong.status_code == 404


@pytest.mark.parametrize("change", ["restricted", "removed"])
async def test_text_that_may_no_longer_be_seen_is_withheld(kept: Kept, change: str) -> None:
    reply = await kept.keep()
    if change == "restricted":
        await kept.restrict("leave.md")
    else:
        hidden = [s.passage_id for s in reply.sources if s.document_id == "leave.md"]
        await kept.services.store.delete_passages(await kept.collection(), hidden)
    shown = await kept.read(reply.id)
    assert (shown.json()["withheld"], shown.json()["answer"], shown.json()["status"]) == (True, None, "answered")
    for before, after in zip(reply.sources, shown.json()["sources"], strict=True):
        assert (after["number"], after["withheld"]) == (before.number, before.document_id == "leave.md")
        assert after["text"] == ("" if after["withheld"] else before.text)
    assert "28 days" not in shown.text


async def test_a_lost_redis_loses_evidence_and_no_answer(indexed: Settings, tmp_path: Path, redis: RedisServer) -> None:
    async with serving(settings_for(tmp_path, REDIS_URL=redis.url)) as kept:
        reply = await kept.keep()
        redis.kill()
        before = EVIDENCE_LOST._value.get()
        for _ in range(2):
            await kept.keep()
        assert EVIDENCE_LOST._value.get() == before + 2
        away = await kept.read(reply.id)
        assert (away.status_code, away.json()["type"]) == (503, "/problems/evidence-unavailable")
        assert away.headers["retry-after"] == "5"


async def test_a_store_of_evidence_that_cannot_be_opened_does_not_stop_the_service(
    indexed: Settings, tmp_path: Path
) -> None:
    (tmp_path / "qdrant" / "evidence.sqlite").mkdir()
    async with serving(indexed) as kept:
        await kept.keep()
        assert (await kept.read("any")).status_code == 503
        assert (await kept.service.http.get("/health/ready")).status_code == 200


async def test_evidence_outlives_the_service(indexed: Settings) -> None:
    async with serving(indexed) as kept:
        reply = await kept.keep()
    async with serving(indexed) as kept:
        assert (await kept.read(reply.id)).json()["answer"] == reply.answer


async def test_an_answer_without_sources_needs_no_index(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path)) as kept:
        reply = Reply(id="a1", status=Status.REFUSED, reason="no_candidates", message="Nothing.", answer=None)
        store = kept.services.evidence
        await evidence.keep(store, reply, (), question=QUESTION, searched=QUESTION, caller="anonymous")
        shown = (await kept.read("a1")).json()
        assert (shown["reason"], shown["sources"], shown["withheld"]) == ("no_candidates", [], False)

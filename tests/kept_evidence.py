"""The stores of evidence for tests: one of each kind, values to put into them, and a clock to let time pass."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.adapters.redis_circuit import RedisLink, connect
from app.adapters.redis_evidence import RedisEvidence
from app.adapters.sqlite_evidence import SqliteEvidence
from app.core.evidence import Evidence
from app.core.model import Relevance, Reply, Source, Status
from app.metrics import EVIDENCE_FAILURES

TTL_S = 1_000


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def source(number: int, document_id: str, text: str = "Some text.") -> Source:
    return Source(
        number=number,
        document_id=document_id,
        passage_id=f"passage of {document_id}",
        title="Überschrift “T”",
        heading=("Erstes", "第二"),
        page=3,
        url="https://handbook.example/a?b=c#d",
        updated_at="2026-01-31",
        score=0.1 + 0.2,
        text=text,
    )


def evidence(answer_id: str, *sources: Source, revision: str = "r1", status: Status = Status.ANSWERED) -> Evidence:
    listed = status in (Status.ANSWERED, Status.UNGROUNDED)
    reply = Reply(
        id=answer_id,
        status=status,
        reason=None,
        message="Answered from the sources listed.",
        answer="Line one [1].\n\n“Two” 🎈 \x00" if listed else None,
        sources=sources if listed else (),
        cited=(1,),
        dropped=("[9]", "[7-9]"),
        relevance=Relevance(0.812345678901234, 0.4, 8, 3),
        revision=revision,
        model="scripted",
        timings_ms={"search": 1.25, "total": 20.0},
    )
    return Evidence(
        caller="anonymous",
        question="How many?",
        searched="How many? Days of leave",
        answered_at="2026-11-29T10:00:00+00:00",
        prompt_version="1",
        packed=sources,
        reply=reply,
    )


@asynccontextmanager
async def in_sqlite(
    file: Path, clock: Clock, *, index_name: str = "vouch", ttl_s: float = TTL_S
) -> AsyncIterator[SqliteEvidence]:
    store = SqliteEvidence(file, index_name, ttl_s, clock)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def in_redis(url: str, clock: Clock, *, timeout_s: float = 10) -> AsyncIterator[RedisEvidence]:
    """More patient than the service, so that a busy machine fails no test."""
    link = RedisLink(connect(url), clock)
    try:
        yield RedisEvidence(link, "vouch", TTL_S, timeout_s=timeout_s)
    finally:
        await link.close()


def failures(kind: str) -> float:
    return EVIDENCE_FAILURES.labels(kind)._value.get()

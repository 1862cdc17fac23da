"""What every EvidenceStore promises, in an SQLite file and in a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.model import Status
from app.ports import EvidenceStore
from tests.kept_evidence import Clock, evidence, in_redis, in_sqlite, source
from tests.redis_server import RedisServer


@pytest.fixture(params=["sqlite", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EvidenceStore]:
    if request.param == "sqlite":
        async with in_sqlite(tmp_path / "evidence.sqlite", Clock()) as store:
            yield store
        return
    server: RedisServer = request.getfixturevalue("redis")
    async with in_redis(server.url, Clock()) as store:
        yield store


@pytest.mark.parametrize("status", list(Status))
async def test_evidence_comes_back_exactly_as_it_was_put(store: EvidenceStore, status: Status) -> None:
    kept = evidence("a1", source(1, "a.md"), source(2, "über/日本.md", "“Quoted”\n\ttext, \x00 and [1]"), status=status)
    await store.put(kept)
    assert await store.get("a1") == kept


async def test_an_answer_without_sources_is_kept_too(store: EvidenceStore) -> None:
    kept = evidence("a1", status=Status.REFUSED)
    await store.put(kept)
    assert await store.get("a1") == kept


@pytest.mark.parametrize("unknown", ["", "a2", "A1", "a1 ", "*", "a%", "1:a1", "a1\0", "é" * 5_000])
async def test_an_unknown_id_is_none(store: EvidenceStore, unknown: str) -> None:
    await store.put(evidence("a1", source(1, "a.md")))
    assert await store.get(unknown) is None


async def test_an_answer_put_again_replaces_the_first(store: EvidenceStore) -> None:
    await store.put(evidence("a1", source(1, "a.md")))
    later = evidence("a1", source(1, "b.md"))
    await store.put(later)
    assert await store.get("a1") == later


async def test_the_same_passage_with_another_text_keeps_both_texts(store: EvidenceStore) -> None:
    """Within a revision too: a packed passage may have been merged with its neighbours."""
    first, second = evidence("a1", source(1, "a.md", "short")), evidence("a2", source(1, "a.md", "short and long"))
    await store.put(first)
    await store.put(second)
    assert [await store.get("a1"), await store.get("a2")] == [first, second]


async def test_many_callers_at_once_get_their_own(store: EvidenceStore) -> None:
    many = {f"a{n}": evidence(f"a{n}", source(1, "shared.md"), source(2, f"{n}.md")) for n in range(30)}
    for batch in (list(many)[:15], list(many)[15:]):
        await asyncio.gather(*(store.put(many[answer_id]) for answer_id in batch))
    assert {answer_id: await store.get(answer_id) for answer_id in many} == many

"""What every EvidenceStore promises, in an SQLite file and in a real Redis; and where the two differ."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs
from redis.asyncio import Redis

from app.adapters.circuit import CALL_TIMEOUT_S, REST_S
from app.adapters.redis_circuit import connect
from app.adapters.redis_evidence import RedisEvidence
from app.adapters.sqlite_evidence import SqliteEvidence
from app.core.evidence import Evidence
from app.core.model import Relevance, Reply, Source, Status
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_FAILURES
from app.ports import EvidenceStore
from tests.redis_server import RedisServer

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


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def sqlite(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteEvidence]:
    store = SqliteEvidence(tmp_path / "evidence.sqlite", "vouch", TTL_S, clock)
    yield store
    await store.close()


@pytest.fixture
async def in_redis(redis: RedisServer, clock: Clock) -> AsyncIterator[RedisEvidence]:
    store = RedisEvidence(connect(redis.url), "vouch", TTL_S, clock)
    yield store
    await store.close()


@pytest.fixture(params=["sqlite", "in_redis"])
def store(request: pytest.FixtureRequest) -> EvidenceStore:
    return request.getfixturevalue(request.param)


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


# SQLite


def rows(sqlite: SqliteEvidence, table: str, tmp_path: Path) -> int:
    with closing(sqlite3.connect(tmp_path / "evidence.sqlite")) as file:
        return file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


async def test_sqlite_keeps_a_text_once_for_a_revision(sqlite: SqliteEvidence, tmp_path: Path) -> None:
    for number in range(5):
        await sqlite.put(evidence(f"a{number}", source(1, "a.md"), source(2, "b.md")))
    assert (rows(sqlite, "answers", tmp_path), rows(sqlite, "texts", tmp_path)) == (5, 2)
    await sqlite.put(evidence("a5", source(1, "a.md"), revision="r2"))
    assert rows(sqlite, "texts", tmp_path) == 3
    assert b"Some text." not in await record_of("a0", tmp_path)


async def record_of(answer_id: str, tmp_path: Path) -> bytes:
    with closing(sqlite3.connect(tmp_path / "evidence.sqlite")) as file:
        return file.execute("SELECT record FROM answers WHERE key = ?", (f"vouch:{answer_id}",)).fetchone()[0]


async def test_sqlite_expires_answers_but_no_text_that_a_younger_one_needs(
    sqlite: SqliteEvidence, clock: Clock, tmp_path: Path
) -> None:
    old, young = evidence("old", source(1, "a.md"), source(2, "b.md")), evidence("young", source(1, "a.md"))
    await sqlite.put(old)
    clock.now += TTL_S - 1
    await sqlite.put(young)
    assert await sqlite.get("old") == old
    clock.now += 1
    assert await sqlite.get("old") is None
    await sqlite.put(evidence("other", status=Status.REFUSED))  # sweeps
    assert (rows(sqlite, "answers", tmp_path), rows(sqlite, "texts", tmp_path)) == (2, 1)
    assert await sqlite.get("young") == young


async def test_a_shorter_time_takes_no_text_from_older_answers(clock: Clock, tmp_path: Path) -> None:
    kept = evidence("a1", source(1, "a.md"))
    for ttl_s, answer_id in ((TTL_S, "a1"), (TTL_S / 10, "a2")):
        store = SqliteEvidence(tmp_path / "evidence.sqlite", "vouch", ttl_s, clock)
        await store.put(structs.replace(kept, reply=structs.replace(kept.reply, id=answer_id)))
        await store.close()
    clock.now += TTL_S / 2
    store = SqliteEvidence(tmp_path / "evidence.sqlite", "vouch", TTL_S, clock)
    await store.put(evidence("a3", status=Status.REFUSED))  # sweeps
    assert await store.get("a1") == kept
    await store.close()


async def test_sqlite_outlives_its_process_and_is_for_its_owner_alone(clock: Clock, tmp_path: Path) -> None:
    file, kept = tmp_path / "new" / "evidence.sqlite", evidence("a1", source(1, "a.md"))
    for _ in range(2):
        store = SqliteEvidence(file, "vouch", TTL_S, clock)
        if not await store.get("a1"):
            await store.put(kept)
        await store.close()
    store = SqliteEvidence(file, "vouch", TTL_S, clock)
    assert await store.get("a1") == kept
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    await store.close()


async def test_indexes_that_share_a_file_do_not_share_answers(clock: Clock, tmp_path: Path) -> None:
    one, other = (SqliteEvidence(tmp_path / "evidence.sqlite", name, TTL_S, clock) for name in ("one", "other"))
    await one.put(evidence("a1", source(1, "a.md")))
    assert await other.get("a1") is None
    await one.close()
    await other.close()


@pytest.mark.parametrize("spoiled", ["rubbish", "folder", "locked"])
async def test_a_file_that_cannot_be_used_is_an_error_of_ours_in_time(tmp_path: Path, spoiled: str) -> None:
    file = tmp_path / "evidence.sqlite"
    if spoiled == "rubbish":
        file.write_bytes(b"this is no database" * 100)
    elif spoiled == "folder":
        file.mkdir()
    with closing(sqlite3.connect(tmp_path / "other.sqlite" if spoiled != "locked" else file)) as locking:
        locking.execute("BEGIN EXCLUSIVE")
        store = SqliteEvidence(file, "vouch", TTL_S)
        await assert_fails_in_time(store)
        await store.close()


async def test_a_slow_disk_is_not_waited_for_and_then_left_alone(clock: Clock, tmp_path: Path) -> None:
    """The clock is read on the store's thread: one that hangs stands for a disk that does."""
    hang, asked = threading.Event(), []

    def hanging() -> float:
        asked.append(1)
        hang.wait(30)
        return clock.now

    store = SqliteEvidence(tmp_path / "evidence.sqlite", "vouch", TTL_S, hanging)
    await assert_fails_in_time(store)
    hang.set()
    await store.close()
    assert len(asked) == 1, "the second call was not made"


async def assert_fails_in_time(store: EvidenceStore) -> None:
    """Twice: the first call runs into its bound at the latest, the second finds the circuit open."""
    for bound in (CALL_TIMEOUT_S + 0.3, 0.1):
        started = time.perf_counter()
        with pytest.raises(EvidenceUnavailable):
            await store.put(evidence("a1", source(1, "a.md")))
        assert time.perf_counter() - started < bound


# Redis


async def test_redis_keeps_a_text_once_and_renews_its_time(in_redis: RedisEvidence, redis: RedisServer) -> None:
    async with Redis.from_url(redis.url) as client:
        await in_redis.put(evidence("a1", source(1, "a.md"), source(2, "b.md")))
        texts = await client.keys("vouch:passage:*")
        assert len(texts) == 2
        for key in [*texts, b"vouch:evidence:vouch:a1"]:
            assert TTL_S - 5 < await client.ttl(key) <= TTL_S
            await client.expire(key, 10)
        await in_redis.put(evidence("a2", source(1, "a.md")))
        assert sorted([await client.ttl(key) > 10 for key in texts]) == [False, True]
        assert sorted(await client.keys("vouch:passage:*")) == sorted(texts)


async def test_an_answer_that_lost_a_text_is_gone_as_a_whole(in_redis: RedisEvidence, redis: RedisServer) -> None:
    """A Redis that is full may throw out any key."""
    await in_redis.put(evidence("a1", source(1, "a.md"), source(2, "b.md")))
    async with Redis.from_url(redis.url) as client:
        await client.delete((await client.keys("vouch:passage:*"))[0])
    assert await in_redis.get("a1") is None


async def test_what_another_version_wrote_is_unknown_and_counted(in_redis: RedisEvidence, redis: RedisServer) -> None:
    await in_redis.put(evidence("a1", source(1, "a.md")))
    before = EVIDENCE_FAILURES.labels("decode")._value.get()
    async with Redis.from_url(redis.url) as client:
        for rubbish in (b"{", b'{"evidence": 1}', b"\xff\xfe", b"null"):
            await client.set("vouch:evidence:vouch:a1", rubbish)
            assert await in_redis.get("a1") is None
    assert EVIDENCE_FAILURES.labels("decode")._value.get() == before + 4
    await in_redis.put(evidence("a2"))  # and the circuit is closed


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_a_lost_redis_is_an_error_of_ours_in_time_and_left_alone(
    in_redis: RedisEvidence, redis: RedisServer, clock: Clock, fault: str
) -> None:
    await in_redis.put(evidence("a0"))
    getattr(redis, fault)()
    before = EVIDENCE_FAILURES.labels("put")._value.get()
    await assert_fails_in_time(in_redis)
    with pytest.raises(EvidenceUnavailable):
        await in_redis.get("a0")
    assert EVIDENCE_FAILURES.labels("put")._value.get() == before + 1, "one failure, then it rests"
    redis.wake() if fault == "freeze" else redis.start()
    clock.now += REST_S
    await in_redis.put(evidence("a1"))
    assert await in_redis.get("a1") == evidence("a1")

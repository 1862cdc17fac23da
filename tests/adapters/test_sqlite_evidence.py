"""Kept answers in a file: what is stored, when it goes, and a file that can't be used."""

from __future__ import annotations

import sqlite3
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from app.adapters.sqlite_evidence import SqliteEvidence
from app.core.model import Status
from app.errors import EvidenceUnavailable
from tests.kept_evidence import TTL_S, Clock, evidence, failures, in_sqlite, source


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evidence.sqlite"


@pytest.fixture
async def store(file: Path, clock: Clock) -> AsyncIterator[SqliteEvidence]:
    async with in_sqlite(file, clock) as store:
        yield store


async def rows(store: SqliteEvidence, file: Path) -> tuple[int, int]:
    """How many answers and texts the file holds, once all is written."""
    await store.get("any")
    with closing(sqlite3.connect(file)) as reader:
        answers, texts = (reader.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("answers", "texts"))
        return answers[0], texts[0]


async def test_a_text_is_kept_once_for_a_revision(store: SqliteEvidence, file: Path) -> None:
    for number in range(5):
        await store.put(evidence(f"a{number}", source(1, "a.md"), source(2, "b.md")))
    assert await rows(store, file) == (5, 2)
    await store.put(evidence("a5", source(1, "a.md"), revision="r2"))
    assert await rows(store, file) == (6, 3)
    with closing(sqlite3.connect(file)) as reader:
        records = reader.execute("SELECT record FROM answers").fetchall()
    assert all(b"Some text." not in record for (record,) in records)


async def test_an_answer_expires_but_no_text_that_a_younger_one_needs(
    store: SqliteEvidence, clock: Clock, file: Path
) -> None:
    old, young = evidence("old", source(1, "a.md"), source(2, "b.md")), evidence("young", source(1, "a.md"))
    await store.put(old)
    clock.now += TTL_S - 1
    await store.put(young)
    assert await store.get("old") == old
    clock.now += 1
    assert await store.get("old") is None
    await store.put(evidence("other", status=Status.REFUSED))  # sweeps
    assert await rows(store, file) == (2, 1)
    assert await store.get("young") == young


async def test_a_shorter_time_takes_no_text_from_older_answers(clock: Clock, file: Path) -> None:
    kept = evidence("a1", source(1, "a.md"))
    async with in_sqlite(file, clock) as store:
        await store.put(kept)
    async with in_sqlite(file, clock, ttl_s=TTL_S / 10) as store:
        await store.put(evidence("a2", source(1, "a.md")))
        clock.now += TTL_S / 2
        await store.put(evidence("a3", status=Status.REFUSED))  # sweeps
        assert await store.get("a1") == kept


async def test_the_file_outlives_its_process_and_is_for_its_owner_alone(clock: Clock, tmp_path: Path) -> None:
    file, kept = tmp_path / "new" / "evidence.sqlite", evidence("a1", source(1, "a.md"))
    async with in_sqlite(file, clock) as store:
        await store.put(kept)
    async with in_sqlite(file, clock) as store:
        assert await store.get("a1") == kept
        assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}


async def test_indexes_that_share_a_file_do_not_share_answers(store: SqliteEvidence, clock: Clock, file: Path) -> None:
    await store.put(evidence("a1", source(1, "a.md")))
    async with in_sqlite(file, clock, index_name="other") as other:
        assert await other.get("a1") is None


@contextmanager
def rubbish(file: Path) -> Iterator[None]:
    file.write_bytes(b"this is no database" * 100)
    yield


@contextmanager
def folder(file: Path) -> Iterator[None]:
    file.mkdir()
    yield


@contextmanager
def locked(file: Path) -> Iterator[None]:
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@pytest.mark.parametrize("spoiled", [rubbish, folder, locked])
async def test_a_file_that_cannot_be_used_is_one_warning_and_an_error_of_ours(
    clock: Clock, file: Path, spoiled: Callable[[Path], AbstractContextManager[None]]
) -> None:
    before = failures("put")
    with spoiled(file):
        async with in_sqlite(file, clock) as store:
            await store.put(evidence("a1", source(1, "a.md")))
            with pytest.raises(EvidenceUnavailable):
                await store.get("a1")
            with pytest.raises(EvidenceUnavailable):
                await store.put(evidence("a2"))  # it rests
    assert failures("put") == before + 1


async def test_a_slow_disk_delays_no_answer_and_loses_none_that_finds_room(clock: Clock, file: Path) -> None:
    moving = threading.Event()
    many = [evidence(f"a{number}", source(1, "a.md")) for number in range(100)]
    store = SqliteEvidence(file, "vouch", TTL_S, clock)
    store._thread.submit(moving.wait, 30)  # as a write that hangs would
    started = time.perf_counter()
    for kept in many:
        await store.put(kept)
    with pytest.raises(EvidenceUnavailable):
        await store.put(evidence("too many"))
    assert time.perf_counter() - started < 20
    moving.set()
    await store.close()
    async with in_sqlite(file, clock) as store:
        assert [await store.get(kept.reply.id) for kept in many] == many
        assert await store.get("too many") is None

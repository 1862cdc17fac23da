"""One job at a time writes to an index, wherever jobs are started."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.adapters.qdrant_store import QdrantStore, connect
from app.core.records import Lease, StateRecord
from app.errors import LeaseMissing, StoreError
from app.ports import VectorStore
from ingest import job
from ingest.errors import JobRunning, NothingToIngest
from ingest.generation import Generation
from ingest.indexing import spec_for
from ingest.lease import LEASE_S, MARGIN_S, StateKeeper
from tests import processes
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.qdrant_http import http_server, local_mode
from tests.service import settings_for, write_corpus
from tests.shared_embedder import embedders
from tests.stores import LOCAL_MODE, edge_store, lease, memory_store, spec, state, store_folder

pytestmark = LOCAL_MODE


@pytest.fixture
async def store() -> AsyncIterator[VectorStore]:
    async with memory_store() as store:
        await store.create(spec("c"))
        yield store


async def standing(store: VectorStore, collection: str = "c") -> StateRecord:
    found = await store.read_state(collection)
    assert found is not None
    return found


async def held(store: VectorStore, collection: str = "c") -> Lease:
    found = (await standing(store, collection)).lease
    assert found is not None
    return found


def in_seconds(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


async def test_the_holder_is_named_with_its_machine_and_its_start(store: VectorStore) -> None:
    first, second = StateKeeper(store), StateKeeper(store)
    assert await first.take(state("c")) is None
    taken = await held(store)
    with pytest.raises(JobRunning) as refused:
        await second.take(state("c"))
    for said in (f"process {os.getpid()} on {taken.host}", f"since {taken.since}", taken.until):
        assert said in str(refused.value)
    assert await held(store) == taken
    await first.give_up()
    assert await second.take(state("c")) == state("c")
    await second.give_up()


async def test_a_lease_that_ran_out_is_taken_over_and_one_that_did_not_is_not(store: VectorStore) -> None:
    dead = state("c", lease=lease("dead", until=in_seconds(-1)))
    await store.write_state(dead)
    keeper = StateKeeper(store)
    assert await keeper.take(state("c")) == dead
    await keeper.give_up()
    await store.write_state(state("c", lease=lease("alive", until=in_seconds(30))))
    with pytest.raises(JobRunning):
        await keeper.take(state("c"))


async def test_a_job_that_saw_an_older_state_than_stands_there_does_not_get_the_lease(store: VectorStore) -> None:
    """Another job came and went between its look and its take."""
    await store.write_state(state("c", job="1"))

    class Slow:
        shared = True

        async def read_state(self, collection: str) -> StateRecord | None:
            seen = await store.read_state(collection)
            await store.write_state(state("c", job="2", generation=2))
            return seen

        write_state = store.write_state

    slow: Any = Slow()
    with pytest.raises(JobRunning, match="again"):
        await StateKeeper(slow).take(state("c"))
    assert await standing(store) == state("c", job="2", generation=2)


async def test_it_is_renewed_before_it_runs_out(store: VectorStore) -> None:
    keeper = StateKeeper(store, lasts_s=0.6, margin_s=0.2)
    await keeper.take(state("c"))
    first = await held(store)

    async def is_renewed() -> bool:
        return (await held(store)).until != first.until

    await eventually(is_renewed)
    renewed = await held(store)
    assert (renewed.token, renewed.since) == (first.token, first.since)
    keeper.check()
    await keeper.give_up()


async def test_writing_stops_before_a_lease_that_cannot_be_renewed_runs_out(store: VectorStore) -> None:
    faulty: Any = FaultyStore(store, 1, breaks)
    keeper = StateKeeper(faulty, lasts_s=0.9, margin_s=0.3)
    await keeper.take(state("c"))
    until = datetime.fromisoformat((await held(store)).until)
    keeper.check()

    async def is_refused() -> bool:
        try:
            keeper.check()
        except LeaseMissing:
            return True
        return False

    await eventually(is_refused)
    assert datetime.now(UTC) < until
    await keeper.give_up()
    assert await held(store), "it could not be given up: it runs out"


async def test_the_margin_covers_the_two_requests_of_one_write() -> None:
    from app.adapters.qdrant_store import TIMEOUT_S

    assert 2 * TIMEOUT_S < MARGIN_S < LEASE_S * 2 / 3


async def test_ready_is_not_set_by_a_job_whose_lease_was_taken_over(store: VectorStore) -> None:
    generation = Generation(store, spec("c"))
    await generation.open()
    await generation.begin()
    mine = await standing(store)
    taken_over = structs.replace(mine, generation=7, lease=lease("theirs", until=in_seconds(60)))
    await store.write_state(taken_over, mine)
    with pytest.raises(LeaseMissing):
        await generation.finish([])
    await generation.close()
    assert await standing(store) == taken_over
    assert await store.state() is None, "nothing was switched"


async def test_jobs_that_build_different_collections_exclude_each_other(store: VectorStore) -> None:
    await store.write_state(state("c"))
    await store.switch("c")
    builder, other = Generation(store, spec("d")), Generation(store, spec("e"))
    await builder.open()
    for excluded in (other, Generation(store, spec("c"))):
        with pytest.raises(JobRunning):
            await excluded.open()
        await excluded.close()
    await builder.finish([])
    await builder.close()
    current = await store.state()
    assert current is not None
    assert (current.collection, current.lease) == ("d", None)
    assert (await standing(store)).lease is None


async def test_a_job_gives_its_lease_up_however_it_ends(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    embedder = await embedders.get("bundled")
    collection = spec_for(settings.index_name, embedder).collection
    async with memory_store() as store:

        async def run(store: Any) -> None:
            await job.run(store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)

        with pytest.raises(NothingToIngest):
            await run(store)
        write_corpus(tmp_path)
        with pytest.raises(StoreError):
            await run(FaultyStore(store, 5, breaks))
        assert await held(store, collection), "a store that broke: it runs out"
        dead = await standing(store, collection)
        await store.write_state(structs.replace(dead, lease=None), dead)
        running = asyncio.create_task(run(store))

        async def is_taken() -> bool:
            return (await standing(store, collection)).lease is not None

        await eventually(is_taken)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        assert (await standing(store, collection)).lease is None
        await run(store)
        assert (await standing(store, collection)).lease is None
        assert (await standing(store, collection)).state == "ready"


async def test_the_embedded_store_needs_no_lease() -> None:
    with store_folder() as folder:
        async with edge_store(folder) as store:
            generation = Generation(store, spec("c"))
            await generation.open()
            await generation.begin()
            assert (await standing(store)).lease is None
            await generation.finish([])
            await generation.close()


async def test_the_command_says_who_holds_the_lease_and_ends_with_code_3(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    async with http_server(local_mode()) as server:
        code, _, err = await processes.run(tmp_path, "ingest", QDRANT_URL=server.url)
        assert code == 0, err
        async with connected(server.url) as store:
            current = await store.state()
            assert current is not None
            keeper = StateKeeper(store)
            await keeper.take(current)
            code, out, err = await processes.run(tmp_path, "ingest", QDRANT_URL=server.url)
            taken = await held(store, current.collection)
            assert (code, out) == (3, "")
            assert f"process {os.getpid()} on {taken.host}, since {taken.since}" in err
            await keeper.give_up()


async def test_a_holder_that_slept_and_woke_writes_nothing_any_more() -> None:
    """It is stopped until its lease has run out and another job has come and gone."""
    async with http_server(local_mode()) as server, connected(server.url) as store:
        await store.create(spec("c"))
        async with holder(server.url, "c") as process:
            process.send_signal(signal.SIGSTOP)
            keeper = StateKeeper(store)
            await eventually(lambda: takes(keeper))
            finished = state("c", generation=2, revision="new", job="new")
            await keeper.write(finished)
            await keeper.give_up()
            process.send_signal(signal.SIGCONT)
            said, _ = await process.communicate(b"go on\n")
        assert said.decode().split() == ["refused", "refused"]
        assert await standing(store) == finished


async def test_a_holder_that_is_let_alone_writes_and_finishes() -> None:
    async with http_server(local_mode()) as server, connected(server.url) as store:
        async with holder(server.url, "c") as process:
            said, _ = await process.communicate(b"go on\n")
        assert said.decode().split() == ["allowed", "allowed"]
        assert (await standing(store)).state == "ready"


async def test_the_lease_of_a_killed_holder_is_free_when_it_has_run_out() -> None:
    async with http_server(local_mode()) as server, connected(server.url) as store:
        await store.create(spec("c"))
        async with holder(server.url, "c") as process:
            process.kill()
            await process.wait()
            until = datetime.fromisoformat((await held(store)).until)
            keeper = StateKeeper(store)
            await eventually(lambda: takes(keeper))
            assert datetime.now(UTC) >= until
            await keeper.give_up()


async def eventually(happens: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(3_000):
        if await happens():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not happen")


async def takes(keeper: StateKeeper) -> bool:
    try:
        await keeper.take(state("c"))
    except JobRunning:
        return False
    return True


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[QdrantStore]:
    store = QdrantStore(connect(url, api_key=None), "vouch")
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def holder(url: str, collection: str) -> AsyncIterator[Process]:
    """A process that holds the lease."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ingest.lease_holder", url, collection, stdin=PIPE, stdout=PIPE, cwd=processes.ROOT
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"holds\n"
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

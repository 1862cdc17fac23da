"""A job that builds another collection holds the lease of the one that answers, too, until the index name has moved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from app.core.records import StateRecord
from app.errors import LeaseMissing, StoreUnavailable
from app.ports import VectorStore
from ingest.generation import Generation
from ingest.lease import StateKeeper
from tests.stores import LOCAL_MODE, memory_store, spec, state

pytestmark = LOCAL_MODE

IN_TIME = 3.0
"""Seconds in which what has to happen does."""


@pytest.fixture
async def store() -> AsyncIterator[VectorStore]:
    """`c` answers."""
    async with memory_store() as store:
        await store.create(spec("c"))
        await store.write_state(state("c"))
        await store.switch("c")
        yield store


async def standing(store: VectorStore) -> StateRecord:
    found = await store.read_state("c")
    assert found is not None
    return found


async def test_the_index_name_is_not_moved_by_a_job_that_slept_while_a_push_changed_what_answers(
    store: VectorStore,
) -> None:
    builder = Generation(store, spec("d"))
    await builder.open()
    await builder.begin()
    before = await standing(store)
    pushed = structs.replace(before, generation=2, job="push", lease=None)
    await store.write_state(pushed, before)
    with pytest.raises(LeaseMissing):
        await builder.finish([])
    await builder.close()
    assert await store.state() == pushed


async def test_nothing_is_written_aside_once_the_lease_of_what_answers_is_lost(store: VectorStore) -> None:
    builder = Generation(store, spec("d"), lease_s=0.6, margin_s=0.2)
    await builder.open()
    await builder.begin()
    before = await standing(store)
    await store.write_state(structs.replace(before, lease=None), before)

    async def go_on_writing() -> None:
        while True:
            await builder.begin()
            await asyncio.sleep(0.01)

    with pytest.raises(LeaseMissing):
        await asyncio.wait_for(go_on_writing(), IN_TIME)
    await builder.close()


async def test_of_two_first_jobs_that_build_different_collections_the_later_one_moves_nothing() -> None:
    """While nothing answers there is no lease that both need."""
    async with memory_store() as store:
        slow, fast = Generation(store, spec("d")), Generation(store, spec("c"))
        await slow.open()
        await fast.open()
        await fast.finish([])
        await fast.close()
        with pytest.raises(LeaseMissing, match="again"):
            await slow.finish([])
        await slow.close()
        current = await store.state()
    assert current is not None
    assert current.collection == "c"


async def test_a_renewal_that_fails_once_is_made_good_before_writing_stops(store: VectorStore) -> None:
    class FailsOnce:
        shared = True
        read_state = store.read_state
        writes = 0

        async def write_state(self, *states: StateRecord) -> None:
            self.writes += 1
            if self.writes == 2:
                raise StoreUnavailable("busy")
            await store.write_state(*states)

    flaky: Any = FailsOnce()
    keeper = StateKeeper(flaky, lasts_s=3.0, margin_s=1.25)
    await keeper.take(state("c"))
    async with asyncio.timeout(IN_TIME):
        while flaky.writes < 3:
            keeper.check()
            await asyncio.sleep(0.01)
    await keeper.give_up()

"""What every VectorStore promises of the lease in the state record: a write by another than its holder is none."""

from __future__ import annotations

import asyncio

import pytest

from app.core.records import StateRecord
from app.errors import LeaseMissing
from app.ports import VectorStore
from tests.stores import LOCAL_MODE, lease, spec, state

pytestmark = LOCAL_MODE


async def test_a_lease_is_taken_renewed_and_given_back(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    taken = state(collection, lease=lease("mine"))
    await store.write_state(taken)
    renewed = state(collection, generation=2, job="job-1", lease=lease("mine", until="2026-11-29T10:02:00+00:00"))
    await store.write_state(renewed, taken)
    assert await store.read_state(collection) == renewed
    await store.write_state(state(collection, generation=3, job="job-1"), renewed)
    assert await store.read_state(collection) == state(collection, generation=3, job="job-1")


@pytest.mark.parametrize("known", [None, state("c"), state("c", lease=lease("mine")), state("c", lease=lease("old"))])
async def test_who_does_not_hold_the_lease_cannot_write_the_state(
    store: VectorStore, collection: str, known: StateRecord | None
) -> None:
    await store.create(spec(collection))
    standing = state(collection, lease=lease("theirs", pid=4711))
    await store.write_state(standing)
    with pytest.raises(LeaseMissing, match="4711 on here, since 2026-11-29T10:00:00"):
        await store.write_state(state(collection, generation=9, lease=lease("mine")), known)
    assert await store.read_state(collection) == standing


async def test_a_state_that_was_removed_does_not_come_back_by_a_write(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    mine = state(collection, lease=lease("mine"))
    with pytest.raises(LeaseMissing):
        await store.write_state(mine, mine)
    assert await store.read_state(collection) is None


async def test_a_state_that_another_job_changed_meanwhile_is_not_overwritten(
    store: VectorStore, collection: str
) -> None:
    await store.create(spec(collection))
    for job in ("job-1", None):
        known = state(collection, job=job)
        changed = state(collection, generation=2, job="job-2")
        await store.write_state(changed)
        with pytest.raises(LeaseMissing, match="again"):
            await store.write_state(state(collection, job=job, lease=lease("mine")), known)
        assert await store.read_state(collection) == changed


async def test_a_lease_that_ran_out_is_taken_over_by_one_who_saw_it(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    dead, mine = state(collection, lease=lease("dead")), state(collection, lease=lease("mine"))
    await store.write_state(dead)
    await store.write_state(mine, dead)
    with pytest.raises(LeaseMissing):
        await store.write_state(state(collection, generation=9, lease=lease("dead")), dead)
    assert await store.read_state(collection) == mine


@pytest.mark.parametrize("token", [None, "dead"])
async def test_of_many_that_want_the_lease_one_gets_it(store: VectorStore, collection: str, token: str | None) -> None:
    await store.create(spec(collection))
    standing = state(collection, job="job-1", lease=lease(token) if token else None)
    await store.write_state(standing)
    wanted = [state(collection, job="job-1", lease=lease(f"job {number}")) for number in range(8)]
    results = await asyncio.gather(*(store.write_state(one, standing) for one in wanted), return_exceptions=True)
    refused = [result for result in results if result is not None]
    assert len(refused) == 7
    assert all(isinstance(result, LeaseMissing) for result in refused)
    assert await store.read_state(collection) == wanted[results.index(None)]

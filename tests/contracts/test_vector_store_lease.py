"""What every VectorStore promises of the lease in the state record: a write by another than its holder is none."""

from __future__ import annotations

import asyncio

import pytest

from app.errors import LeaseMissing
from app.ports import VectorStore
from tests.stores import LOCAL_MODE, lease, spec, state

pytestmark = LOCAL_MODE


async def test_a_lease_is_taken_renewed_and_given_back(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection, lease=lease("mine")))
    renewed = state(collection, generation=2, lease=lease("mine", until="2026-11-29T10:02:00+00:00"))
    await store.write_state(renewed, held="mine")
    assert await store.read_state(collection) == renewed
    await store.write_state(state(collection, generation=3), held="mine")
    assert await store.read_state(collection) == state(collection, generation=3)


@pytest.mark.parametrize("held", [None, "mine", "old"])
async def test_who_does_not_hold_the_lease_cannot_write_the_state(
    store: VectorStore, collection: str, held: str | None
) -> None:
    await store.create(spec(collection))
    standing = state(collection, lease=lease("theirs", pid=4711))
    await store.write_state(standing)
    with pytest.raises(LeaseMissing, match="4711 on here since 2026-11-29T10:00:00"):
        await store.write_state(state(collection, generation=9, lease=lease("mine")), held=held)
    assert await store.read_state(collection) == standing


async def test_a_lease_that_is_gone_does_not_come_back_by_a_write(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    with pytest.raises(LeaseMissing):
        await store.write_state(state(collection, lease=lease("mine")), held="mine")
    assert await store.read_state(collection) is None, "a record that was removed must not be made anew"
    await store.write_state(state(collection))
    with pytest.raises(LeaseMissing):
        await store.write_state(state(collection, generation=9, lease=lease("mine")), held="mine")
    assert await store.read_state(collection) == state(collection)


async def test_a_lease_that_ran_out_is_taken_over_by_naming_it(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection, lease=lease("dead")))
    await store.write_state(state(collection, lease=lease("mine")), held="dead")
    with pytest.raises(LeaseMissing):
        await store.write_state(state(collection, generation=9, lease=lease("dead")), held="dead")
    assert await store.read_state(collection) == state(collection, lease=lease("mine"))


@pytest.mark.parametrize("standing", [None, "dead"])
async def test_of_many_that_want_the_lease_one_gets_it(
    store: VectorStore, collection: str, standing: str | None
) -> None:
    await store.create(spec(collection))
    if standing:
        await store.write_state(state(collection, lease=lease(standing)))
    tokens = [f"job {number}" for number in range(8)]
    takes = [store.write_state(state(collection, lease=lease(token)), held=standing) for token in tokens]
    results = await asyncio.gather(*takes, return_exceptions=True)
    refused = [result for result in results if result is not None]
    assert len(refused) == 7
    assert all(isinstance(result, LeaseMissing) for result in refused)
    won = await store.read_state(collection)
    assert won is not None
    assert won.lease == lease(tokens[results.index(None)])

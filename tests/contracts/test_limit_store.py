"""What both stores of limits promise: all or nothing, also for many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec import structs

from app.adapters.memory_limits import MemoryLimits
from app.adapters.redis_circuit import RedisLink, connect
from app.adapters.redis_limits import RedisLimits
from app.core.limits import Counter, Lease, LimitName, Window
from app.ports import LimitStore

FAR = Window(0, 4_000_000_000)
LOOK = Lease(key="leases")


@pytest.fixture(params=["memory", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[LimitStore]:
    if request.param == "memory":
        yield MemoryLimits()
    else:
        link = RedisLink(connect(request.getfixturevalue("redis").url))
        yield RedisLimits(link, timeout_s=5)
        await link.close()


def counter(limit: int | None = None, cost: int = 1, name: LimitName = "answers_per_month") -> Counter:
    return Counter(name=name, key=name, window=FAR, limit=limit, cost=cost)


async def test_what_is_taken_adds_up_to_the_limit_and_no_further(store: LimitStore) -> None:
    taken = [await store.take([counter(3)], LOOK) for _ in range(5)]
    assert [t.counts for t in taken] == [(1,), (2,), (3,), (3,), (3,)]
    assert [t.refused for t in taken] == [None] * 3 + ["answers_per_month"] * 2


async def test_nothing_is_taken_when_anything_has_no_room(store: LimitStore) -> None:
    tokens = counter(10, 10, "model_tokens_per_day")
    await store.take([tokens], LOOK)
    lease = Lease(key="leases", id="a", limit=5, lasts_s=60)
    refused = await store.take([counter(5), structs.replace(tokens, cost=0)], lease)
    assert (refused.refused, refused.counts, refused.running) == ("model_tokens_per_day", (0, 10), 0)


async def test_what_is_given_back_may_be_taken_again(store: LimitStore) -> None:
    await store.take([counter(1)], LOOK)
    assert (await store.take([counter(None, -1)], LOOK)).counts == (0,)
    assert (await store.take([counter(1)], LOOK)).refused is None


async def test_places_are_bounded_until_they_are_given_back(store: LimitStore) -> None:
    first, second = (Lease(key="leases", id=name, limit=1, lasts_s=60) for name in "ab")
    assert (await store.take([], first)).running == 1
    assert (await store.take([], second)).refused == "concurrent_answers"
    assert (await store.take([], structs.replace(first, limit=None, lasts_s=0))).running == 0
    assert (await store.take([], second)).refused is None


async def test_the_place_of_a_process_that_died_is_free_again_in_time(store: LimitStore) -> None:
    await store.take([], Lease(key="leases", id="dead", limit=1, lasts_s=0.05))
    await asyncio.sleep(0.1)
    assert (await store.take([], Lease(key="leases", id="b", limit=1, lasts_s=60))).refused is None


async def test_fifty_at_once_get_exactly_what_there_is(store: LimitStore) -> None:
    takes = (store.take([counter(7)], Lease(key="leases", id=str(n), limit=20, lasts_s=60)) for n in range(50))
    taken = await asyncio.gather(*takes)
    assert sum(t.refused is None for t in taken) == 7
    assert (await store.take([counter(None, 0)], LOOK)).running == 7


async def test_a_window_that_is_over_counts_no_more(store: LimitStore) -> None:
    past = structs.replace(counter(1), window=Window(0, 60))
    for _ in range(2):
        assert (await store.take([past], LOOK)).refused is None

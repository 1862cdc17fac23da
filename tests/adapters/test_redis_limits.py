"""Limits in a real Redis that is shared, lost, and comes back with or without what it knew."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from app.adapters.circuit import REST_S
from app.adapters.redis_circuit import RedisLink, connect
from app.adapters.redis_limits import RedisLimits
from app.core.limits import Counter, Lease, Taken, Window
from app.metrics import LIMIT_FAILURES
from tests.kept_evidence import Clock
from tests.redis_server import RedisServer

WINDOW = Window(0, 4_000_000_000)
TIMEOUT_S = 0.4
Replica = Callable[[], RedisLimits]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def replica(redis: RedisServer, clock: Clock) -> AsyncIterator[Replica]:
    """Makes one more process's view of the same Redis."""
    links: list[RedisLink] = []

    def make() -> RedisLimits:
        links.append(RedisLink(connect(redis.url), clock))
        return RedisLimits(links[-1], timeout_s=TIMEOUT_S)

    yield make
    for link in links:
        await link.close()


async def take(limits: RedisLimits, limit: int | None = None, cost: int = 1) -> Taken:
    counter = Counter(name="answers_per_month", key="answers", window=WINDOW, limit=limit, cost=cost)
    return await limits.take([counter], Lease(key="leases"))


async def until_shared(limits: RedisLimits) -> None:
    """Until Redis has answered the ping that a call after the rest begins."""
    async with asyncio.timeout(10):
        while not limits._circuit._rest.admits():  # noqa: ASYNC110 - it is the call that is asked for leave
            await asyncio.sleep(0)


async def test_replicas_share_what_there_is(replica: Replica) -> None:
    one, other = replica(), replica()
    taken = [await take(limits, limit=3) for limits in (one, other, one, other)]
    assert [t.refused for t in taken] == [None, None, None, "answers_per_month"]


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_without_redis_a_process_goes_on_from_what_it_knew(
    redis: RedisServer, clock: Clock, replica: Replica, fault: str
) -> None:
    limits = replica()
    for _ in range(3):
        await take(limits, limit=5)
    before = LIMIT_FAILURES.labels("take")._value.get()
    getattr(redis, fault)()
    started = time.perf_counter()
    taken = [await take(limits, limit=5) for _ in range(3)]
    assert time.perf_counter() - started < 1
    assert [t.refused for t in taken] == [None, None, "answers_per_month"], "not open for ever"
    assert LIMIT_FAILURES.labels("take")._value.get() == before + 1, "one failure, then it rests"
    redis.wake() if fault == "freeze" else redis.start()


async def test_a_late_reply_does_not_make_forget_what_was_counted_alone_meanwhile(
    redis: RedisServer, replica: Replica
) -> None:
    limits = replica()
    redis.freeze()
    waiting = asyncio.create_task(take(limits, limit=3))
    await asyncio.sleep(0)  # it is on its way
    limits._circuit.failed("take", TimeoutError())
    alone = [await take(limits, limit=3) for _ in range(2)]
    redis.wake()
    assert [t.counts for t in (*alone, await waiting)] == [(1,), (2,), (1,)]
    assert (await take(limits, limit=3)).refused == "answers_per_month"


async def test_what_was_counted_alone_is_added_when_redis_is_back(
    redis: RedisServer, clock: Clock, replica: Replica
) -> None:
    one, other = replica(), replica()
    await take(one)
    redis.freeze()
    await take(one)  # sent, but not answered: a server that wakes may still do it
    await take(one, cost=4)  # not even sent
    redis.wake()
    clock.now += REST_S
    await until_shared(one)
    await take(one, cost=0)
    assert (await take(other, cost=0)).counts in ((6,), (7,)), "rather twice than not at all"


async def test_a_redis_that_lost_its_memory_is_told_again(redis: RedisServer, clock: Clock, replica: Replica) -> None:
    limits = replica()
    for _ in range(3):
        await take(limits, limit=3)
    redis.kill()
    redis.start()
    for _ in range(2):  # the first call may find the old connection broken
        assert (await take(limits, limit=3)).refused == "answers_per_month"
        clock.now += REST_S
        await until_shared(limits)
    assert (await take(replica(), limit=3)).refused == "answers_per_month", "another process sees it too"

"""Kept answers in a real Redis: what is stored, for how long, and a Redis that is lost."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from app.adapters.circuit import REST_S
from app.adapters.redis_evidence import RedisEvidence
from app.errors import EvidenceUnavailable
from tests.kept_evidence import TTL_S, Clock, evidence, failures, in_redis, source
from tests.redis_server import RedisServer

ANSWER_KEY = "vouch:evidence:vouch:a1"
TEXT_KEYS = "vouch:passage:*"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(redis: RedisServer, clock: Clock) -> AsyncIterator[RedisEvidence]:
    async with in_redis(redis.url, clock) as store:
        yield store


@pytest.fixture
async def client(redis: RedisServer) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis.url) as client:
        yield client


async def test_a_text_is_kept_once_and_its_time_renewed(store: RedisEvidence, client: Redis) -> None:
    await store.put(evidence("a1", source(1, "a.md"), source(2, "b.md")))
    texts = await client.keys(TEXT_KEYS)
    assert len(texts) == 2
    for key in [*texts, ANSWER_KEY]:
        assert TTL_S - 5 < await client.ttl(key) <= TTL_S
        await client.expire(key, 10)
    await store.put(evidence("a2", source(1, "a.md")))
    assert sorted([await client.ttl(key) > 10 for key in texts]) == [False, True]
    assert sorted(await client.keys(TEXT_KEYS)) == sorted(texts)
    assert b"Some text." not in await client.get(ANSWER_KEY)


async def test_an_answer_that_lost_a_text_is_gone_as_a_whole(store: RedisEvidence, client: Redis) -> None:
    """A Redis that is full may throw out any key."""
    await store.put(evidence("a1", source(1, "a.md"), source(2, "b.md")))
    await client.delete((await client.keys(TEXT_KEYS))[0])
    assert await store.get("a1") is None


@pytest.mark.parametrize("rubbish", [b"{", b'{"evidence": 1}', b"\xff\xfe", b"null"])
async def test_what_another_version_wrote_is_unknown_and_counted(
    store: RedisEvidence, client: Redis, rubbish: bytes
) -> None:
    await store.put(evidence("a1", source(1, "a.md")))
    before = failures("decode")
    await client.set(ANSWER_KEY, rubbish)
    assert await store.get("a1") is None
    assert failures("decode") == before + 1
    await store.put(evidence("a2"))  # the circuit is still closed


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_a_lost_redis_is_an_error_of_ours_in_time_and_left_alone(
    redis: RedisServer, clock: Clock, fault: str
) -> None:
    async with in_redis(redis.url, clock, timeout_s=1) as store:
        await store.put(evidence("a0"))
        getattr(redis, fault)()
        before = failures("put")
        assert await seconds_to_fail(store) < 1.5
        assert await seconds_to_fail(store) < 0.5
        with pytest.raises(EvidenceUnavailable):
            await store.get("a0")
        assert failures("put") == before + 1, "one failure, then it rests"
        redis.wake() if fault == "freeze" else redis.start()
        clock.now += REST_S
        assert await seconds_to_fail(store) < 0.5, "nobody waits for the ping that it begins"
        await store._circuit._rest._probing
        await store.put(evidence("a1"))
        assert await store.get("a1") == evidence("a1")


async def seconds_to_fail(store: RedisEvidence) -> float:
    started = time.perf_counter()
    with pytest.raises(EvidenceUnavailable):
        await store.put(evidence("a1", source(1, "a.md")))
    return time.perf_counter() - started

"""The answer cache in Redis: shared by replicas, and never a reason for a question to fail or wait.

A question makes at most two calls, one look-up and one store, each bounded by CALL_TIMEOUT_S, so a slow Redis
costs it a quarter of a second at most. After a failure the circuit is open: Redis is left alone for REST_S.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from app.core.model import CachedAnswer
from app.logs import log
from app.metrics import CACHE_FAILURES

CALL_TIMEOUT_S = 0.12
REST_S = 5.0
_PREFIX = "vouch:answer:"
_T = TypeVar("_T")


class RedisCache:
    """The port `AnswerCache` on a ready client (see `connect`)."""

    def __init__(self, client: Redis, ttl_s: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._ttl_s = ttl_s
        self._clock = clock
        self._rest_until = float("-inf")

    async def get(self, key: str) -> CachedAnswer | None:
        stored = await self._bounded("get", lambda: self._client.get(_PREFIX + key))
        if stored is None:
            return None
        try:
            return msgspec.json.decode(stored, type=CachedAnswer)
        except (msgspec.MsgspecError, TypeError) as exc:
            self._failed("decode", exc)
            return None

    async def put(self, key: str, answer: CachedAnswer) -> None:
        data = msgspec.json.encode(answer)
        await self._bounded("put", lambda: self._client.set(_PREFIX + key, data, ex=self._ttl_s))

    async def healthy(self) -> bool:
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                return bool(await self._client.ping())
        except (RedisError, OSError, TimeoutError, ValueError):
            return False

    async def close(self) -> None:
        await self._client.aclose()

    async def _bounded(self, kind: str, call: Callable[[], Awaitable[_T]]) -> _T | None:
        """The call's result; None when the circuit is open or the call fails or takes too long."""
        if self._clock() < self._rest_until:
            return None
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                return await call()
        # A peer that is no Redis makes the protocol parser raise plain ValueErrors as well.
        except (RedisError, OSError, TimeoutError, ValueError) as exc:
            self._failed(kind, exc)
            return None

    def _failed(self, kind: str, exc: Exception) -> None:
        CACHE_FAILURES.labels(kind).inc()
        log.warning("cache.failed", call=kind, error=type(exc).__name__, rests_for_s=REST_S)
        self._rest_until = self._clock() + REST_S


def connect(url: str) -> Redis:
    """A client that gives up at once instead of retrying: by default redis-py tries for up to a minute."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=32,
        timeout=CALL_TIMEOUT_S,
        socket_connect_timeout=CALL_TIMEOUT_S,
        socket_timeout=CALL_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=30,
    )
    return Redis.from_pool(pool)

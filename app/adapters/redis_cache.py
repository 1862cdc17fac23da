"""The answer cache in Redis: shared by replicas, and never a reason for a question to fail or wait.

A question makes at most two calls, one look-up and one store, each bounded by the circuit, so a slow Redis costs it
a quarter of a second at most.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import msgspec
from redis.asyncio import Redis

from app.adapters.circuit import CALL_TIMEOUT_S, CallFailed
from app.adapters.redis_circuit import ERRORS, redis_circuit
from app.core.model import CachedAnswer
from app.logs import log
from app.metrics import CACHE_FAILURES

_PREFIX = "vouch:answer:2:"
"""With the version of what is stored: raise it when CachedAnswer changes."""


class RedisCache:
    """The port `AnswerCache` on a ready client (see redis_circuit.connect)."""

    def __init__(self, client: Redis, ttl_s: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._ttl_s = ttl_s
        self._circuit = redis_circuit("cache", CACHE_FAILURES, clock)

    async def get(self, key: str) -> CachedAnswer | None:
        try:
            stored = await self._circuit.call("get", lambda: self._client.get(_PREFIX + key))
        except CallFailed:
            return None
        if stored is None:
            return None
        try:
            return msgspec.json.decode(stored, type=CachedAnswer)
        except (msgspec.MsgspecError, TypeError) as exc:
            # One bad entry says nothing against Redis: it is a miss, and the new answer replaces it.
            CACHE_FAILURES.labels("decode").inc()
            log.warning("cache.bad_entry", error=type(exc).__name__)
            return None

    async def put(self, key: str, answer: CachedAnswer) -> None:
        data = msgspec.json.encode(answer)
        with suppress(CallFailed):
            await self._circuit.call("put", lambda: self._client.set(_PREFIX + key, data, ex=self._ttl_s))

    async def healthy(self) -> bool:
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                return bool(await self._client.ping())
        except ERRORS:
            return False

    async def close(self) -> None:
        await self._client.aclose()

"""The answer cache in Redis: shared by replicas, and never a reason for a question to fail or wait.

A question makes at most two calls, one look-up and one store, each bounded by the circuit.
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from app.adapters.circuit import CallFailed
from app.adapters.redis_circuit import RedisLink
from app.core.model import CachedAnswer
from app.logs import log
from app.metrics import CACHE_FAILURES

_PREFIX = "vouch:answer:2:"
"""With the version of what is stored: raise it when CachedAnswer changes."""


class RedisCache:
    """The port `AnswerCache` on a link that others use, too."""

    def __init__(self, link: RedisLink, ttl_s: int) -> None:
        self._link = link
        self._client = link.client
        self._ttl_s = ttl_s
        self._circuit = link.circuit("cache", CACHE_FAILURES)

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
        return await self._link.answers()

    async def close(self) -> None:
        """Nothing of its own: the link stays open for the others."""

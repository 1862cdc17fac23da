"""Which signed notices were seen, shared by replicas through Redis; this machine's own memory counts as well.

Without Redis a notice that another replica took within the last minutes would be taken once more here: that is counted.
"""

from __future__ import annotations

from redis.asyncio import Redis

from app.adapters.circuit import CallFailed
from app.adapters.redis_circuit import redis_circuit
from app.metrics import NOTICE_FAILURES
from app.ports import Replays

_PREFIX = "vouch:notice:1:"


class RedisReplays:
    """The port `Replays` on a ready client (see redis_circuit.connect), over that of this machine."""

    def __init__(self, client: Redis, own: Replays) -> None:
        self._client = client
        self._own = own
        self._circuit = redis_circuit("notices", NOTICE_FAILURES)

    async def is_new(self, notice: str, lasts_s: float) -> bool:
        if not await self._own.is_new(notice, lasts_s):
            return False
        try:
            return bool(await self._circuit.call("seen", lambda: self._set(notice, lasts_s)))
        except CallFailed:
            return True

    async def close(self) -> None:
        await self._client.aclose()

    async def _set(self, notice: str, lasts_s: float) -> object:
        return await self._client.set(_PREFIX + notice, b"", nx=True, ex=int(lasts_s))

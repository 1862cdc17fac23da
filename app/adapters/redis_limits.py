"""What callers use, counted in Redis for all replicas together: each step is one script, so none comes in between.

While Redis is away each process counts for itself, from what it last knew. What it counted meanwhile is added when
Redis is back, and what Redis lost is put back from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from app.adapters.circuit import CallFailed
from app.adapters.memory_limits import MemoryLimits
from app.adapters.redis_circuit import RedisLink
from app.core.limits import Counter, Lease, LimitName, Taken
from app.metrics import LIMIT_FAILURES

TIMEOUT_S = 0.2
"""Longer than the cache waits: what is counted twice or not at all matters more than these milliseconds."""
_SCRIPT = """
-- KEYS: the counters, then the leases. ARGV: the lease's id, limit and milliseconds, then for each counter its limit,
-- its cost, when it ends, what the caller of the script knows of it and what is owed to it. -1 is no limit.
-- Returns the number of the key that has no room (0: none), the leases there are, and the counts.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local leases, refused, counts = KEYS[#KEYS], 0, {}
redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
for i = 1, #KEYS - 1 do
  local limit, cost = tonumber(ARGV[5 * i - 1]), tonumber(ARGV[5 * i])
  local known, owed = tonumber(ARGV[5 * i + 2]), tonumber(ARGV[5 * i + 3])
  local stored = tonumber(redis.call('GET', KEYS[i]))
  counts[i] = stored and stored + owed or known
  if refused == 0 and limit >= 0 and counts[i] + math.max(cost, 1) > limit then refused = i end
end
local most = tonumber(ARGV[2])
if refused == 0 and most >= 0 and redis.call('ZCARD', leases) >= most then refused = #KEYS end
for i = 1, #KEYS - 1 do
  if refused == 0 then counts[i] = math.max(0, counts[i] + ARGV[5 * i]) end
  if counts[i] > 0 or redis.call('EXISTS', KEYS[i]) == 1 then
    redis.call('SET', KEYS[i], string.format('%d', counts[i]))
    redis.call('EXPIREAT', KEYS[i], ARGV[5 * i + 1])
  end
end
local id, lasts = ARGV[1], tonumber(ARGV[3])
if refused == 0 and id ~= '' then
  if lasts > 0 then
    redis.call('ZADD', leases, now + lasts, id)
    redis.call('PEXPIRE', leases, lasts)
  else
    redis.call('ZREM', leases, id)
  end
end
return {refused, redis.call('ZCARD', leases), unpack(counts)}
"""


class RedisLimits:
    """The port `LimitStore` on a link that others use, too."""

    def __init__(
        self,
        link: RedisLink,
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._timeout_s = timeout_s
        self._script = link.client.register_script(_SCRIPT)
        self._circuit = link.circuit("limits", LIMIT_FAILURES)
        self._own = MemoryLimits(clock)
        self._owed = MemoryLimits(clock)

    async def take(self, counters: Sequence[Counter], lease: Lease) -> Taken:
        keys = [*(counter.key for counter in counters), lease.key]
        owed = [self._owed.count(counter) for counter in counters]
        arguments = list(self._arguments(counters, lease, owed))
        try:
            refused, running, *counts = await self._call(keys, arguments)
        except CallFailed:
            return self._take_alone(counters, lease)
        for counter, count, paid in zip(counters, counts, owed, strict=True):
            self._owe(counter, -paid)
            self._own.learn(counter, count + self._owed.count(counter))  # others may have counted alone meanwhile
        if not refused:
            self._own.hold(lease)
        return Taken(tuple(counts), running, _name(counters, refused))

    async def _call(self, keys: list[str], arguments: list[str | int]) -> list[int]:
        """Raises CallFailed."""
        reply: list[int] = await self._circuit.call("take", lambda: self._script(keys, arguments), self._timeout_s)
        return reply

    async def close(self) -> None:
        """Nothing of its own: the link stays open for the others."""

    def _arguments(self, counters: Sequence[Counter], lease: Lease, owed: Sequence[int]) -> Iterator[str | int]:
        yield from (lease.id, _or_minus_one(lease.limit), int(lease.lasts_s * 1000))
        for counter, due in zip(counters, owed, strict=True):
            yield from (_or_minus_one(counter.limit), counter.cost, counter.window.end)
            yield from (self._own.count(counter), due)

    def _take_alone(self, counters: Sequence[Counter], lease: Lease) -> Taken:
        taken = self._own.take_now(counters, lease)
        if taken.refused is None:
            for counter in counters:
                self._owe(counter, counter.cost)
        return taken

    def _owe(self, counter: Counter, more: int) -> None:
        if more:
            self._owed.learn(counter, self._owed.count(counter) + more)


def _or_minus_one(limit: int | None) -> int:
    return -1 if limit is None else limit


def _name(counters: Sequence[Counter], refused: int) -> LimitName | None:
    if not refused:
        return None
    return counters[refused - 1].name if refused <= len(counters) else "concurrent_answers"

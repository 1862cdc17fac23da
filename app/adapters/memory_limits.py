"""What callers use, counted in this process."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from cachetools import TLRUCache

from app.core.limits import Counter, Lease, LimitName, Taken

MAX_COUNTERS = 100_000


class MemoryLimits:
    """The port `LimitStore` without Redis. `clock` gives seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._counts: TLRUCache[str, tuple[int, int]] = TLRUCache(MAX_COUNTERS, _end_of_entry, clock)
        self._leases: defaultdict[str, dict[str, float]] = defaultdict(dict)

    async def take(self, counters: Sequence[Counter], lease: Lease) -> Taken:
        return self.take_now(counters, lease)

    def take_now(self, counters: Sequence[Counter], lease: Lease) -> Taken:
        counts = [self.count(counter) for counter in counters]
        refused = _refused(counters, counts, lease, self._running(lease.key))
        if refused is None:
            counts = [counter.after(count) for counter, count in zip(counters, counts, strict=True)]
            for counter, count in zip(counters, counts, strict=True):
                self.learn(counter, count)
            self.hold(lease)
        return Taken(tuple(counts), self._running(lease.key), refused)

    def count(self, counter: Counter) -> int:
        return self._counts.get(counter.key, (0, 0))[0]

    def learn(self, counter: Counter, count: int) -> None:
        """Take over what is counted elsewhere."""
        self._counts[counter.key] = (count, counter.window.end)

    def hold(self, lease: Lease) -> None:
        """Note a lease, or that it is given back."""
        leases = self._leases[lease.key]
        leases.pop(lease.id, None)
        if lease.id and lease.lasts_s:
            leases[lease.id] = self._clock() + lease.lasts_s
        if not leases:
            del self._leases[lease.key]

    async def close(self) -> None:
        """Nothing to close."""

    def _running(self, key: str) -> int:
        now = self._clock()
        return sum(ends_at > now for ends_at in self._leases.get(key, {}).values())


def _end_of_entry(_: str, entry: tuple[int, int], __: float) -> float:
    return entry[1]


def _refused(counters: Sequence[Counter], counts: Sequence[int], lease: Lease, running: int) -> LimitName | None:
    for counter, count in zip(counters, counts, strict=True):
        if not counter.has_room(count):
            return counter.name
    return "concurrent_answers" if lease.limit is not None and running >= lease.limit else None

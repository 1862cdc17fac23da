"""Holding callers to their limits: requests, answers in progress, tokens of the language model, answers of a month."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct, structs

from app.core import limits
from app.core.callers import Caller
from app.core.limits import Counter, Lease, Taken, Window
from app.core.model import Status
from app.errors import LimitReached
from app.metering import Meter
from app.metrics import REQUESTS_LIMITED
from app.ports import LimitStore

_SOON_S = 1
"""When to ask again for a place for an answer: there is one whenever another answer ends."""


CountedName = Literal["requests_per_minute", "model_tokens_per_day", "answers_per_month"]
_WINDOWS: dict[CountedName, Callable[[float], Window]] = {
    "requests_per_minute": limits.minute,
    "model_tokens_per_day": limits.day,
    "answers_per_month": limits.month,
}


class Standing(Struct, frozen=True):
    """How much of a limit is used. `resets_at` is in seconds since 1970; None where nothing resets."""

    used: int
    limit: int | None
    resets_at: int | None = None


class Usage(Struct, frozen=True):
    """What a caller has used of what it may use."""

    caller: str
    requests_per_minute: Standing
    concurrent_answers: Standing
    model_tokens_per_day: Standing
    answers_per_month: Standing


@dataclass
class Allowance(Meter):
    """Leave for one answer, and what it has cost so far."""

    caller: str = ""
    lease: Lease = field(default=Lease(key=""))
    answers: tuple[Counter, ...] = ()
    status: Status | None = None
    """How it ended; None while it has not, and when its caller left."""

    @property
    def counts(self) -> bool:
        """Whether it is an answer of the month: a text was written for it. Refused, failed and cached ones are not."""
        return self.calls > 0 and self.status not in (Status.REFUSED, Status.FAILED)


class Limiter:
    """`lease_s` is longer than any answer takes; `clock` gives seconds since 1970."""

    def __init__(self, store: LimitStore, lease_s: float, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._lease_s = lease_s
        self._clock = clock

    async def request(self, caller: Caller) -> Standing | None:
        """Count a request; where the caller now stands, None without a limit. Raises LimitReached."""
        if caller.limits.requests_per_minute is None:
            return None
        counter = self._counter(caller, "requests_per_minute", cost=1)
        taken = await self._store.take([counter], _leases(caller))
        self._check(taken, [counter], caller)
        return _standing(counter, taken.counts[0])

    async def begin(self, caller: Caller) -> Allowance:
        """Leave for one answer, to be given to `end`. Raises LimitReached.

        What tokens it will cost is not known yet, so the last ones of a day may go over the limit.
        """
        answers, tokens = (
            self._counter(caller, "answers_per_month", cost=1),
            self._counter(caller, "model_tokens_per_day"),
        )
        lease = Lease(
            key=_leases(caller).key,
            id=secrets.token_hex(8),
            limit=caller.limits.concurrent_answers,
            lasts_s=self._lease_s,
        )
        self._check(await self._store.take([answers, tokens], lease), [answers, tokens], caller)
        return Allowance(caller=caller.name, lease=lease, answers=(answers,))

    async def end(self, allowance: Allowance) -> None:
        """Give the place back, and the answer where none came of it."""
        back = [] if allowance.counts else [structs.replace(a, cost=-1, limit=None) for a in allowance.answers]
        await self._store.take(back, structs.replace(allowance.lease, limit=None, lasts_s=0))

    async def charge(self, caller: str, tokens: int) -> None:
        """Count what a language model read and wrote for a caller of that name."""
        name = Caller(name=caller)
        await self._store.take([self._counter(name, "model_tokens_per_day", cost=tokens)], _leases(name))

    async def usage(self, caller: Caller) -> Usage:
        counters = (
            self._counter(caller, "requests_per_minute"),
            self._counter(caller, "model_tokens_per_day"),
            self._counter(caller, "answers_per_month"),
        )
        looked_at = [structs.replace(counter, limit=None) for counter in counters]
        taken = await self._store.take(looked_at, _leases(caller))
        requests, tokens, answers = map(_standing, counters, taken.counts)
        running = Standing(taken.running, caller.limits.concurrent_answers)
        return Usage(caller.name, requests, running, tokens, answers)

    def _counter(self, caller: Caller, name: CountedName, cost: int = 0) -> Counter:
        window = _WINDOWS[name](self._clock())
        limit: int | None = getattr(caller.limits, name)
        return Counter(name=name, key=limits.key(caller.name, name, window), window=window, limit=limit, cost=cost)

    def _check(self, taken: Taken, counters: list[Counter], caller: Caller) -> None:
        """Raises LimitReached."""
        if taken.refused is None:
            return
        ends_at = {counter.name: counter.window.end for counter in counters}.get(taken.refused)
        retry_after_s = _SOON_S if ends_at is None else max(1, math.ceil(ends_at - self._clock()))
        REQUESTS_LIMITED.labels(taken.refused).inc()
        raise LimitReached(taken.refused, getattr(caller.limits, taken.refused), retry_after_s)


def _leases(caller: Caller) -> Lease:
    """Those of the caller, to look at."""
    return Lease(key=limits.key(caller.name, "concurrent_answers"))


def _standing(counter: Counter, count: int) -> Standing:
    return Standing(count, counter.limit, counter.window.end)

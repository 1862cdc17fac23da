"""Calls to something that answers can do without: each bounded in time, and none for a while after a failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from prometheus_client import Counter

from app.logs import log
from app.metrics import CALLS_IN_PROGRESS
from app.patience import patience

CALL_TIMEOUT_S = 0.12
REST_S = 5.0
_NEVER = float("-inf")
_T = TypeVar("_T")


class CallFailed(Exception):
    """The call failed, took too long, or was not made because the circuit is open."""


class Rest:
    """The time for which a system is left alone after a failure, by all circuits in front of it: REST_S.

    Then the next call is the trial. With a `probe`, which tells whether the system answers, the call begins that
    instead and nobody waits for it: until it succeeds, no call is made.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, probe: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self._clock = clock
        self._probe = probe
        self._probing: asyncio.Task[None] | None = None
        self._until = _NEVER

    @property
    def is_on(self) -> bool:
        return self._clock() < self._until

    def begin(self) -> None:
        self._until = self._clock() + REST_S

    def admits(self) -> bool:
        """Whether a call may be made now."""
        if self.is_on or self._probing is not None:
            return False
        if self._probe is None or self._until == _NEVER:
            return True
        self._probing = asyncio.create_task(self._try(self._probe))
        return False

    async def _try(self, probe: Callable[[], Awaitable[bool]]) -> None:
        try:
            if await probe():
                self._until = _NEVER
            else:
                self.begin()
        finally:
            self._probing = None


class Circuit:
    """Stands in front of one outside system for one part of the service; open while the system rests.

    `name` is the first part of the log event, `failures` counts by kind of call, `errors` are what the system raises.
    """

    def __init__(self, name: str, failures: Counter, errors: tuple[type[Exception], ...], rest: Rest) -> None:
        self._name = name
        self._failures = failures
        self._errors: tuple[type[Exception], ...] = (TimeoutError, *errors)
        self._rest = rest

    @property
    def is_open(self) -> bool:
        return self._rest.is_on

    async def call(self, kind: str, call: Callable[[], Awaitable[_T]], timeout_s: float = CALL_TIMEOUT_S) -> _T:
        """What the call returns, within `timeout_s`. Raises CallFailed."""
        if not self._rest.admits():
            raise CallFailed(f"{self._name} rests after a failure")
        try:
            with CALLS_IN_PROGRESS.labels(self._name).track_inprogress():
                async with patience(timeout_s):
                    return await call()
        except self._errors as exc:
            self.failed(kind, exc)
            raise CallFailed(f"{self._name} failed: {type(exc).__name__}") from exc

    def failed(self, kind: str, exc: Exception) -> None:
        """Count a failure, say it, and leave the system alone."""
        self._failures.labels(kind).inc()
        log.warning(f"{self._name}.failed", call=kind, error=type(exc).__name__, rests_for_s=REST_S)
        self._rest.begin()

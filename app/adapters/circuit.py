"""Calls to something that answers can do without: each bounded in time, and none for a while after a failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from prometheus_client import Counter

from app.logs import log
from app.metrics import CALLS_IN_PROGRESS

CALL_TIMEOUT_S = 0.12
REST_S = 5.0
_T = TypeVar("_T")


class CallFailed(Exception):
    """The call failed, took too long, or was not made because the circuit is open."""


class Circuit:
    """Stands in front of one outside system. After a failure it is open: the system is left alone for REST_S.

    `name` is the first part of the log event, `failures` counts by kind of call, `errors` are what the system raises.
    """

    def __init__(
        self,
        name: str,
        failures: Counter,
        errors: tuple[type[Exception], ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._failures = failures
        self._errors: tuple[type[Exception], ...] = (TimeoutError, *errors)
        self._clock = clock
        self._rest_until = float("-inf")

    @property
    def is_open(self) -> bool:
        return self._clock() < self._rest_until

    async def call(self, kind: str, call: Callable[[], Awaitable[_T]], timeout_s: float = CALL_TIMEOUT_S) -> _T:
        """What the call returns, within `timeout_s`. Raises CallFailed."""
        if self.is_open:
            raise CallFailed(f"{self._name} rests after a failure")
        try:
            with CALLS_IN_PROGRESS.labels(self._name).track_inprogress():
                async with asyncio.timeout(timeout_s):
                    return await call()
        except self._errors as exc:
            self.failed(kind, exc)
            raise CallFailed(f"{self._name} failed: {type(exc).__name__}") from exc

    def failed(self, kind: str, exc: Exception) -> None:
        """Count a failure, say it once, and open the circuit."""
        self._failures.labels(kind).inc()
        log.warning(f"{self._name}.failed", call=kind, error=type(exc).__name__, rests_for_s=REST_S)
        self._rest_until = self._clock() + REST_S

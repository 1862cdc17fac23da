"""A circuit breaker for something that answers can't do without: it opens after several failures, not after one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

OPENS_AFTER = 5
"""Failures without a success between them."""
REST_S = 5.0


class Breaker:
    """Closed; open for REST_S after OPENS_AFTER failures in a row; then one trial every REST_S until one succeeds.

    Nygard, "Release It!" (2007), ch. 5. A trial that never reports (its caller left) just lets the next one wait.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._rest_until = float("-inf")

    @property
    def state(self) -> Literal["closed", "open", "half-open"]:
        if self._failures < OPENS_AFTER:
            return "closed"
        return "open" if self._clock() < self._rest_until else "half-open"

    def admits(self) -> bool:
        """Whether a call may be made; it must be when this says so."""
        match self.state:
            case "closed":
                return True
            case "open":
                return False
        self._rest_until = self._clock() + REST_S
        return True

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= OPENS_AFTER:
            self._rest_until = self._clock() + REST_S

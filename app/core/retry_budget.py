"""How many retries are allowed: a share of the requests, so that a broken provider is not asked twice as often."""

from __future__ import annotations

RATIO = 0.1
"""Retries that a request earns."""
MOST = 5.0
"""Retries that can be saved up; there are so many at the start."""


class RetryBudget:
    """A token bucket filled by requests instead of time, as in Finagle's `RetryBudget` and gRPC's retry throttling."""

    def __init__(self) -> None:
        self._tokens = MOST

    def request(self) -> None:
        self._tokens = min(MOST, self._tokens + RATIO)

    def retry(self) -> bool:
        """Whether one more retry is allowed, which uses it up."""
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

"""The time limit of every answer in progress, shortened together when the service stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

REQUEST_MARGIN_S = 10.0
"""What a request may take beside the language model: cache, embedding, search."""
STOP_MARGIN_S = 2.0


class OutOfTime(Exception):
    """An answer ran out of time. `reason` is a code of the `failed` verdict."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Deadlines:
    def __init__(self, chat_deadline_s: float) -> None:
        self._request_s = chat_deadline_s + REQUEST_MARGIN_S
        self._stop_s = chat_deadline_s + STOP_MARGIN_S
        self._stop_at: float | None = None
        self._running: set[asyncio.Timeout] = set()

    @property
    def request_s(self) -> float:
        """How long an answer may take, in seconds."""
        return self._request_s

    @property
    def stop_s(self) -> float:
        """How long answers in progress may go on after `stop`, in seconds."""
        return self._stop_s

    @property
    def stopping(self) -> bool:
        return self._stop_at is not None

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[None]:
        """Run the body under the request's deadline. Raises OutOfTime when that, or the stop's, has passed."""
        timeout = asyncio.timeout(self._request_s)
        try:
            async with timeout:
                self._running.add(timeout)
                self._shorten(timeout)
                yield
        except TimeoutError as exc:
            if not timeout.expired():
                raise
            raise OutOfTime("shutting_down" if timeout.when() == self._stop_at else "deadline") from exc
        finally:
            self._running.discard(timeout)

    def stop(self) -> None:
        """From now on, no answer runs for longer than `stop_s`."""
        if self._stop_at is None:
            self._stop_at = asyncio.get_running_loop().time() + self._stop_s
        for timeout in self._running:
            self._shorten(timeout)

    def _shorten(self, timeout: asyncio.Timeout) -> None:
        when = timeout.when()
        if self._stop_at is not None and when is not None and self._stop_at < when:
            timeout.reschedule(self._stop_at)

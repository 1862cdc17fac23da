"""One piece of work for all who want the same at the same time, within this process.

The work belongs to nobody who waits for it: it goes on while anyone does, and is cancelled at once when nobody does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from app.metrics import ANSWERS_SHARED

Show = Callable[[Any], None]
Work = Callable[[Show], Coroutine[Any, Any, Any]]
"""Tells what it has on the way, returns what it ends with."""


class _Flight:
    """Work under way, and all that it has told so far."""

    def __init__(self, work: Work) -> None:
        self.told: list[Any] = []
        self.followers = 0
        self.task = asyncio.create_task(work(self._tell))
        self.task.add_done_callback(self._ended)
        self._news = asyncio.Event()

    async def follow(self, show: Show) -> Any:
        """Show all that is told, from the start. Returns or raises what the work ends with."""
        shown = 0
        while True:
            while shown < len(self.told):
                show(self.told[shown])
                shown += 1
            if self.task.done():
                return self.task.result()
            await self._news.wait()

    def _tell(self, item: Any) -> None:
        self.told.append(item)
        self._wake()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled():
            task.exception()  # so that it counts as seen, also when the last follower left at this moment
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class Flights:
    """The work under way by key. `final` is the type of an item that can't be taken back once it was shown."""

    def __init__(self, final: type[Any]) -> None:
        self._final = final
        self._flights: dict[Hashable, _Flight] = {}

    async def share(self, key: Hashable, work: Work, show: Show) -> Any:
        """What the work of this key ends with, whoever began it. Raises what it raises.

        Whoever finds none under way begins it. When it fails before it told anything final, the followers start once
        more: the first of them begins it anew and the others follow that, so that a broken provider is asked twice
        and not once for each of them.
        """
        flight, leads = self._join(key, work)
        try:
            return await self._follow(key, flight, show)
        except Exception:
            if leads or any(isinstance(item, self._final) for item in flight.told):
                raise
        return await self._follow(key, self._join(key, work)[0], show)

    def _join(self, key: Hashable, work: Work) -> tuple[_Flight, bool]:
        """The flight of that key, and whether it begins now."""
        if flight := self._flights.get(key):
            ANSWERS_SHARED.inc()
            return flight, False
        flight = self._flights[key] = _Flight(work)
        flight.task.add_done_callback(lambda _: self._forget(key, flight))
        return flight, True

    async def _follow(self, key: Hashable, flight: _Flight, show: Show) -> Any:
        flight.followers += 1
        try:
            return await flight.follow(show)
        finally:
            flight.followers -= 1
            if not flight.followers:
                self._forget(key, flight)
                flight.task.cancel()

    def _forget(self, key: Hashable, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

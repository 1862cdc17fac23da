"""How a command is stopped from outside."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM stops like Ctrl-C: a job in its middle is cancelled, closes what it opened and gives its lease up."""
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(work: Coroutine[Any, Any, T]) -> T:
    """asyncio.run, which SIGTERM cancels in an orderly way also where SIGINT is ignored.

    Raises KeyboardInterrupt then.
    """
    try:
        return asyncio.run(_cancelled_by_sigterm(work))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _cancelled_by_sigterm(work: Coroutine[Any, Any, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

    def cancel(*_: object) -> None:
        loop.call_soon_threadsafe(task.cancel)  # wakes the loop, which may be waiting

    before = signal.signal(signal.SIGTERM, cancel)
    try:
        return await task
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(_: int, frame: FrameType | None) -> None:
    """A signal handler that does what that of SIGINT does. Raises KeyboardInterrupt where there is none."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a shell starts what is to run in the background with SIGINT ignored
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)

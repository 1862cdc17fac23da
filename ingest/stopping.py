"""How a command is stopped from outside."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM stops like Ctrl-C: a job in its middle is cancelled, closes what it opened and gives its lease up."""
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(_: int, frame: FrameType | None) -> None:
    """A signal handler that does what that of SIGINT does. Raises KeyboardInterrupt where there is none."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a shell starts what is to run in the background with SIGINT ignored
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)

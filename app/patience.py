"""A short time limit on what another system does, which this process being busy does not use up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_STEPS = 6


@asynccontextmanager
async def patience(seconds: float) -> AsyncIterator[None]:
    """Give the body so many seconds in which the event loop runs. Raises TimeoutError.

    A limit of asyncio's own takes a loop that was held up for longer than the limit for a peer that did not answer,
    although the reply lay there to be read. This one counts in steps, and being held up uses up one of them.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle
    async with asyncio.timeout(None) as limit:

        def step(left: int) -> None:
            nonlocal timer
            if left:
                timer = loop.call_later(seconds / _STEPS, step, left - 1)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_later(seconds / _STEPS, step, _STEPS - 1)
        try:
            yield
        finally:
            timer.cancel()

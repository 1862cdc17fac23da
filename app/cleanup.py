"""What has to be done to its end although the caller may leave meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from app.logs import log

CLEANUP_S = 1.0
_RUNNING: set[asyncio.Task[None]] = set()
"""The loop itself keeps tasks alive no longer than someone refers to them."""


async def finish(work: Coroutine[Any, Any, None], within_s: float = CLEANUP_S) -> None:
    """Do `work`, shielded from cancellation and given up after `within_s`. Never fails.

    It runs as a task of its own: a cancelled caller goes at once, and the work goes on without it.
    """
    task = asyncio.create_task(_bounded(work, within_s))
    _RUNNING.add(task)
    task.add_done_callback(_RUNNING.discard)
    await asyncio.shield(task)


async def _bounded(work: Coroutine[Any, Any, None], within_s: float) -> None:
    try:
        async with asyncio.timeout(within_s):
            await work
    except Exception as exc:
        log.warning("cleanup.failed", error=type(exc).__name__)

"""Work side by side on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence


async def all_or_first_error(work: Sequence[Coroutine[None, None, None]]) -> None:
    """Run side by side; the first error cancels the others and is raised as itself, not in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None

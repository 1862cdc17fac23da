"""What signed notices set off: a sync of just the documents that changed.

Documents are kept until a sync of them has ended, so that none is lost when a job is at work already, when a sync
fails, or when the service stops. One that is noticed again meanwhile is synced again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress

from app.errors import JobRunning, VouchError
from app.jobs import Jobs
from app.logs import log
from app.ports import NoticeStore

BUSY_S = 1.0
"""Between two looks at a job that is in the way."""
_FIRST_WAIT_S = 5.0
_LONGEST_WAIT_S = 300.0


class Notices:
    """The documents that are still to be synced, and the task that has them synced."""

    def __init__(self, store: NoticeStore, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        self._noticed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with what an earlier run of the service left undone."""
        self._noticed.set()
        self._task = asyncio.create_task(self._work())

    async def take(self, document_ids: Collection[str]) -> None:
        """Keep these until they are synced, which begins soon. Raises NoticesUnavailable."""
        if document_ids:
            await self._store.add(document_ids)
            self._noticed.set()

    async def stop(self) -> None:
        """What is not synced by now is when the service runs again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _work(self) -> None:
        wait_s: float | None = None
        failures = 0
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._noticed.wait()
            self._noticed.clear()
            try:
                await self._sync()
                wait_s, failures = None, 0
            except JobRunning:
                wait_s = BUSY_S
            except Exception as exc:  # whatever it was, what is pending must not wait for ever
                wait_s = min(_FIRST_WAIT_S * 2**failures, _LONGEST_WAIT_S)
                failures += 1
                unplanned = None if isinstance(exc, VouchError) else exc
                log.warning("notice.not_synced", problem=str(exc), tries_again_in_s=wait_s, exc_info=unplanned)

    async def _sync(self) -> None:
        while pending := await self._store.pending():
            await self._jobs.update(set(pending))
            await self._store.done(pending)
            log.info("notice.synced", documents=len(pending))

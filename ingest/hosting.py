"""Jobs inside a running service, one at a time: orders, pushed documents, and documents taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from app.ports import Embedder, VectorStore
from app.settings import Settings
from ingest import lease, push
from ingest.commands import Order, Outcome, carry_out
from ingest.errors import JobRunning
from ingest.intake import Intake
from ingest.progress import Progress
from ingest.push import Pushed
from ingest.pushed import Push

T = TypeVar("T")

Follow = Callable[[Callable[[Progress], None]], Coroutine[Any, Any, Outcome]]
"""Hands out a job's progress, and returns what it ends with."""


class HostedJobs:
    """Every method raises JobRunning at once, and changes nothing, while another job is at work on the index."""

    def __init__(self, store: VectorStore, load: Callable[[str], Awaitable[Embedder]], settings: Settings) -> None:
        """`load` gives the embedder of a name."""
        self._store = store
        self._load = load
        self._settings = settings
        self._job: asyncio.Task[Any] | None = None

    async def start(self, order: Order) -> Follow:
        """Begin to carry out an order. A follower that leaves does not stop it."""
        await self.check_free(writes=order.writes)
        progress: asyncio.Queue[Progress | None] = asyncio.Queue()
        job = self._begin(self._carry_out(order, progress.put_nowait))
        job.add_done_callback(lambda _: progress.put_nowait(None))

        async def follow(emit: Callable[[Progress], None]) -> Outcome:
            while (step := await progress.get()) is not None:
                emit(step)
            return job.result()

        return follow

    async def put(self, document: Push) -> Pushed:
        """See push.put. A caller that leaves does not stop it."""
        return await asyncio.shield(self._begin(self._put(document)))

    async def delete(self, document_id: str) -> Pushed:
        """See push.delete."""
        return await asyncio.shield(self._begin(self._delete(document_id)))

    async def check_free(self, *, writes: bool = True) -> None:
        """Raises JobRunning while a job is at work here, or, for one that `writes`, on another machine."""
        if self._job is not None and not self._job.done():
            raise JobRunning("Try again when it is done: GET /v1/index says `ready` then.")
        if writes:
            await lease.check_free(self._store)

    async def stop(self) -> None:
        """Cut the job short: the next one finishes it."""
        if self._job is not None:
            self._job.cancel()
            await asyncio.wait({self._job})

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        if self._job is not None and not self._job.done():
            work.close()
            raise JobRunning("Try again when it is done: GET /v1/index says `ready` then.")
        self._job = job = asyncio.create_task(work)
        return job

    async def _carry_out(self, order: Order, report: Callable[[Progress], None]) -> Outcome:
        embedder, name, intake = await self._parts()
        return await carry_out(order, self._store, embedder, name, report, intake)

    async def _put(self, document: Push) -> Pushed:
        embedder, name, intake = await self._parts()
        return await push.put(self._store, embedder, name, document, intake)

    async def _delete(self, document_id: str) -> Pushed:
        embedder, name, _ = await self._parts()
        return await push.delete(self._store, embedder, name, document_id)

    async def _parts(self) -> tuple[Embedder, str, Intake]:
        settings = self._settings
        return await self._load(settings.embedding_model), settings.index_name, Intake.of(settings)

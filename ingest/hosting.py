"""Jobs inside a running service, one at a time: what the command line hands over, and documents that are pushed."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, structs

from app.errors import VouchError
from app.jobs import Follow, PassageChanges, PushedDocument, PushReply, SyncFailed, SyncRequest
from app.logs import log
from app.ports import Embedder, VectorStore
from app.settings import Settings
from ingest import lease, noticed, push
from ingest.commands import Order, carry_out
from ingest.errors import JobRunning, OtherIndex, RemovalsRefused
from ingest.intake import Intake
from ingest.metadata import Metadata
from ingest.push import Pushed
from ingest.pushed import Push
from ingest.reading import Readers

T = TypeVar("T")


class HostedJobs:
    """The Jobs of app/jobs.py."""

    def __init__(self, store: VectorStore, load: Callable[[str], Awaitable[Embedder]], settings: Settings) -> None:
        """`load` gives the embedder of a name."""
        self._store = store
        self._load = load
        self._settings = settings
        self._job: asyncio.Task[Any] | None = None
        self._since = ""
        self._opened = AsyncExitStack()
        self._readers: Readers | None = None

    async def sync(self, request: SyncRequest) -> Follow:
        _check_index(request, self._settings)
        order = _order(request, self._settings)
        if order.writes:
            await self.check_free()
        progress: asyncio.Queue[Struct | None] = asyncio.Queue()
        job = self._begin(self._carry_out(order, progress.put_nowait))
        job.add_done_callback(lambda _: progress.put_nowait(None))

        async def follow(emit: Callable[[Struct], None]) -> Struct:
            while (step := await progress.get()) is not None:
                emit(step)
            return job.result()

        return follow

    async def check_free(self) -> None:
        self._check_idle()
        await lease.check_free(self._store)

    async def ids_of(self, paths: Collection[str], *, in_checkout: bool = False) -> set[str]:
        corpus, intake = Path(self._settings.corpus), Intake.of(self._settings)
        return await noticed.ids_of(self._store, corpus, intake, paths, in_checkout=in_checkout)

    async def update(self, document_ids: Collection[str]) -> None:
        await asyncio.shield(self._begin(self._update(document_ids)))

    async def put(self, document: PushedDocument) -> PushReply:
        return _reply(await asyncio.shield(self._begin(self._put(_push(document, self._settings.default_groups)))))

    async def delete(self, document_id: str) -> PushReply:
        return _reply(await asyncio.shield(self._begin(self._delete(document_id))))

    async def stop(self) -> None:
        """Cut the job short: the next one finishes it."""
        if self._job is not None:
            self._job.cancel()
            await asyncio.wait({self._job})
        await self._opened.aclose()

    def _check_idle(self) -> None:
        if self._job is not None and not self._job.done():
            service = f"the service, process {os.getpid()} on {socket.gethostname()}"
            raise JobRunning(f"It runs inside {service}, since {self._since}: try again when it is done.")

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        try:
            self._check_idle()
        except JobRunning:
            work.close()
            raise
        self._since = datetime.now(UTC).isoformat(timespec="seconds")
        self._job = job = asyncio.create_task(work)
        return job

    async def _carry_out(self, order: Order, report: Callable[[Struct], None]) -> Struct:
        """What it ends with, also when it fails: there may be nobody left to raise to."""
        try:
            embedder, name, intake = await self._parts()
            return await carry_out(order, self._store, embedder, name, report, intake)
        except RemovalsRefused as exc:
            return SyncFailed(str(exc), "removals_refused")
        except JobRunning as exc:
            return SyncFailed(str(exc), "job_running")
        except VouchError as exc:
            return SyncFailed(str(exc))
        except Exception as exc:
            log.error("sync.internal_error", exc_info=exc)
            return SyncFailed("The job failed inside the service; its log has the details.")

    async def _update(self, document_ids: Collection[str]) -> None:
        embedder, name, intake = await self._parts()
        await noticed.update(self._store, embedder, name, Path(self._settings.corpus), intake, document_ids)

    async def _put(self, document: Push) -> Pushed:
        embedder, name, intake = await self._parts()
        if self._readers is None:  # kept from one push to the next: a process takes longer to start than to read
            readers = Readers(embedder.tokenizer, timeout_s=intake.reader_timeout_s)
            self._readers = await self._opened.enter_async_context(readers)
        return await push.put(self._store, embedder, name, document, self._readers)

    async def _delete(self, document_id: str) -> Pushed:
        embedder, name, _ = await self._parts()
        return await push.delete(self._store, embedder, name, document_id)

    async def _parts(self) -> tuple[Embedder, str, Intake]:
        settings = self._settings
        return await self._load(settings.embedding_model), settings.index_name, Intake.of(settings)


def _check_index(request: SyncRequest, ours: Settings) -> None:
    for name, asked, own in (
        ("INDEX_NAME", request.index_name, ours.index_name),
        ("EMBEDDING_MODEL", request.embedding_model, ours.embedding_model),
        ("INCLUDE", request.include, ours.include_patterns),
        ("DEFAULT_ACCESS", request.default_access, ours.default_groups),
        ("MAX_DOCUMENT_MB", request.max_document_mb, ours.max_document_mb),
    ):
        if asked not in (None, own):
            raise OtherIndex(
                f"It runs with {name}={_said(own)}, and was asked for {_said(asked)}: stop it first, or set the same"
                f" {name}."
            )


def _said(value: object) -> str:
    return (",".join(value) or "nothing") if isinstance(value, tuple) else str(value)


def _order(request: SyncRequest, settings: Settings) -> Order:
    return Order(
        command=request.command,
        corpus=request.corpus or settings.corpus,
        dry_run=request.dry_run,
        allow_removals=request.allow_removals,
        repair=request.repair,
        unfinished=request.unfinished,
    )


def _push(document: PushedDocument, default_access: tuple[str, ...]) -> Push:
    said = Metadata(
        title=document.title,
        url=document.url,
        updated_at=document.updated_at,
        tags=document.tags,
        access=document.access,
        language=document.language,
        access_default=default_access,
    )
    return Push(
        document_id=document.document_id,
        media_type=document.media_type,
        charset=document.charset,
        data=document.data,
        said=said,
    )


def _reply(done: Pushed) -> PushReply:
    fields = structs.asdict(done) | {"passages": PassageChanges(**structs.asdict(done.passages))}
    return PushReply(**fields)

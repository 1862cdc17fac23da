"""GET /v1/index and POST /v1/index/sync."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.exceptions import ClientException
from litestar.params import JSONBody
from litestar.response import Stream
from msgspec import Struct

from app.core.model import Scope
from app.services import Services
from app.web import events
from app.web.access import is_admin, only_admins
from app.web.problems import BAD_REQUEST, BUSY, INDEX_UNAVAILABLE, NOT_ADMIN, NOT_LOCAL, documented

Sync = Callable[["SyncRequest"], Awaitable[events.Work]]
"""Starts the ingestion job in the service and gives the work that follows it. Raises Problem(BUSY)."""


class SyncRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What `python -m ingest` was asked to do, handed over to the service that holds the store."""

    corpus: str | None = None
    """A folder on the service's machine; the service's own CORPUS when left out."""
    index_name: str | None = None
    """What the caller means to build; refused when the service builds another index, or with another model."""
    embedding_model: str | None = None
    command: Literal["ingest", "verify", "prune"] = "ingest"
    """What to do with the index; `done` carries what came of it."""
    dry_run: bool = False
    """Write nothing; `done` carries the plan."""
    allow_removals: bool = False
    """Remove documents also where suspiciously many are gone; else `done` carries an error with the reason
    `removals_refused`."""
    repair: bool = False
    """Of `verify`: mend what is off."""
    unfinished: bool = False
    """Of `prune`: drop what a job has begun to build, too."""


class IndexReply(Struct, frozen=True):
    revision: str | None
    generation: int
    state: Literal["ready", "updating", "empty"]
    documents: int
    passages: int
    embedding_model: str | None
    dimension: int | None
    updated_at: str | None
    may_sync: bool
    """Whether the caller may run the ingestion job."""


@get("/v1/index", responses=documented(NOT_LOCAL, INDEX_UNAVAILABLE))
async def get_index(request: Request[Any, Any, State]) -> IndexReply:
    """The state of the index; the counts are what the caller may see."""
    services: Services = request.app.state.services
    state = await services.store.state()
    if state is None:
        return IndexReply(None, 0, "empty", 0, 0, None, None, None, is_admin(request))
    documents, passages = await services.store.count(state.collection, Scope())
    empty = state.state == "ready" and state.documents == 0
    return IndexReply(
        revision=state.revision,
        generation=state.generation,
        state="empty" if empty else state.state,
        documents=documents,
        passages=passages,
        embedding_model=state.embedding_model,
        dimension=state.dimension,
        updated_at=state.updated_at,
        may_sync=is_admin(request),
    )


@post(
    "/v1/index/sync",
    status_code=200,
    guards=[only_admins],
    media_type="text/event-stream",
    responses=documented(BAD_REQUEST, NOT_ADMIN, BUSY, INDEX_UNAVAILABLE),
)
async def post_sync(request: Request[Any, Any, State], data: JSONBody[SyncRequest]) -> Stream:
    """Bring the index in step with the documents; progress as an event stream, the summary as `done`."""
    if request.content_type[0] != "application/json":
        raise ClientException("Send the body as application/json.", status_code=415)
    sync: Sync = request.app.state.sync
    return Stream(events.stream(await sync(data), lambda _: "progress"), media_type="text/event-stream")

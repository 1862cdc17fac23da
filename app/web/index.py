"""GET /v1/index and POST /v1/index/sync."""

from __future__ import annotations

from typing import Any, Literal

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.exceptions import ClientException
from litestar.params import JSONBody
from litestar.response import Stream
from msgspec import Struct

from app.core.callers import OWNER
from app.jobs import Jobs, SyncRequest
from app.services import Services
from app.web import events
from app.web.access import ADMIN_ONLY, caller_of, only_admins, scope_of
from app.web.bodies import check_types
from app.web.problems import (
    BAD_REQUEST,
    BUSY,
    INDEX_UNAVAILABLE,
    NOT_ADMIN,
    NOT_LOCAL,
    NOT_OWNER,
    Problem,
    documented,
)


class IndexReply(Struct, frozen=True):
    revision: str | None
    generation: int
    state: Literal["ready", "updating", "empty"]
    documents: int
    passages: int
    embedding_model: str | None
    dimension: int | None
    updated_at: str | None
    failures: int
    """Documents whose newest version could not be indexed: of those that the caller may see; of all, for an admin."""
    may_sync: bool
    """Whether the caller may run the ingestion job."""


@get("/v1/index", responses=documented(NOT_LOCAL, INDEX_UNAVAILABLE))
async def get_index(request: Request[Any, Any, State]) -> IndexReply:
    """The state of the index; the counts are what the caller may see."""
    services: Services = request.app.state.services
    scope, is_admin = scope_of(request), caller_of(request).is_admin
    state = await services.store.state()
    if state is None:
        return IndexReply(None, 0, "empty", 0, 0, None, None, None, 0, is_admin)
    documents, passages = await services.store.count(state.collection, scope)
    failures = await services.store.count_failures(state.collection, None if is_admin else scope)
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
        failures=failures,
        may_sync=is_admin,
    )


@post(
    "/v1/index/sync",
    status_code=200,
    guards=[only_admins],
    security=[*ADMIN_ONLY],
    media_type="text/event-stream",
    responses=documented(BAD_REQUEST, NOT_ADMIN, BUSY, INDEX_UNAVAILABLE),
)
async def post_sync(request: Request[Any, Any, State], data: JSONBody[SyncRequest]) -> Stream:
    """Bring the index in step with the documents; progress as an event stream, the summary as `done`."""
    if request.content_type[0] != "application/json":
        raise ClientException("Send the body as application/json.", status_code=415)
    await check_types(request, SyncRequest)
    # An admin could else have any file of the machine read, and then answered from.
    if data.corpus is not None and caller_of(request) != OWNER:
        raise Problem(NOT_OWNER, "Leave `corpus` out, or run `python -m ingest` on the machine of the service.")
    jobs: Jobs = request.app.state.jobs
    return Stream(events.stream(await jobs.sync(data), lambda _: "progress"), media_type="text/event-stream")

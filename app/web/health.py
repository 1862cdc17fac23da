"""Is the service alive, can it answer, what has it counted?"""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get
from litestar.datastructures import State
from msgspec import Struct
from prometheus_client import CONTENT_TYPE_LATEST

from app import searching
from app.errors import VouchError
from app.metrics import exposed
from app.services import Services
from app.web.access import OPEN_TO_ALL, only_admins_with_keys
from app.web.problems import NOT_ADMIN, documented


class Dependency(Struct, frozen=True):
    ok: bool
    detail: str


class Readiness(Struct, frozen=True):
    ready: bool
    dependencies: dict[str, Dependency]


@get("/health/live", opt=OPEN_TO_ALL)
async def live() -> dict[str, str]:
    """200 as long as the process answers at all."""
    return {"status": "alive"}


@get("/health/ready", opt=OPEN_TO_ALL)
async def ready(request: Request[Any, Any, State]) -> Response[Readiness]:
    """200 when questions can be answered, else 503. Calls no model; a lost cache only costs time."""
    services: Services = request.app.state.services
    index = await _index(services)
    stopping = services.deadlines.stopping
    service = Dependency(not stopping, "stopping" if stopping else "serving")
    dependencies = {
        "service": service,
        "index": index,
        "cache": await _cache(services),
        "answerer": Dependency(*services.answerer.condition()),
    }
    if services.reranking.wanted:
        dependencies["reranker"] = Dependency(*services.reranking.condition())
    readiness = Readiness(index.ok and service.ok, dependencies)
    return Response(readiness, status_code=200 if readiness.ready else 503)


@get("/metrics", media_type=CONTENT_TYPE_LATEST, guards=[only_admins_with_keys], responses=documented(NOT_ADMIN))
async def metrics() -> bytes:
    """Prometheus text. Where callers have keys, for admins: it counts every document."""
    return exposed()


async def _index(services: Services) -> Dependency:
    try:
        state = (await searching.open_index(services)).state
    except VouchError as exc:
        return Dependency(False, str(exc))
    if state is None or state.documents == 0:
        return Dependency(False, "empty: run `make ingest`")
    void = services.policy.void_calibration(state.embedding_model)
    return Dependency(True, f"{state.state}, revision {state.revision}" + (f"; {void}" if void else ""))


async def _cache(services: Services) -> Dependency:
    healthy = await services.cache.healthy()
    return Dependency(healthy, "answers" if healthy else "away: answers are not cached")

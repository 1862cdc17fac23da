"""Limits and places over HTTP: who has to come again later, and when.

`RateLimit-Limit`, `-Remaining`, `-Reset` (seconds) and `-Policy` are those of draft-ietf-httpapi-ratelimit-headers-06.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from litestar import Request, get
from litestar.datastructures import MutableScopeHeaders, State
from litestar.handlers import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from app import cleanup
from app.admission import Admission, check_embedder
from app.core.model import Reply
from app.limiting import Allowance, Limiter, Standing, Usage
from app.metering import METER
from app.searching import Index
from app.services import Services
from app.web.access import Connection, caller_of
from app.web.events import Work
from app.web.problems import documented, ratelimit_headers

_PLACES = "places"
_RATE = "rate"


@dataclass
class _Place:
    """A place among the answers in progress, with the caller's leave for it."""

    admission: Admission
    limiter: Limiter
    allowance: Allowance | None = None
    _left: bool = False

    async def leave(self) -> None:
        """At once as far as others wait for it; again has no effect."""
        if self._left:
            return
        self._left = True
        self.admission.leave()
        if self.allowance is not None:
            await cleanup.finish(self.limiter.end(self.allowance))


class KeepPlaces(ASGIMiddleware):
    """Takes back what a request holds when it is over, whichever way: also when its work never began."""

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        places: list[_Place] = []
        scope["state"][_PLACES] = places
        try:
            await next_app(scope, receive, send)
        finally:
            for place in places:
                await place.leave()


async def count_request(connection: Connection, handler: BaseRouteHandler) -> None:
    """Guard of every route, behind `admit`. Raises LimitReached; what is open to all is never limited."""
    if handler.opt.get("open_to_all"):
        return
    services: Services = connection.app.state.services
    connection.scope["state"][_RATE] = await services.limiter.request(caller_of(connection))


async def tell_rate(message: Message, scope: Scope) -> None:
    """Litestar hook on what is sent: where the caller stands in its minute, unless it was told of another limit."""
    standing: Standing | None = scope["state"].get(_RATE) if message["type"] == "http.response.start" else None
    if standing is None or standing.limit is None or standing.resets_at is None:
        return
    headers = MutableScopeHeaders.from_message(message)
    if "RateLimit-Limit" not in headers:
        resets_in = max(0, math.ceil(standing.resets_at - time.time()))
        headers.update(ratelimit_headers(standing.limit, max(0, standing.limit - standing.used), resets_in))
        headers["RateLimit-Policy"] = f"{standing.limit};w=60"


async def with_place(request: Request[Any, Any, State], index: Index, work: Work) -> Work:
    """`work` once there is a place for it, which it gives back at its end. Raises Overloaded and LimitReached."""
    services: Services = request.app.state.services
    check_embedder(index.embedder)
    place = await _taken(request, services)
    allowance = place.allowance

    async def placed(show: Any) -> Reply:
        token = METER.set(allowance)
        try:
            reply: Reply = await work(show)
            if allowance is not None:
                allowance.status = reply.status
            return reply
        finally:
            METER.reset(token)
            await place.leave()

    return placed


async def _taken(request: Request[Any, Any, State], services: Services) -> _Place:
    services.admission.enter()
    place = _Place(services.admission, services.limiter)
    places: list[_Place] = request.scope["state"][_PLACES]
    places.append(place)
    place.allowance = await services.limiter.begin(caller_of(request))
    return place


@get("/v1/usage", responses=documented())
async def get_usage(request: Request[Any, Any, State]) -> Usage:
    """What the caller has used of what it may use."""
    services: Services = request.app.state.services
    return await services.limiter.usage(caller_of(request))

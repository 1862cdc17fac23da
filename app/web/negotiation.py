"""The forms in which a question is taken and answered."""

from __future__ import annotations

import re

from litestar.datastructures.headers import Accept
from litestar.exceptions import ClientException
from litestar.handlers import BaseRouteHandler

from app.web.access import Connection

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
_TAKEN = {"", JSON, "application/x-www-form-urlencoded"}
"""No type at all, and what `curl -d` says of every body, count as JSON: whether it is shows when it is read."""
_REFUSED = re.compile(r";\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)", re.IGNORECASE)
"""`q=0`: not this one. Litestar takes it for the least wanted one."""


def json_in_and_out(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard of the answers route: 415 for a body that says it is no JSON, 406 when no form of the reply is wanted."""
    kind = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TAKEN and not kind.endswith("+json"):
        raise ClientException(f"Send the body as {JSON}.", status_code=415)
    if _best(connection) is None:
        raise ClientException(f"Replies are {JSON} or {EVENT_STREAM}: accept one of them.", status_code=406)


def wants_events(connection: Connection) -> bool:
    """Whether the reply is to be an event stream; JSON when the caller takes both alike."""
    return _best(connection) == EVENT_STREAM


def _best(connection: Connection) -> str | None:
    given = connection.headers.get("accept", "*/*").split(",")
    refused = {form.partition(";")[0].strip().lower() for form in given if _REFUSED.search(form)}
    wanted = ",".join(form for form in given if not _REFUSED.search(form))
    return Accept(wanted).best_match([form for form in (JSON, EVENT_STREAM) if form not in refused])

"""Who may ask, and what they may see. Without API keys everyone on this machine is the same anonymous caller."""

from __future__ import annotations

import secrets
import unicodedata
from typing import Any
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler
from msgspec import Struct

from app.core.evidence import Viewer
from app.core.model import Scope
from app.request import ANONYMOUS
from app.web.problems import NOT_ADMIN, NOT_LOCAL, Problem

TOKEN_HEADER = "X-Vouch-Token"  # noqa: S105 - a header's name
ADMIN_ONLY: dict[str, list[str]] = {"admin": []}
"""What the OpenAPI document says of routes behind `only_admins`."""
_LOOPBACK_NAMES = {"127.0.0.1", "localhost", "::1"}
Connection = ASGIConnection[Any, Any, Any, State]


class Door(Struct, frozen=True):
    """How this run of the service tells friend from foe."""

    token: str
    """Random for each run; stands for admin."""
    loopback_only: bool


def only_local_callers(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard of every route: no web page may drive a local service.

    A page of another site shows by its Origin; one that rebinds its name to 127.0.0.1 shows by the Host.
    """
    door: Door = connection.app.state.door
    host = _host_name(connection.headers.get("host", ""))
    if door.loopback_only and host not in _LOOPBACK_NAMES:
        raise Problem(NOT_LOCAL, "Ask it as http://127.0.0.1, or start it with ALLOW_ANONYMOUS=1.")
    origin = connection.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != connection.headers.get("host"):
        raise Problem(NOT_LOCAL, "Requests from pages of another origin are not answered.")


def only_admins(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard of admin routes: the token of this run, which only the owner of the store's folder can read."""
    if not is_admin(connection):
        raise Problem(NOT_ADMIN, "Run `python -m ingest` on the machine of the service instead.")


def is_admin(connection: Connection) -> bool:
    door: Door = connection.app.state.door
    given = connection.headers.get(TOKEN_HEADER, "")
    return secrets.compare_digest(given.encode(), door.token.encode())


def viewer_of(connection: Connection) -> Viewer:
    """Who asks for kept evidence. A filter narrows one question only, so it has no part in what may be seen."""
    return Viewer(caller=ANONYMOUS, is_admin=is_admin(connection), scope=scope_of(None, ()))


def scope_of(source_prefix: str | None, tags: tuple[str, ...]) -> Scope:
    """What an anonymous caller may see, narrowed by the request's filter."""
    prefix = unicodedata.normalize("NFC", source_prefix or "").strip("/")
    return Scope(source_prefix=prefix or None, tags=tuple(sorted(set(tags))))


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None

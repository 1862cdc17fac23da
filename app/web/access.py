"""Who asks, and what they may see and do.

With API_KEYS_FILE a caller is whom its key says. Without, everyone who reaches the service is the same anonymous
caller, so it answers its own machine alone, and no web page may drive it from there.
"""

from __future__ import annotations

import secrets
import unicodedata
from typing import Any, cast
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler
from msgspec import Struct

from app.core.callers import ANONYMOUS, OWNER, Caller
from app.core.evidence import Viewer
from app.core.model import Scope
from app.ports import Keys
from app.web.problems import BAD_REQUEST, NO_KEY, NOT_ADMIN, NOT_LOCAL, Problem

TOKEN_HEADER = "X-Vouch-Token"  # noqa: S105 - a header's name
KEY_HEADER = "X-API-Key"
OPEN_TO_ALL: dict[str, Any] = {"open_to_all": True}
"""`opt` of a route that asks for no key: it shows nothing of any document."""
ADMIN_ONLY: tuple[dict[str, list[str]], ...] = ({"admin": []}, {"bearer_key": []}, {"header_key": []})
"""What the OpenAPI document says of routes behind `only_admins`."""
_LOOPBACK_NAMES = {"127.0.0.1", "localhost", "::1"}
Connection = ASGIConnection[Any, Any, Any, State]


class Door(Struct, frozen=True):
    """How this run of the service tells friend from foe."""

    token: str
    """Random for each run; stands for admin."""
    loopback_only: bool
    """Whether only this machine may ask, by a name of loopback."""
    keys: Keys | None = None
    """None: there are no callers but the anonymous one and the holder of the token."""
    needs_key: bool = False
    origins: frozenset[str] = frozenset()
    """Whose pages may ask, beside the service's own."""

    def __repr__(self) -> str:
        return "Door(...)"


def admit(connection: Connection, handler: BaseRouteHandler) -> None:
    """Guard of every route: find out who asks, for `caller_of`.

    A key needs no look at Host and Origin: the page of another site has none, no browser adds one by itself, and to
    send one such a page needs the leave of CORS_ORIGINS. All that a caller without a key has is the place it asks from.
    """
    door: Door = connection.app.state.door
    is_open = bool(handler.opt.get("open_to_all"))
    caller = None if is_open else _proven(connection, door)
    if caller is None or door.keys is None:
        _check_place(connection, door)
    if caller is None and door.needs_key and not is_open:
        how = "Send a valid key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; the page takes it under Access."
        raise Problem(NO_KEY, how)
    connection.scope["user"] = caller or ANONYMOUS


def only_admins(connection: Connection, _: BaseRouteHandler) -> None:
    """Guard of admin routes: the key of an admin, or the token that only the owner of the store's folder can read."""
    if not caller_of(connection).is_admin:
        with_key = connection.app.state.door.keys is not None
        way = "Use the key of an admin" if with_key else "Run `python -m ingest` on the machine of the service"
        raise Problem(NOT_ADMIN, f"{way} instead.")


def only_admins_with_keys(connection: Connection, handler: BaseRouteHandler) -> None:
    """Guard of what is an admin's where callers have keys, and everyone's on their own machine."""
    if connection.app.state.door.keys is not None:
        only_admins(connection, handler)


def caller_of(connection: Connection) -> Caller:
    """Who asks. Behind `admit` only."""
    return cast("Caller", connection.scope["user"])


def viewer_of(connection: Connection) -> Viewer:
    """Who asks for kept evidence. A filter narrows one question only, so it has no part in what may be seen."""
    caller = caller_of(connection)
    return Viewer(caller=caller.name, is_admin=caller.is_admin, scope=scope_of(connection))


def scope_of(connection: Connection, source_prefix: str | None = None, tags: tuple[str, ...] = ()) -> Scope:
    """What the caller may see, narrowed by the request's filter."""
    prefix = unicodedata.normalize("NFC", source_prefix or "").strip("/")
    groups = caller_of(connection).groups
    return Scope(groups=groups, source_prefix=prefix or None, tags=tuple(sorted(set(tags))))


def _proven(connection: Connection, door: Door) -> Caller | None:
    """Whom the token or a key stands for; None without one. The page sends what was pasted into it as both.

    Without a file of keys a key says nothing: SDKs can't do without one. Raises Problem for one that is not valid.
    """
    token, key = connection.headers.get(TOKEN_HEADER, ""), _key(connection)
    if secrets.compare_digest(token.encode(), door.token.encode()):
        return OWNER
    if door.keys is None or key is None:
        return None
    caller = door.keys.find(key)
    if caller is None:
        raise Problem(NO_KEY, "The key is not valid: ask who runs the service for one.")
    return caller


def _key(connection: Connection) -> str | None:
    """The key of the request. Raises Problem when it has two."""
    scheme, _, bearer = connection.headers.get("authorization", "").partition(" ")
    keys = {connection.headers.get(KEY_HEADER, "").strip()}
    if scheme.lower() == "bearer":
        keys.add(bearer.strip())
    keys.discard("")
    if len(keys) > 1:
        raise Problem(BAD_REQUEST, f"Authorization and {KEY_HEADER} hold different keys: send one of them.")
    return keys.pop() if keys else None


def _check_place(connection: Connection, door: Door) -> None:
    """No page of another site may ask in the name of whoever looks at it.

    Such a page shows by its Origin; one that rebinds its name to 127.0.0.1 shows by the Host.
    """
    host = connection.headers.get("host", "")
    if door.loopback_only and _host_name(host) not in _LOOPBACK_NAMES:
        raise Problem(NOT_LOCAL, "Ask it as http://127.0.0.1, or start it with API_KEYS_FILE.")
    origin = connection.headers.get("origin")
    if origin is not None and origin not in door.origins and origin.partition("://")[2] != host:
        raise Problem(NOT_LOCAL, "Pages of another origin get no answer: CORS_ORIGINS names those that do.")


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None

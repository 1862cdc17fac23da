"""Who asks: callers with their keys, groups, rights and limits."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct

PUBLIC = "public"
"""The group that everyone is in."""
TENANT = "tenant:"
"""How the name of a group begins that isolates wholly: a document of a tenant is for members of that tenant only."""
MAX_GROUP_CHARACTERS = 200

_Limit = Annotated[int, Meta(ge=1)] | None


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller may use; None is no limit."""

    requests_per_minute: _Limit = None
    concurrent_answers: _Limit = None
    model_tokens_per_day: _Limit = None
    answers_per_month: _Limit = None
    """Of a calendar month, UTC."""


class Caller(Struct, frozen=True, kw_only=True):
    """An application or a person that asks."""

    name: str
    groups: frozenset[str] = frozenset({PUBLIC})
    """Always with `public`."""
    is_admin: bool = False
    """May change the index and look after it. It opens no document: reading goes by groups alone."""
    limits: Limits = Limits()


ANONYMOUS = Caller(name="anonymous")
"""Everyone without a key."""
OWNER = Caller(name="owner", is_admin=True)
"""Who holds the token of this run of the service, which only the owner of the store's folder can read."""
RESERVED_NAMES = frozenset({ANONYMOUS.name, OWNER.name})


class KeyedCaller(Struct, frozen=True):
    """A caller, and the SHA-256 of the key that stands for it as 64 hex digits."""

    caller: Caller
    sha256: str


def key_digest(key: str) -> str:
    """SHA-256 as hex digits. Keys are random, 256 bits: a slow hash would protect them no better."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def find_caller(key: str, callers: Iterable[KeyedCaller]) -> Caller | None:
    """Whose key it is. Looks at every entry whole, so that the time it takes tells nothing of how near a guess was."""
    digest = key_digest(key)
    found = None
    for entry in callers:
        if hmac.compare_digest(entry.sha256, digest):
            found = entry.caller
    return found


def is_tenant(group: str) -> bool:
    return group.startswith(TENANT)


def is_name(text: str) -> bool:
    """Whether a caller may be called so."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", text) is not None and text not in RESERVED_NAMES


def is_group(text: str) -> bool:
    """Whether a group may be called so: one line without space at its ends, and a tenant with a name."""
    in_bounds = 1 <= len(text) <= MAX_GROUP_CHARACTERS
    return in_bounds and text.isprintable() and text == text.strip() and text != TENANT and "," not in text

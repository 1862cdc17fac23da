"""Headers that keep a browser from misusing a reply, and the leave of other origins to ask."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from litestar.config.cors import CORSConfig
from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message

from app.web.access import KEY_HEADER

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""What the page and `/schema` say of the same in their own words goes before it."""
_SECONDS_OF_LEAVE = 600


async def protect(message: Message, _: Any) -> None:
    """Litestar hook: these headers on every reply, errors among them."""
    if message["type"] == "http.response.start":
        headers = MutableScopeHeaders.from_message(message)
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)


def cors(origins: Collection[str]) -> CORSConfig | None:
    """Pages of these origins may ask with a key; None when there are none. No cookie is let through: there are none."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=sorted(origins),
        allow_methods=["GET", "POST", "PUT", "DELETE"],
        allow_headers=["Authorization", KEY_HEADER, "Content-Type", "Accept", "Mcp-Protocol-Version"],
        expose_headers=["Retry-After", *(f"RateLimit-{what}" for what in ("Limit", "Remaining", "Reset", "Policy"))],
        max_age=_SECONDS_OF_LEAVE,
    )

"""The chat endpoints that the settings name."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from app.errors import SettingsError

_SHAPE = '[{"base_url": "https://llm.example/v1", "model": "small", "api_key": "..."}]'


class ChatEndpoint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One OpenAI-compatible endpoint and the model to ask there."""

    base_url: str
    model: str
    api_key: str = ""

    def __repr__(self) -> str:
        return f"ChatEndpoint({self.model})"  # a repr ends up in logs, and the URL may hold a key too


def read_fallbacks(text: str) -> tuple[ChatEndpoint, ...]:
    """CHAT_FALLBACKS, a JSON array; empty for an empty text. Raises SettingsError, which repeats nothing of it."""
    if not text:
        return ()
    try:
        endpoints = msgspec.json.decode(text, type=tuple[ChatEndpoint, ...])
    except (msgspec.MsgspecError, UnicodeError) as exc:
        raise SettingsError(f"CHAT_FALLBACKS must be a JSON array such as {_SHAPE}.") from exc
    if not all(endpoint.base_url and endpoint.model for endpoint in endpoints):
        raise SettingsError("CHAT_FALLBACKS must name a base_url and a model for each endpoint.")
    return endpoints

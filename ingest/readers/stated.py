"""Dates, addresses and languages that a document states about itself."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import urlsplit

_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_].*)?", re.IGNORECASE)
_NORWEGIAN = {"nb": "no", "nn": "no"}
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt\s].*)?")


def day(value: str) -> str | None:
    """The day of an ISO 8601 date or time, as it is written there: no time zone moves it."""
    stated = _DAY.fullmatch(value)
    try:
        return date(*map(int, stated.groups())).isoformat() if stated else None
    except ValueError:
        return None


def address(value: str) -> str | None:
    """An address that a reader may follow; nothing else may become a link."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return None
    return value if parts.scheme in ("http", "https") and parts.netloc and " " not in value else None


def language(value: str) -> str | None:
    """The ISO 639-1 code in a tag such as `de-AT`, of Norwegian without its written form."""
    tag = _LANGUAGE.fullmatch(value.strip())
    code = tag[1].lower() if tag else None
    return _NORWEGIAN.get(code, code) if code else None

"""Dates and addresses that a document states about itself."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import urlsplit

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

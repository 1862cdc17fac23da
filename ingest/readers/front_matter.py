"""The YAML block at the top of a Markdown file."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

import yaml
from msgspec import Struct

from ingest.errors import UnreadableDocument

_BLOCK = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DATES = ("updated", "updated_at", "last_modified", "date")


class FrontMatter(Struct, frozen=True):
    title: str = ""
    url: str | None = None
    updated_at: str | None = None
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] = ("public",)


def split(source: str) -> tuple[FrontMatter, str]:
    """The front matter and the text below it.

    Raises UnreadableDocument when it is not valid YAML: what it says of access must not be guessed.
    """
    block = _BLOCK.match(source)
    if block is None:
        return FrontMatter(), source
    try:
        values = yaml.safe_load(block[1])
    except (yaml.YAMLError, ValueError) as exc:
        raise UnreadableDocument("its front matter is not valid YAML") from exc
    if not isinstance(values, dict):  # a text between two rules
        return FrontMatter(), source
    return _read(values), source[block.end() :]


def _read(values: dict[Any, Any]) -> FrontMatter:
    return FrontMatter(
        title=_text(values.get("title")),
        url=_url(values.get("url")),
        updated_at=next((day for name in _DATES if (day := _day(values.get(name)))), None),
        tags=_words(values.get("tags")),
        access=_words(values["access"]) if "access" in values else ("public",),
    )


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _url(value: object) -> str | None:
    """An address that a reader may follow; nothing else may become a link."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return str(value) if parts and parts.scheme in ("http", "https") and parts.netloc else None


def _day(value: object) -> str | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else None


def _words(value: object) -> tuple[str, ...]:
    """A list of words, or words with commas between them; nothing of what is neither."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list):
        return ()
    return tuple(dict.fromkeys(word for each in given if (word := _text(each))))

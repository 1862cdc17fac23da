"""What a search without an answer gives."""

from __future__ import annotations

from msgspec import Struct

from app.core.model import Relevance


class Found(Struct, frozen=True):
    """A candidate of a search: a source without a number."""

    document_id: str
    passage_id: str
    title: str
    heading: tuple[str, ...]
    page: int | None
    url: str | None
    updated_at: str | None
    score: float
    text: str
    images: tuple[str, ...]


class SearchReply(Struct, frozen=True):
    candidates: list[Found]
    relevance: Relevance
    would_answer: bool
    reason: str | None
    """Why it would not."""
    revision: str | None

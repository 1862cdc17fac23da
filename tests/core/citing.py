"""What the tests of the citation filter share."""

from __future__ import annotations

from app.core.citations import CitationFilter
from app.core.links import Links

SOURCES = 3

Outcome = tuple[str, set[int], list[str], int]
"""The text that left, the valid numbers, the dropped markers, and how many links were made dead."""


def outcome(pieces: list[str], links: Links | None = None) -> Outcome:
    citations = CitationFilter(SOURCES, links=links)
    text = "".join([citations.feed(piece) for piece in pieces]) + citations.flush()
    return text, citations.valid, citations.dropped, citations.defanged


def filtered(text: str, links: Links | None = None) -> str:
    return outcome([text], links)[0]

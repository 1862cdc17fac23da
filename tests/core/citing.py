"""What the tests of the citation filter share."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

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


INVISIBLE = re.compile("[\u200b\u2060]")
_ITEM = r"-?\d+(?:\s*[–-]\s*\d+)?"
_MARKER = re.compile(
    r"[\[【〔［]\s*(?:[\^#]|(?:sources?|refs?|docs?|citations?|cite)\b[\s:.]*)?"
    rf"{_ITEM}(?:\s*[,;/]\s*{_ITEM})*\s*\^?\s*(?:†[^\[\]【】]*)?[\]】〕］]",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\[(?:\d{1,3}(?:,\d{3})+|\d{4}([-/])\d\d?\1\d\d?|\d\d?([-/])\d\d?\2\d{4})\]")


def markers_seen(text: str) -> set[str]:
    """What a reader may take for markers outside code, in each form that needs no other parser to tell."""
    seen = [
        found[0] for paragraph in seen_outside_code(text) for found in _MARKER.finditer(INVISIBLE.sub("", paragraph))
    ]
    return {marker for marker in seen if not _FIGURE.fullmatch(marker)}


def seen_outside_code(text: str) -> list[str]:
    """Each paragraph as a reader sees it, by another parser's word: markup is gone, escapes and entities are read."""
    parsed = MarkdownIt("commonmark").parse(text)
    paragraphs = [token.children or [] for token in parsed if token.type == "inline"]
    return ["".join(map(_seen, children)) for children in paragraphs]


def _seen(token: object) -> str:
    kind, content = getattr(token, "type", ""), getattr(token, "content", "")
    if kind in ("code_inline", "image"):
        return "\ufffd"
    return content if kind in ("text", "text_special") else "\n" if kind.endswith("break") else ""

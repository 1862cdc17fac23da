"""Recorded answers of models, put through the citation filter as if they had been written for a few sources."""

from __future__ import annotations

import json
from collections.abc import Iterator

from app.core.citations import CitationFilter
from eval import sets

PLACE = "payloads"
OFFERED = 3
"""Far fewer sources than the answers cite, so that most of their markers are none of ours."""
_PIECE = 7
"""Characters fed at once, as a model streams."""
_KEYS = ("answer", "article", "answer_text")
_TEXTS = 400
"""Of well over a thousand."""


def shown() -> list[tuple[str, int]]:
    """What leaves the filter, and how many sources it was given; empty without the recordings."""
    return [(_filtered(text), OFFERED) for text in sets.some(list(_texts()), _TEXTS)]


def _texts() -> Iterator[str]:
    for path in sorted((sets.DATA / PLACE).glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line) if line.strip() else {}
            yield from (row[key] for key in _KEYS if isinstance(row.get(key), str))
            if isinstance(row.get("answers"), dict):
                yield from (answer["answer_string"] for answer in row["answers"].values())


def _filtered(text: str) -> str:
    citations = CitationFilter(OFFERED)
    pieces = [citations.feed(text[at : at + _PIECE]) for at in range(0, len(text), _PIECE)]
    return "".join([*pieces, citations.flush()])

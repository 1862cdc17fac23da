"""Sources for tests that have no index."""

from __future__ import annotations

from typing import Any

from app.core.model import Source


def source(number: int, text: str = "", **fields: Any) -> Source:
    values = {
        "document_id": f"{number}.md",
        "passage_id": str(number),
        "title": "",
        "heading": (),
        "page": None,
        "url": None,
        "updated_at": None,
        "score": 0.5,
        **fields,
    }
    return Source(number=number, text=text, **values)

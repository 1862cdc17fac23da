"""What a terminal shows: colours where there are any, and nothing that could drive it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence

from rich.console import Console

from app.core.model import Relevance, Status

STYLES = {
    Status.ANSWERED: "green",
    Status.UNGROUNDED: "yellow",
    Status.REFUSED: "yellow",
    Status.FAILED: "red",
}


def show(text: str, style: str | None = None, *, end: str = "\n", error: bool = False) -> None:
    """Print text that is not ours as it is. Without a terminal, or with NO_COLOR set, it is plain."""
    stream = sys.stderr if error else sys.stdout
    console = Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=True)
    console.print(harmless(text), style=style, end=end)
    stream.flush()


def harmless(text: str) -> str:
    """Without the control characters by which a document or a model could drive the terminal."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf") else "\ufffd" for c in text)


def spoken(relevance: Relevance | None) -> list[str]:
    """What spoke for an answer and what against, a line for each."""
    if relevance is None or relevance.evidence is None:
        return []
    sides = {"for": relevance.evidence.for_, "against": relevance.evidence.against}
    return [f"  {side}: {'; '.join(words)}" for side, words in sides.items() if words]


def place(
    title: str, heading: Sequence[str], page: int | None, document_id: str, pages: tuple[int, int] | None = None
) -> str:
    """Where a passage stands, such as `Leave > Carry-over, page 3 (hr/leave.md)`, or `page 3–4` of `pages`."""
    path = " > ".join([title or document_id, *(name for name in heading if name != title)])
    shown = "–".join(map(str, dict.fromkeys(pages))) if pages else page
    return f"{path}, page {shown} ({document_id})" if shown is not None else f"{path} ({document_id})"

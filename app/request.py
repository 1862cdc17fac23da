"""A valid request for an answer."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from app.core import verdict
from app.core.callers import ANONYMOUS
from app.core.links import CitationStyle
from app.core.model import Intent, Scope
from app.core.question import asking

DEFAULT_TOP_K = 8

Mode = Literal["text", "structured", "validated"]


class Ask(Struct, frozen=True, kw_only=True):
    """A valid request; made by `answering.ask`."""

    question: str
    searched: str
    """What is searched with: the question, or a follow-up widened with the one before."""
    top_k: int = DEFAULT_TOP_K
    citation_policy: verdict.CitationPolicy = "drop"
    citation_style: CitationStyle = "markers"
    mode: Mode = "text"
    verify: bool = False
    intent: Intent = "answer"
    scope: Scope = Scope()
    caller: str = ANONYMOUS.name

    @property
    def embedded(self) -> str:
        """What the search by meaning is made with; that by words takes all of `searched`."""
        return asking(self.searched)

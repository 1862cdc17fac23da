"""The gate before any model call: is there anything to answer from?"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.core.model import Candidate, Relevance


class Decision(Struct, frozen=True):
    accepted: tuple[Candidate, ...]
    relevance: Relevance
    reason: str | None
    """Why the question is refused; None when it may be answered."""


def decide(candidates: Sequence[Candidate], threshold: float, min_passages: int) -> Decision:
    """Accept each candidate whose cosine is at or above `threshold`; refuse below `min_passages` of them."""
    accepted = tuple(candidate for candidate in candidates if candidate.score >= threshold)
    best = max((candidate.score for candidate in candidates), default=None)
    relevance = Relevance(best, threshold, len(candidates), len(accepted))
    return Decision(accepted, relevance, _reason(candidates, accepted, min_passages))


def _reason(candidates: Sequence[Candidate], accepted: Sequence[Candidate], min_passages: int) -> str | None:
    if not candidates:
        return "no_candidates"
    if not accepted:
        return "below_threshold"
    if len(accepted) < min_passages:
        return "too_few_passages"
    return None

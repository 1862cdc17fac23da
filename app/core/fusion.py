"""One order out of two: the dense leg's by cosine, and the sparse leg's by BM25."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.model import Candidate

DEPTH = 50
"""Candidates that each leg brings at least."""

_WORDS_SHARE = 0.4
"""Of the sparse leg in the merit of a candidate; chosen on CLAPNQ, SQuAD 2 and the pages of Contoso."""


def fused(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The best `limit` of what both legs found, by a weighted sum of their scores; ties by cosine, then passage id.

    A cosine counts as it is, BM25 as a share of the best one found for this question: it has no scale of its own.
    The ranks alone, as reciprocal rank fusion takes them, lose by how much one passage is ahead. The nearest by cosine
    is always among them, in the last place if need be: from it is read how near the index comes to the question.
    Weighted sums of normalised scores: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval"
    (2022).
    """
    most = max((candidate.sparse or 0.0 for candidate in candidates), default=0.0) or 1.0

    def merit(candidate: Candidate) -> float:
        return (1 - _WORDS_SHARE) * candidate.score + _WORDS_SHARE * (candidate.sparse or 0.0) / most

    by_merit = sorted(candidates, key=lambda c: (-merit(c), -c.score, c.passage.passage_id))
    found = by_merit[:limit]
    nearest = max((candidate.score for candidate in candidates), default=None)
    if not found or nearest in [candidate.score for candidate in found]:
        return found
    return [*found[:-1], next(candidate for candidate in by_merit if candidate.score == nearest)]

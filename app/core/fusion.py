"""One order out of two: the dense leg's by cosine, and the sparse leg's by BM25."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from app.core.model import Candidate

DEPTH = 50
"""Candidates that each leg brings at least."""

_RANK_CONSTANT = 60
"""Softens the lead of the first ranks: the value that the method was published with."""


def fused(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The best `limit` of what both legs found, by reciprocal rank fusion; ties by cosine, then by passage id.

    Each candidate has its exact cosine, so the dense leg ranks all of them; the sparse leg ranks those that it found.
    Equal scores share a rank: the same text in two documents stays side by side. The nearest by cosine is always
    among them, in the last place if need be: from it is read how near the index comes to the question. Cormack,
    Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods" (2009).
    """
    cosines = sorted(-candidate.score for candidate in candidates)
    sparse = sorted(-candidate.sparse for candidate in candidates if candidate.sparse is not None)

    def merit(candidate: Candidate) -> float:
        dense_share = 1 / (_RANK_CONSTANT + bisect_left(cosines, -candidate.score))
        if candidate.sparse is None:
            return dense_share
        return dense_share + 1 / (_RANK_CONSTANT + bisect_left(sparse, -candidate.sparse))

    by_merit = sorted(candidates, key=lambda c: (-merit(c), -c.score, c.passage.passage_id))
    best = by_merit[:limit]
    if not best or -cosines[0] in [candidate.score for candidate in best]:
        return best
    return [*best[:-1], next(candidate for candidate in by_merit if candidate.score == -cosines[0])]

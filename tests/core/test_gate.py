from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.gate import decide
from app.core.model import Candidate, Passage, Relevance

PASSAGE = Passage(passage_id="p", document_id="d", content_hash="c", position=0, title="", text="t")


def found(*scores: float) -> list[Candidate]:
    return [Candidate(PASSAGE, score) for score in scores]


@pytest.mark.parametrize(
    ("scores", "min_passages", "reason", "accepted"),
    [
        ([], 1, "no_candidates", 0),
        ([0.39, 0.2], 1, "below_threshold", 0),
        ([0.4], 1, None, 1),  # at the threshold is in
        ([0.9, 0.5, 0.1], 1, None, 2),
        ([0.9, 0.1], 2, "too_few_passages", 1),
        ([0.9, 0.4], 2, None, 2),
    ],
)
def test_the_gate_counts_what_reaches_the_threshold(
    scores: list[float], min_passages: int, reason: str | None, accepted: int
) -> None:
    decision = decide(found(*scores), 0.4, min_passages)
    best = max(scores, default=None)
    assert decision.reason == reason
    assert decision.relevance == Relevance(best, 0.4, len(scores), accepted)


@given(st.lists(st.floats(-1, 1)), st.floats(-1, 1), st.integers(1, 5))
def test_only_accepted_candidates_go_on(scores: list[float], threshold: float, min_passages: int) -> None:
    decision = decide(found(*scores), threshold, min_passages)
    assert [c.score for c in decision.accepted] == [score for score in scores if score >= threshold]
    assert (decision.reason is None) == (len(decision.accepted) >= min_passages)

"""Fusion of the two legs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.fusion import fused
from app.core.model import Candidate
from tests.stores import passage

FOUND = st.lists(
    st.tuples(st.sampled_from([-0.5, 0.0, 0.1, 0.7]), st.none() | st.sampled_from([0.5, 3.0, 9.0])), max_size=20
).map(lambda pairs: [candidate(f"{n}.md", *scores) for n, scores in enumerate(pairs)])


def candidate(name: str, score: float, sparse: float | None = None) -> Candidate:
    return Candidate(passage(name), score, sparse)


def names(candidates: list[Candidate]) -> list[str]:
    return [candidate.passage.document_id for candidate in candidates]


def test_what_both_legs_rank_high_comes_first() -> None:
    found = [candidate("dense", 0.9), candidate("both", 0.8, 7), candidate("sparse", 0.1, 9), candidate("far", 0.2)]
    assert names(fused(found, 3)) == ["both", "dense", "sparse"]


def test_without_words_the_order_is_that_of_the_cosines() -> None:
    found = [candidate("a", 0.1), candidate("b", 0.9), candidate("c", 0.5)]
    assert names(fused(found, 5)) == ["b", "c", "a"]


def test_equal_scores_stay_side_by_side_in_the_order_of_their_ids() -> None:
    twins = [candidate(name, 0.8, 5) for name in ("x", "y", "z")]
    found = fused([*twins, candidate("top", 0.9, 6), candidate("low", 0.7, 4)], 5)
    assert names(found)[0] == "top"
    assert found[1:4] == sorted(twins, key=lambda twin: twin.passage.passage_id)


@pytest.mark.parametrize("limit", [0, 1, 7, 40])
@given(found=FOUND)
def test_for_every_input_the_order_is_the_same_whatever_came_first(found: list[Candidate], limit: int) -> None:
    ordered = fused(found, limit)
    assert ordered == fused(list(reversed(found)), limit)
    assert ordered[:-1] == fused(found, 40)[:limit][:-1]
    assert len(ordered) == min(limit, len(found))


@given(found=FOUND, limit=st.integers(1, 5))
def test_for_every_input_the_nearest_is_found(found: list[Candidate], limit: int) -> None:
    cosines = [candidate.score for candidate in found]
    assert max((c.score for c in fused(found, limit)), default=None) == max(cosines, default=None)


@given(found=FOUND)
def test_for_every_pair_one_that_is_better_in_both_legs_comes_first(found: list[Candidate]) -> None:
    place = {c.passage.passage_id: n for n, c in enumerate(fused(found, 40))}
    for one in found:
        for other in found:
            if one.score > other.score and (one.sparse or 0) > (other.sparse or 0):
                assert place[one.passage.passage_id] < place[other.passage.passage_id]

"""Recall, MRR and nDCG."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.model import Candidate
from eval import ranking
from tests.eval.made import asked, case, gold, passage, reply

DOCUMENTS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_figures_by_hand_for_two_things_found_at_ranks_two_and_four() -> None:
    ranks = ranking.ranks_of([gold("a"), gold("b")], [passage(name) for name in "xaybz"])
    assert ranks == [2, 4]
    assert [ranking.recall(ranks, 2, depth) for depth in (1, 2, 3, 4)] == [0, 0.5, 0.5, 1]
    assert ranking.reciprocal_rank(ranks) == 0.5
    ideal = 1 + 1 / math.log2(3)
    assert ranking.ndcg(ranks, 2) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


@given(DOCUMENTS, DOCUMENTS.filter(bool))
def test_every_measure_is_a_share_and_first_place_is_perfect(found: list[str], wanted: list[str]) -> None:
    golds = [gold(name) for name in wanted]
    ranks = ranking.ranks_of(golds, [passage(name) for name in found])
    for value in (
        ranking.ndcg(ranks, len(wanted)),
        ranking.reciprocal_rank(ranks),
        ranking.recall(ranks, len(wanted), 5),
    ):
        assert 0 <= value <= 1 + 1e-12
    best = ranking.ranks_of(golds, [passage(name) for name in wanted])
    assert ranking.ndcg(best, len(wanted)) == pytest.approx(1)


def test_either_of_two_pages_will_do_and_counts_once() -> None:
    pages = [passage("a.pdf", page=page) for page in (9, 4, 3)]
    assert ranking.ranks_of([gold("a.pdf", 3, 4)], pages) == [2]


def test_passage_that_stands_for_two_things_counts_for_one() -> None:
    """Otherwise nDCG would exceed 1."""
    assert ranking.ranks_of([gold("a.pdf", 3, 4), gold("a.pdf", 4, 5)], [passage("a.pdf", page=4)]) == [1]


def test_words_decide_between_passages_of_one_document() -> None:
    found = [passage("a", "two days", number=0), passage("a", "three\n days", number=1)]
    assert ranking.ranks_of([gold("a", words="three days")], found) == [2]


def test_pages_and_documents_count_once_unless_passages_are_ranked() -> None:
    found = [passage("a", number=0), passage("a", number=1), passage("b.pdf", page=1), passage("b.pdf", page=2)]
    assert ranking.distinct(found, by_passage=False) == [found[0], found[2], found[3]]
    assert ranking.distinct(found, by_passage=True) == found


def test_each_leg_has_its_own_order() -> None:
    found = [Candidate(passage("a"), 0.2, 3.0), Candidate(passage("b"), 0.9), Candidate(passage("c"), 0.5, 7.0)]
    one = asked(case(gold=(gold("b"),)), reply(), *found)
    orders = {leg: [p.document_id for p in ranking.order(one, leg)] for leg in ("dense", "sparse", "fused")}
    assert orders == {"dense": ["b", "c", "a"], "sparse": ["c", "a"], "fused": ["a", "b", "c"]}
    figures = ranking.measure([one], by_passage=False)
    first = {leg: figures["retrieval", f"set, {leg}", "R@1"].value for leg in orders}
    assert first == {"dense": 1.0, "sparse": 0.0, "fused": 0.0}

"""Thresholds from scores, and what they are worth."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import calibration
from app.core.calibration import Counted, Judge, Scored

scores = st.lists(st.floats(-1, 1), min_size=1, max_size=60)
rates = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5])


def scored(kind: str, cosine: float, probability: float, floor: float = -1.0) -> Scored:
    return Scored(kind, "question", cosine, probability, cosine >= floor)


@given(scores, rates)
def test_threshold_refuses_at_most_the_rate(found: list[float], rate: float) -> None:
    bar = calibration.threshold(found, rate)
    assert sum(score < bar for score in found) <= rate * len(found)


@given(scores, rates)
def test_no_threshold_that_is_much_higher_would_do(found: list[float], rate: float) -> None:
    higher = calibration.threshold(found, rate) + 0.0011
    assert sum(score < higher for score in found) > rate * len(found) - 1e-9


def test_threshold_of_twenty_scores_may_refuse_one() -> None:
    found = [number / 100 for number in range(20)]
    assert calibration.threshold(found, 0.05) == 0.01
    assert calibration.threshold(found[:19], 0.05) == 0.0


def test_interval_is_wilsons() -> None:
    low, high = Counted(7, 150).interval
    assert (low, high) == (pytest.approx(0.0228, abs=1e-4), pytest.approx(0.0931, abs=1e-4))
    assert Counted(0, 0).interval == (0.0, 1.0)


@given(st.integers(0, 50), st.integers(1, 50))
def test_interval_holds_the_share(hits: int, more: int) -> None:
    counted = Counted(hits, hits + more)
    low, high = counted.interval
    assert 0 <= low <= counted.share + 1e-12
    assert counted.share - 1e-12 <= high <= 1


@given(scores, scores)
def test_area_is_the_share_of_pairs_in_order(positive: list[float], negative: list[float]) -> None:
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in product(positive, negative)]
    area, noise = calibration.auc(positive, negative)
    assert area == pytest.approx(sum(pairs) / len(pairs))
    assert noise >= 0


def test_area_is_as_uncertain_as_hanley_and_mcneil_say() -> None:
    """By hand: an area of 8/9 over 3 and 3, so Q1 = 4/5 and Q2 = 128/153."""
    area, noise = calibration.auc([0.3, 0.5, 0.6], [0.1, 0.2, 0.4])
    assert area == pytest.approx(8 / 9)
    variance = (8 / 81 + 2 * (4 / 5 - 64 / 81) + 2 * (128 / 153 - 64 / 81)) / 9
    assert noise == pytest.approx(1.96 * variance**0.5)


def test_roc_tells_what_is_refused_at_each_rate() -> None:
    answerable = [0.2, 0.4, 0.6, 0.8]
    assert calibration.refused_at(answerable, [0.1, 0.3, 0.5, 0.7], [0.0, 0.25, 0.5]) == [0.25, 0.5, 0.75]


def judged(*rows: tuple[str, float, float]) -> Judge:
    """Questions of (kind, cosine, probability)."""
    return lambda floor: [scored(*row, floor) for row in rows]


NEAR = [("answerable", number / 100, 0.1 if number > 95 else 0.9) for number in range(100)]
"""Of a hundred four hardly answer, which are among the nearest."""


def test_floor_takes_what_the_probability_can_not_tell() -> None:
    judge = judged(*NEAR, *[("off-domain", 0.03, 0.95)] * 40)
    chosen = calibration.choose([cosine for _, cosine, _ in NEAR], judge, 0.05)
    assert chosen.bars.relevance == chosen.bars.by_cosine().relevance == 0.05
    assert (chosen.refused()["off-domain"].hits, chosen.refused()["answerable"].hits) == (40, 5)


def test_bar_refuses_what_is_near_and_hardly_answers() -> None:
    judge = judged(*NEAR, *[("adversarial", 0.6, 0.2)] * 40)
    chosen = calibration.choose([cosine for _, cosine, _ in NEAR], judge, 0.05)
    assert (chosen.bars.relevance, chosen.bars.by_cosine().relevance) == (0.01, 0.05)
    assert (chosen.refused()["adversarial"].hits, chosen.refused()["answerable"].hits) == (40, 5)


def test_each_kind_counts_the_same_however_many_there_are() -> None:
    """All of the one stranger weighs more than half of the forty that are adversarial."""
    others = [("off-domain", 0.03, 0.95), *[("adversarial", 0.6, 0.2), ("adversarial", 0.6, 0.95)] * 20]
    chosen = calibration.choose([cosine for _, cosine, _ in NEAR], judged(*NEAR, *others), 0.05)
    assert (chosen.refused()["off-domain"].hits, chosen.refused()["adversarial"].hits) == (1, 0)


def test_what_the_floor_refuses_is_not_refused_once_more_by_the_bar() -> None:
    """The farther ones have the higher probabilities here."""
    rows = [("answerable", number / 20, 1 - number / 20) for number in range(20)]
    chosen = calibration.choose([cosine for _, cosine, _ in rows], judged(*rows, ("off-domain", 0.0, 0.99)), 0.2)
    assert chosen.refused()["answerable"].hits == 4


@given(st.lists(st.tuples(st.booleans(), st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=40), rates)
def test_both_together_refuse_at_most_the_rate(rows: list[tuple[bool, float, float]], rate: float) -> None:
    rows = [(True, 0.5, 0.5), *rows]

    def judge(floor: float) -> list[Scored]:
        return [scored("answerable" if yes else "adversarial", *row, floor) for yes, *row in rows]

    chosen = calibration.choose([cosine for yes, cosine, _ in rows if yes], judge, rate)
    counted = chosen.refused()["answerable"]
    assert counted.hits <= rate * counted.total + 1e-9
    assert 0 <= chosen.bars.answerability < 1

"""Thresholds from scores, and what they are worth."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import calibration
from app.core.calibration import Chosen, Counted, Scored
from app.core.model import Bars

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


def test_floor_takes_what_the_probability_can_not_tell() -> None:
    """Probabilities are all the same here, so only the cosine can refuse."""
    near, far = [0.5 + number / 100 for number in range(40)], [number / 100 for number in range(40)]

    def judge(floor: float) -> list[Scored]:
        yes = [scored("answerable", cosine, 0.5, floor) for cosine in near]
        return yes + [scored("off-domain", cosine, 0.5, floor) for cosine in far]

    chosen = calibration.choose(near, judge, 0.05)
    assert chosen.refused()["off-domain"].share == 1.0
    assert chosen.refused()["answerable"].hits <= 2
    assert chosen.bars.by_cosine().relevance == calibration.threshold(near, 0.05)


def test_bar_refuses_what_is_near_and_hardly_answers() -> None:
    def judge(floor: float) -> list[Scored]:
        yes = [scored("answerable", 0.6, 0.5 + number / 100, floor) for number in range(40)]
        return yes + [scored("adversarial", 0.6, 0.2, floor) for _ in range(40)]

    chosen = calibration.choose([0.6] * 40, judge, 0.05)
    assert (chosen.refused()["adversarial"].hits, chosen.refused()["answerable"].hits) == (40, 2)
    assert chosen.bars.answerability == 0.52


@given(st.lists(st.tuples(st.booleans(), st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=40), rates)
def test_both_together_refuse_at_most_the_rate(rows: list[tuple[bool, float, float]], rate: float) -> None:
    rows = [(True, 0.5, 0.5), *rows]

    def judge(floor: float) -> list[Scored]:
        return [scored("answerable" if yes else "adversarial", *row, floor) for yes, *row in rows]

    chosen = calibration.choose([cosine for yes, cosine, _ in rows if yes], judge, rate)
    counted = chosen.refused()["answerable"]
    assert counted.hits <= rate * counted.total + 1e-9
    assert 0 <= chosen.bars.answerability < 1


def test_kind_with_few_questions_counts_as_much_as_one_with_many() -> None:
    questions = [scored("off-domain", 0, 0.1)] + [scored("adversarial", 0, 0.9)] * 9
    refused = Chosen(Bars(0.0, 0.5), tuple(questions)).refused()
    assert {kind: counted.share for kind, counted in refused.items()} == {"off-domain": 1.0, "adversarial": 0.0}

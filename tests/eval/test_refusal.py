"""Refusals: precision, recall, risk and calibration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import refusal
from eval.refusal import Judged
from tests.eval.made import asked, case, reply
from tests.sources import source

QUESTIONS = [
    Judged(answerable=True, score=0.9, refused=False),
    Judged(answerable=False, score=0.7, refused=False),
    Judged(answerable=True, score=0.6, refused=False),
    Judged(answerable=True, score=0.3, refused=True),
    Judged(answerable=False, score=0.1, refused=True),
]


def test_figures_by_hand() -> None:
    found = {column: figure.value for (_, _, column), figure in refusal.measure("row", QUESTIONS).items()}
    assert found == {
        "AUC": pytest.approx(4 / 6, abs=1e-4),
        "precision": 0.5,
        "recall": 0.5,
        "false refusals": pytest.approx(1 / 3, abs=1e-4),
        "AURC": pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 4 + 2 / 5) / 5, abs=1e-4),
    }


def test_risk_is_the_share_without_an_answer_among_the_best_scores() -> None:
    assert refusal.risk_coverage(QUESTIONS) == [
        (0.2, 0.0), (0.4, 0.5), (0.6, pytest.approx(1 / 3)), (0.8, 0.25), (1.0, 0.4)
    ]  # fmt: skip


def test_calibration_error_by_hand() -> None:
    """Two bins: 0.8 on average with half of them right, and 0.25 with none."""
    rows = np.array([[0.75, 1], [0.85, 0], [0.25, 0], [0.25, 0]], dtype=float)
    bins_apart = abs(0.75 - 1) + abs(0.85 - 0) + abs(0.5 - 0)
    assert refusal.calibration_error(rows) == pytest.approx(bins_apart / 4)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_calibration_error_is_a_share(pairs: list[tuple[float, bool]]) -> None:
    assert 0 <= refusal.calibration_error(np.array(pairs, dtype=float)) <= 1 + 1e-9


@given(st.integers(1, 40), st.integers(0, 40))
def test_probability_that_is_the_share_of_right_ones_has_no_error(right: int, wrong: int) -> None:
    share = right / (right + wrong)
    rows = np.array([[share, 1]] * right + [[share, 0]] * wrong, dtype=float)
    assert refusal.calibration_error(rows) == pytest.approx(0, abs=1e-9)


def test_question_that_found_nothing_scores_lowest_and_an_abstention_is_a_refusal() -> None:
    nothing = asked(case(answerable=False), reply(best=None, reason="no_candidates"))
    abstained = asked(case(answerable=False), reply(reason="model_abstained"))
    answered = asked(case(), reply("Yes [1].", source(1, "Yes.")))
    judged = refusal.judged([nothing, abstained, answered])
    assert [(one.score, one.refused) for one in judged] == [(-1.0, True), (0.5, True), (0.5, False)]


def test_set_without_unanswerable_questions_has_false_refusals_alone() -> None:
    figures = refusal.measure("row", [one for one in QUESTIONS if one.answerable])
    assert {column for _, _, column in figures} == {"false refusals"}

"""Figures, the area under the curve, and the noise beside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import figures

SCORES = st.lists(st.floats(-1, 1).map(lambda score: round(score, 1)), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_area_is_the_share_of_pairs_in_the_right_order(positive: list[float], negative: list[float]) -> None:
    pairs = [(yes > no) + 0.5 * (yes == no) for yes in positive for no in negative]
    assert figures.auc(np.array(positive), np.array(negative)) == pytest.approx(sum(pairs) / len(pairs))


def test_area_by_hand() -> None:
    assert figures.auc(np.array([0.9, 0.5]), np.array([0.5, 0.1])) == (0.5 + 1 + 1 + 1) / 4


def test_mean_says_how_noisy_it_is_and_of_how_many() -> None:
    """The half width for a share p of n is about 1.96 · √(p (1 − p) / n)."""
    figure = figures.mean([1.0] * 200 + [0.0] * 200)
    assert figure is not None
    assert (figure.value, figure.count) == (0.5, 400)
    assert figure.noise == pytest.approx(1.96 * (0.25 / 400) ** 0.5, rel=0.1)


def test_same_values_have_the_same_noise_each_time_and_equal_ones_none() -> None:
    values = [0.0, 1.0, 1.0, 0.3, 0.9]
    assert figures.mean(values) == figures.mean(values)
    assert figures.mean([0.7] * 9) == figures.Figure(0.7, 0.0, 9)


def test_nothing_has_no_figure() -> None:
    assert figures.mean([]) is None
    assert figures.area([], [0.5]) is None
    assert figures.area([0.5], []) is None

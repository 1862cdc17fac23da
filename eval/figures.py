"""A figure and its noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_RESAMPLES = 1_000
_SEED = 11


class Figure(Struct, frozen=True):
    value: float
    noise: float
    """Half of the 95 % interval over resamples of the questions."""
    count: int
    """Of what it was measured on."""


Key = tuple[str, str, str]
"""Table, row and column."""
Figures = dict[Key, Figure]


def mean(values: Sequence[float]) -> Figure | None:
    """None of nothing."""
    return measured(lambda sample: float(sample.mean()), np.array(values, dtype=float))


def measured(measure: Callable[[Floats], float], rows: Floats) -> Figure | None:
    """A measure of `rows`, one a question, with its percentile bootstrap (Efron 1979) under a fixed seed.

    None of no rows.
    """
    if not len(rows):
        return None
    drawn = np.random.default_rng(_SEED).integers(0, len(rows), (_RESAMPLES, len(rows)))
    return _figure(measure(rows), np.array([measure(rows[sample]) for sample in drawn]), len(rows))


def area(positive: Sequence[float], negative: Sequence[float]) -> Figure | None:
    """The area under the ROC curve, where `positive` should score higher; either side is resampled by itself."""
    if not positive or not negative:
        return None
    chance = np.random.default_rng(_SEED)
    yes, no = np.array(positive), np.array(negative)
    resampled = [auc(chance.choice(yes, len(yes)), chance.choice(no, len(no))) for _ in range(_RESAMPLES)]
    return _figure(auc(yes, no), np.array(resampled), len(yes) + len(no))


def auc(positive: Floats, negative: Floats) -> float:
    """The share of pairs in which the positive scores higher, ties counting half (Mann and Whitney 1947)."""
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, side="left")
    ties = np.searchsorted(ordered, positive, side="right") - below
    return float((below + ties / 2).sum() / (len(positive) * len(negative)))


def _figure(value: float, resampled: Floats, count: int) -> Figure:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Figure(round(value, 4), round(float(high - low) / 2, 4), count)

"""Two distributions of scores in a terminal: those of answerable questions, and of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ROWS_PER_UNIT = 20
_WIDTH = 28
_LOWEST = -1.0


def histogram(answerable: Sequence[float], others: Sequence[float], mark: float) -> Iterator[str]:
    """A line for each twentieth from the first that holds a score to the last; the one that holds `mark` is marked.

    Bars are shares of either side, so that a side with more questions is not longer.
    """
    sides = [_counted(answerable), _counted(others)]
    rows = sorted({row for side in sides for row in side})
    longest = max((count for side in sides for count in side.values()), default=1.0)
    yield f"  {'':5}  {'answerable':{_WIDTH}}  the others"
    for row in range(rows[0], rows[-1] + 1) if rows else ():
        left, right = ("#" * round(_WIDTH * side.get(row, 0.0) / longest) for side in sides)
        here = "  <- threshold" if row == _row(mark) else ""
        yield f"  {row / _ROWS_PER_UNIT:5.2f}  {left:{_WIDTH}}  {right}{here}"


def _counted(scores: Sequence[float]) -> dict[int, float]:
    counts: dict[int, float] = {}
    for score in scores:
        counts[_row(score)] = counts.get(_row(score), 0.0) + 1 / len(scores)
    return counts


def _row(score: float) -> int:
    return int((max(score, _LOWEST) - _LOWEST) * _ROWS_PER_UNIT + 1e-9) - int(-_LOWEST * _ROWS_PER_UNIT)

"""Whether what is not answered was right to be refused, and what the gate's score is worth.

The score is the gate's probability that the sources answer, where it gives one, else the best cosine. A reply counts as
refused whoever refused: the gate, or the answerer that found nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from app.core.model import Reply, Status
from eval import figures
from eval.asking import Asked
from eval.figures import Figure, Figures, Floats

TABLE = "refusal"
_BINS = 10


class Judged(Struct, frozen=True):
    """A question as the gate saw it."""

    answerable: bool
    score: float
    refused: bool
    probability: float | None = None


def judged(asked: Iterable[Asked]) -> list[Judged]:
    """A catalogue question is decided by other rules, and left out."""
    return [_judged(one) for one in asked if one.reply.intent != "catalogue"]


def _judged(one: Asked) -> Judged:
    score, probability = scores(one.reply)
    return Judged(one.case.answerable, score, one.reply.status is Status.REFUSED, probability)


def scores(reply: Reply) -> tuple[float, float | None]:
    """What the gate went by, and the probability if it gives one."""
    if reply.relevance is None:
        return -1.0, None
    probability: float | None = getattr(reply.relevance, "answerability", None)
    if probability is not None:
        return probability, probability
    return (-1.0 if reply.relevance.best is None else reply.relevance.best), None


def measure(row: str, questions: Sequence[Judged]) -> Figures:
    """What there is no question for is left out."""
    yes = [one for one in questions if one.answerable]
    no = [one for one in questions if not one.answerable]
    found: dict[str, Figure | None] = {
        "AUC": figures.area([one.score for one in yes], [one.score for one in no]),
        "precision": figures.mean([not one.answerable for one in questions if one.refused]) if no else None,
        "recall": figures.mean([one.refused for one in no]),
        "false refusals": figures.mean([one.refused for one in yes]),
    }
    if yes and no:
        table = np.array([(one.score, not one.answerable) for one in questions], dtype=float)
        found["AURC"] = figures.measured(_mean_risk, table)
        calibrated = [(one.probability, one.answerable) for one in questions if one.probability is not None]
        if calibrated:
            found["ECE"] = figures.measured(calibration_error, np.array(calibrated, dtype=float))
    return {(TABLE, row, column): figure for column, figure in found.items() if figure}


def risk_coverage(questions: Sequence[Judged]) -> list[tuple[float, float]]:
    """(coverage, risk): answering only the best scores, the share answered and the share of it with no answer."""
    ordered = sorted(questions, key=lambda one: -one.score)
    wrong = np.cumsum([not one.answerable for one in ordered])
    return [((rank + 1) / len(ordered), float(count) / (rank + 1)) for rank, count in enumerate(wrong)]


def _mean_risk(rows: Floats) -> float:
    """The area under the risk-coverage curve (Geifman and El-Yaniv 2017); rows are (score, unanswerable)."""
    ordered = rows[np.argsort(-rows[:, 0], kind="stable"), 1]
    return float((np.cumsum(ordered) / np.arange(1, len(ordered) + 1)).mean())


def calibration_error(rows: Floats) -> float:
    """The expected calibration error (Naeini and others 2015) over ten bins; rows are (probability, outcome)."""
    probabilities, outcomes = rows[:, 0], rows[:, 1]
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    gaps = [abs(float((probabilities[bins == one] - outcomes[bins == one]).sum())) for one in range(_BINS)]
    return sum(gaps) / len(rows)

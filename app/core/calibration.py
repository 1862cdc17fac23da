"""Thresholds for a share of false refusals, from the scores of questions that are known to be answered or not."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, structs

from app.core import answerability
from app.core.background import STATEMENTS
from app.core.model import Bars

ANSWERABLE = "answerable"
_Z = 1.96
"""Of a 95 % interval."""
_STEP = 1_000
"""Thresholds are whole thousandths."""
_HIGHEST_BAR = 0.999
_SHARES_OF_THE_FLOOR = (0.2, 0.6, 1.0)
"""How much of the false refusals may be due to the cosine; the probability has the rest."""


class Calibration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was measured, and with what: the file that `make calibrate` writes."""

    embedding_model: str
    identity: str
    """Of the embedding model with its weights."""
    gate: str
    """Of the gate's weights: other ones give other probabilities."""
    relevance_threshold: Annotated[float, Meta(ge=-1, le=1)]
    cosine_alone: Annotated[float, Meta(ge=-1, le=1)]
    """For what is decided by the cosine alone, such as lists of documents."""
    answerability_threshold: Annotated[float, Meta(ge=0, lt=1)]
    false_refusals: Annotated[float, Meta(gt=0, lt=1)]
    """The share that was asked for."""
    answerable: int
    others: int
    labelled: bool
    """Whether people wrote the answerable questions."""
    index_name: str
    revision: str
    measured_at: str
    """ISO 8601 UTC."""

    @property
    def bars(self) -> Bars:
        return Bars(self.relevance_threshold, self.answerability_threshold, self.cosine_alone)


class Scored(Struct, frozen=True):
    """A question as the gate saw it."""

    kind: str
    """`answerable`, or any other word for those that are not."""
    question: str
    cosine: float
    """Of the nearest passage; -1 when nothing was found."""
    probability: float
    """That the passages answer; 0 when nothing was found."""
    is_near: bool
    """Whether the gate accepts enough passages over the floor."""


class Counted(Struct, frozen=True):
    """So many of so many."""

    hits: int
    total: int

    @property
    def share(self) -> float:
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % score interval of the share (Wilson 1927)."""
        if not self.total:
            return 0.0, 1.0
        squared = _Z * _Z / self.total
        middle = (self.share + squared / 2) / (1 + squared)
        half = _Z * math.sqrt(self.share * (1 - self.share) / self.total + squared / (4 * self.total)) / (1 + squared)
        return max(0.0, middle - half), min(1.0, middle + half)


class Chosen(Struct, frozen=True):
    bars: Bars
    questions: tuple[Scored, ...]
    """As the gate sees them over the floor that was chosen."""

    def refused(self) -> dict[str, Counted]:
        """By kind."""
        return _refused(self.questions, self.bars.answerability)


Judge = Callable[[float], Sequence[Scored]]
"""The questions as the gate sees them over a cosine floor."""


def choose(cosines: Sequence[float], judge: Judge, rate: float) -> Chosen:
    """The floor and the bar that refuse at most `rate` of the answerable questions, and most of the others.

    `cosines` are those of the answerable questions. Of the others each kind counts the same, however many there are.
    """
    alone = threshold(cosines, rate)
    tried = [_over(judge, threshold(cosines, share * rate), alone, rate) for share in _SHARES_OF_THE_FLOOR]
    return max(tried, key=_merit)


def _over(judge: Judge, floor: float, alone: float, rate: float) -> Chosen:
    questions = tuple(judge(floor))
    passing = [one.probability if one.is_near else -1.0 for one in questions if one.kind == ANSWERABLE]
    bar = min(max(0.0, threshold(passing, rate)), _HIGHEST_BAR)
    return Chosen(Bars(floor, bar, alone), questions)


def _merit(chosen: Chosen) -> float:
    return sum(counted.share for kind, counted in chosen.refused().items() if kind != ANSWERABLE)


def threshold(scores: Sequence[float], rate: float) -> float:
    """The highest, in thousandths, that at most `rate` of the scores are below."""
    may_be_below = math.floor(rate * len(scores) + 1e-9)
    score = sorted(scores)[may_be_below]
    bar = math.floor(score * _STEP) / _STEP
    return bar if bar <= score else bar - 1 / _STEP  # the product may have been rounded up


def _refused(questions: Sequence[Scored], bar: float) -> dict[str, Counted]:
    counts: dict[str, list[bool]] = {}
    for one in questions:
        counts.setdefault(one.kind, []).append(not one.is_near or one.probability < bar)
    return {kind: Counted(sum(refused), len(refused)) for kind, refused in counts.items()}


def auc(positive: Sequence[float], negative: Sequence[float]) -> tuple[float, float]:
    """The area under the ROC curve, ties counting half (Mann and Whitney 1947), and half of its 95 % interval.

    The interval is that of Hanley and McNeil (1982). Neither side may be empty.
    """
    ordered = sorted(negative)
    below = sum(bisect_left(ordered, one) + bisect_right(ordered, one) for one in positive) / 2
    area = below / (len(positive) * len(negative))
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (len(positive) - 1) * (first - area**2) + (len(negative) - 1) * (second - area**2)
    return area, _Z * math.sqrt(max(0.0, spread) / (len(positive) * len(negative)))


def refused_at(positive: Sequence[float], negative: Sequence[float], rates: Sequence[float]) -> list[float]:
    """The ROC curve: for each rate of false refusals the share of the others that is refused."""
    return [sum(one < threshold(positive, rate) for one in negative) / len(negative) for rate in rates]


def gate_identity() -> str:
    """Names the weights, and the texts that they compare with: with others the probability has another scale."""
    parts = [answerability.INTERCEPT, structs.astuple(answerability.WEIGHTS), answerability.EXACT_COSINE, STATEMENTS]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]

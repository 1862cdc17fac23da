"""What a calibration measured, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from app.core.calibration import ANSWERABLE, Calibration, Chosen, Counted, Scored, auc, refused_at
from app.terminal.scores import histogram

_RATES = (0.01, 0.02, 0.05, 0.1, 0.2)
_SHOWN = 3
_Score = Callable[[Scored], float]


def report(measured: Calibration, chosen: Chosen) -> Iterator[str]:
    yield _asked(measured, chosen)
    yield from _distribution(
        "Probability that the passages answer", chosen, lambda one: one.probability, chosen.bars.answerability
    )
    yield from _distribution("Cosine of the nearest passage", chosen, lambda one: one.cosine, chosen.bars.relevance)
    yield from _outcome(measured, chosen)
    yield from _extremes(chosen)


def _asked(measured: Calibration, chosen: Chosen) -> str:
    counts = [f"{counted.total} {kind}" for kind, counted in chosen.refused().items()]
    by = "as labelled" if measured.labelled else "built from the documents"
    place = f"index {measured.index_name}, revision {measured.revision}, model {measured.embedding_model}"
    return f"Questions: {', '.join(counts)}; the answerable ones {by} ({place})."


def _distribution(name: str, chosen: Chosen, score: _Score, bar: float) -> Iterator[str]:
    by_kind = _by_kind(chosen.questions, score)
    answerable = by_kind.pop(ANSWERABLE)
    others = [one for scores in by_kind.values() for one in scores]
    yield f"\n{name}"
    yield from histogram(answerable, others, bar)
    yield f"  AUC {_area(answerable, others)}"
    yield f"  {'of the answerable refused':>27}" + "".join(f"{rate:>7.0%}" for rate in _RATES)
    for kind, scores in by_kind.items():
        refused = "".join(f"{share:>7.0%}" for share in refused_at(answerable, scores, _RATES))
        yield f"  {f'then of {kind}':>27}{refused}   AUC {_area(answerable, scores)}"


def _area(answerable: Sequence[float], others: Sequence[float]) -> str:
    area, noise = auc(answerable, others)
    return f"{area:.3f} ± {noise:.3f}"


def _outcome(measured: Calibration, chosen: Chosen) -> Iterator[str]:
    bars = chosen.bars
    yield (
        f"\nFor {measured.false_refusals:.1%} false refusals: RELEVANCE_THRESHOLD {bars.relevance:.3f},"
        f" ANSWERABILITY_THRESHOLD {bars.answerability:.3f}. Refused by them:"
    )
    for kind, counted in chosen.refused().items():
        yield f"  {kind:12} {_counted(counted)}"


def _counted(counted: Counted) -> str:
    low, high = counted.interval
    return f"{counted.hits:4} of {counted.total:4}  {counted.share:6.1%} (95 % interval {low:.1%} to {high:.1%})"


def _extremes(chosen: Chosen) -> Iterator[str]:
    """The questions to look at first: what is odd about them may be odd about the documents."""
    ordered = sorted(chosen.questions, key=lambda one: one.probability)
    low = [one for one in ordered if one.kind == ANSWERABLE][:_SHOWN]
    high = [one for one in reversed(ordered) if one.kind != ANSWERABLE][:_SHOWN]
    for heading, questions in (("Lowest of the answerable", low), ("Highest of the others", high)):
        yield f"\n{heading}:"
        yield from (f"  {one.probability:.3f}  {one.question} ({one.kind})" for one in questions)


def _by_kind(questions: Sequence[Scored], score: _Score) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for one in questions:
        found.setdefault(one.kind, []).append(score(one))
    return found

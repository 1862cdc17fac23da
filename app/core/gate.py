"""The gate before any model call: is there anything to answer from, and is it likely to hold the answer?"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.core import answerability, question_words
from app.core.answerability import Found
from app.core.hashing import prepared_text
from app.core.model import Bars, Candidate, Relevance

_DIGITS = 4


class Decision(Struct, frozen=True):
    accepted: tuple[Candidate, ...]
    relevance: Relevance
    reason: str | None
    """Why the question is refused; None when it may be answered."""


def decide(question: str, candidates: Sequence[Candidate], bars: Bars, min_passages: int, general: float) -> Decision:
    """Accept what counts, and refuse when it is too little or hardly answers.

    A candidate counts from the cosine of `bars` on, or when it holds every identifier and quoted phrase of the
    question letter by letter. `general` is the cosine of the question and the nearest background text. Takes
    milliseconds.
    """
    accepted, exact = accept(question, candidates, bars.relevance)
    found = None
    if candidates and bars.answerability:
        found = answerability.examine(question, accepted or candidates, general, exact=exact)
    relevance = _relevance(candidates, accepted, bars, found)
    return Decision(accepted, relevance, _reason(relevance, min_passages))


def accept(question: str, candidates: Sequence[Candidate], floor: float) -> tuple[tuple[Candidate, ...], bool]:
    """Those that count over the cosine `floor`, and whether any holds the question's identifiers."""
    exact = _exact(question, candidates)
    return tuple(one for one in candidates if one.score >= floor or one in exact), bool(exact)


def told(relevance: Relevance | None) -> str:
    """What the gate saw in numbers, in brackets, to stand behind a sentence; empty when it saw nothing."""
    if relevance is None or relevance.best is None:
        return ""
    numbers = f"best score {relevance.best:.2f}, threshold {relevance.threshold:.2f}"
    if relevance.answerability is not None and relevance.answerability_threshold is not None:
        numbers += f"; answerability {relevance.answerability:.2f}, threshold {relevance.answerability_threshold:.2f}"
    return f" ({numbers})"


def _exact(question: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """None when the question holds nothing that can only be meant letter by letter."""
    wanted = question_words.exact_terms(question)
    return [one for one in candidates if wanted and question_words.holds_exactly(_text(one), wanted)]


def _text(candidate: Candidate) -> str:
    return prepared_text(candidate.passage.title, candidate.passage.heading, candidate.passage.text)


def _relevance(
    candidates: Sequence[Candidate], accepted: Sequence[Candidate], bars: Bars, found: Found | None
) -> Relevance:
    best = max((candidate.score for candidate in candidates), default=None)
    if found is None:
        return Relevance(best, bars.relevance, len(candidates), len(accepted))
    return Relevance(
        best,
        bars.relevance,
        len(candidates),
        len(accepted),
        answerability=round(answerability.probability(found.features), _DIGITS),
        answerability_threshold=bars.answerability,
        evidence=answerability.spoken(found),
    )


def _reason(relevance: Relevance, min_passages: int) -> str | None:
    if not relevance.candidates:
        return "no_candidates"
    if not relevance.accepted:
        return "below_threshold"
    if relevance.accepted < min_passages:
        return "too_few_passages"
    if relevance.answerability is not None and relevance.answerability < (relevance.answerability_threshold or 0):
        return "below_threshold"
    return None

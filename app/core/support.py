"""Whether what an answer says stands in the sources it names: the reply's shape, and the score.

A sentence is compared with the window of one or two source sentences that holds most of its content words. The
score is a logistic model of two things: the share of the content words that the window holds, and the cosine of
sentence and window. It must reach the threshold, and no number, unit, date, name or "not" of the sentence may be
missing. Weights and threshold come from `python -m bench.support --fit`, which sees development data only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import chain

from msgspec import Struct

from app.core import claims
from app.core.answer_sentences import Sentence
from app.core.claims import Facts
from app.core.model import SentenceSupport, Source, Span
from app.core.quantities import quantities
from app.core.sentences import sentence_spans

Terms = Callable[[str], Collection[int]]
"""Turns a text into the ids of its content words, stemmed."""


INTERCEPT = -3.97
OVERLAP_WEIGHT = 3.80
SIMILARITY_WEIGHT = 3.62
THRESHOLD = 0.44
"""Scores below it are unsupported."""

_LEAST_CONTENT = 2
"""Content words and numbers that make a claim; "Yes, it is." has none."""


class Reference(Struct, frozen=True):
    """A source, ready to be compared with many sentences."""

    number: int
    text: str
    spans: tuple[Span, ...]
    """Of its sentences, without the white space around."""
    terms: tuple[frozenset[int], ...]
    facts: Facts
    """Of its title, headings and date too, for the model was shown them."""


class Match(Struct, frozen=True):
    """The window that holds most of a sentence's content words."""

    source: int
    span: Span
    text: str
    overlap: float


class Finding(Struct, frozen=True):
    """All that can be said about a sentence without embedding it."""

    sentence: Sentence
    claims: bool
    match: Match | None = None
    """None when no source holds any of its words."""
    missing: tuple[str, ...] = ()


def reference(source: Source, terms: Terms) -> Reference:
    spans = tuple(_trimmed(source.text, span) for span in sentence_spans(source.text))
    shown = [source.title, *source.heading, source.updated_at or "", source.text]
    words = tuple(frozenset(terms(source.text[slice(*span)])) for span in spans)
    return Reference(source.number, source.text, spans, words, claims.facts("\n".join(shown)))


def find(sentence: Sentence, references: Sequence[Reference], terms: Terms) -> Finding:
    """Look a sentence up in the sources it rests on; in all of them when it names none."""
    content = frozenset(terms(sentence.words))
    if not content or len(content) + len(quantities(sentence.words)) < _LEAST_CONTENT:
        return Finding(sentence, claims=False)
    cited = [source for source in references if source.number in sentence.cited]
    match = max(filter(None, (_match(content, source) for source in cited or references)), key=_overlap, default=None)
    holders = cited or [source for source in references if match and source.number == match.source]
    lost = claims.missing(sentence.words, [source.facts for source in holders])
    if (said_no := claims.negation(sentence.words)) and not (match and claims.denies(match.text)):
        lost.append(said_no)
    return Finding(sentence, claims=True, match=match, missing=tuple(lost))


def judge(answer: str, finding: Finding, similarity: float) -> SentenceSupport:
    """The result for a sentence; `similarity` is the cosine of its words and its match."""
    sentence, match = finding.sentence, finding.match
    points = score(match.overlap, similarity) if match else 0.0
    return SentenceSupport(
        text=answer[sentence.start : sentence.end],
        start=sentence.start,
        end=sentence.end,
        cited=sentence.cited,
        supported=points >= THRESHOLD and not finding.missing if finding.claims else None,
        source=match.source if match else None,
        score=round(points, 3) if finding.claims else None,
        span=match.span if match else None,
        missing=finding.missing,
    )


def score(overlap: float, similarity: float) -> float:
    """How well a sentence stands in its match, 0..1."""
    return 1 / (1 + math.exp(-INTERCEPT - OVERLAP_WEIGHT * overlap - SIMILARITY_WEIGHT * similarity))


def _match(content: frozenset[int], source: Reference) -> Match | None:
    """The best window of one or two sentences; the shorter and earlier one where two are as good."""
    best, held = (0, 0), 0
    for width in (1, 2):
        for first in range(len(source.terms) - width + 1):
            count = len(content.intersection(chain(*source.terms[first : first + width])))
            if count > held:
                best, held = (first, first + width), count
    if not held:
        return None
    span = source.spans[best[0]][0], source.spans[best[1] - 1][1]
    return Match(source.number, span, source.text[slice(*span)], held / len(content))


def _overlap(match: Match) -> float:
    return match.overlap


def _trimmed(text: str, span: Span) -> Span:
    part = text[slice(*span)]
    start = span[0] + len(part) - len(part.lstrip())
    return start, max(start, span[0] + len(part.rstrip()))

"""An answer without a model: the parts of the sources that answer the question best, word for word.

A part counts for the words of the question that it holds, rare ones for more (the inverse document frequency
of BM25, Robertson and Zaragoza 2009, over the parts at hand), a little for those in the title and headings
above it, for what the kind of question asks for (a number, a date, a name) and for the score of its source.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from app.core.citations import CitationFilter
from app.core.model import Source
from app.core.prompt import neutralise
from app.core.quotable import Block, blocks, excerpts

Terms = Callable[[str], Collection[int]]
"""Turns a text into the ids of its words, stemmed and without stop words."""

_MOST_PARTS = 3
_WHOLE_LIST = 700
"""Characters up to which a list is quoted whole."""
_WHOLE_PROCEDURE = 2_500
"""The same when the question asks how something is done."""

_ABOUT_WEIGHT = 0.35
"""What a word in the title, a heading or the lead is worth next to one in the part itself."""
_HINT_WEIGHT = 0.15
_SOURCE_WEIGHT = 0.3
_LEAST_COVERAGE = 0.25
"""Share of the question's weight that the best part must hold, or there is no answer."""
_NEXT_SHARE = 0.8
"""Share of the best part's score that another one must reach."""

_PROCEDURE = re.compile(
    r"\bhow (?:do|can|could|should|would|must|to)\b|\b(?:steps?|procedure|process|instructions)\b", re.I
)
_HINTS = [
    (re.compile(asked, re.IGNORECASE), re.compile(found, flags))
    for asked, found, flags in [
        (
            r"\bhow (?:many|much|long|old|far|often|big|large|high|tall|fast)\b",
            r"\d|\b(?:one|two|three|four|five|ten)\b",
            re.I,
        ),
        (
            r"\bwhen\b|\bwhat (?:time|date|day|year)\b",
            r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:daily|weekly|monthly)\b",
            re.I,
        ),
        (r"\bwho(?:m|se)?\b", r"(?<=[\w,;] )[A-Z]\w+|@", 0),
        (r"\bwhere\b", r"\b(?:in|at|on|near|from|to) (?:the )?[A-Z]|https?://", 0),
        (r"\bwhy\b", r"\b(?:because|since|due to|so that|in order to|reason)\b", re.I),
    ]
]
"""What a kind of question asks for: how it is asked, and how an answer to it looks."""


class Quote(Struct, frozen=True):
    """Text of source `number`, neutralised."""

    number: int
    text: str


class _Part(Struct, eq=False):
    """One sentence, item, row or code block, and where it stands."""

    source: Source
    text: str
    """The whole source, neutralised."""
    block: Block
    index: int
    terms: frozenset[int]
    about: frozenset[int]
    """Words of the title, the headings and the lead."""

    @property
    def words(self) -> str:
        return self.text[slice(*self.block.parts[self.index])]


def select(question: str, sources: Sequence[Source], terms: Terms) -> list[Quote]:
    """The quotes that answer the question, best source first; none when nothing in the sources does.

    Deterministic for the same question, sources and `terms`.
    """
    asked = frozenset(terms(question))
    parts = [part for source in sources for part in _parts(source, terms)]
    if not asked or not parts:
        return []
    weights = _weights(asked, parts)
    coverage = [_coverage(part, weights) for part in parts]
    scores = [covered + _evidence(question, part) for covered, part in zip(coverage, parts, strict=True)]
    order = sorted(range(len(parts)), key=lambda place: -scores[place])
    if coverage[order[0]] < _LEAST_COVERAGE:
        return []
    least = _NEXT_SHARE * scores[order[0]]
    picked = [parts[place] for place in order[:_MOST_PARTS] if scores[place] >= least]
    return list(_quotes(question, picked))


def cited(quotes: Sequence[Quote]) -> list[str]:
    """The pieces of the answer: each quote with its marker behind it."""
    pieces = list(filter(None, map(_marked, quotes)))
    return [*pieces[:1], *(f"\n\n{piece}" for piece in pieces[1:])]


def _parts(source: Source, terms: Terms) -> Iterator[_Part]:
    text = neutralise(source.text)
    about = frozenset(terms(" ".join([source.title, *source.heading])))
    for block in blocks(text):
        lead = frozenset(terms(text[slice(*block.lead)])) if block.lead else frozenset()
        for index, span in enumerate(block.parts):
            yield _Part(source, text, block, index, frozenset(terms(text[slice(*span)])), about | lead)


def _weights(asked: frozenset[int], parts: Sequence[_Part]) -> dict[int, float]:
    """The weight of each word of the question; they add up to 1."""
    found = Counter(term for part in parts for term in asked & (part.terms | part.about))
    raw = {term: math.log(1 + (len(parts) - found[term] + 0.5) / (found[term] + 0.5)) for term in asked}
    total = sum(raw.values())
    return {term: weight / total for term, weight in raw.items()}


def _coverage(part: _Part, weights: Mapping[int, float]) -> float:
    held = sum(weight for term, weight in weights.items() if term in part.terms)
    above = sum(weight for term, weight in weights.items() if term in part.about - part.terms)
    return held + _ABOUT_WEIGHT * above


def _evidence(question: str, part: _Part) -> float:
    hints = [bool(answer.search(part.words)) for asks, answer in _HINTS if asks.search(question)]
    hint = sum(hints) / len(hints) if hints else 0.0
    return _HINT_WEIGHT * hint + _SOURCE_WEIGHT * part.source.score


def _quotes(question: str, picked: Sequence[_Part]) -> Iterator[Quote]:
    whole = _WHOLE_PROCEDURE if _PROCEDURE.search(question) else _WHOLE_LIST
    for number in dict.fromkeys(part.source.number for part in picked):
        of_source = [part for part in picked if part.source.number == number]
        for start in sorted({part.block.parts[0][0] for part in of_source}):
            chosen = [part for part in of_source if part.block.parts[0][0] == start]
            indices = [part.index for part in chosen]
            for excerpt in excerpts(chosen[0].text, chosen[0].block, indices, whole):
                yield Quote(number, excerpt)


def _marked(quote: Quote) -> str:
    """The quote and its marker, placed where the marker counts: outside code, and outside the last row."""
    closings = ["\n\n", "\n```\n\n", "\n~~~\n\n"]  # a fence may be left open, and backticks unpaired
    for closing in closings if quote.text.endswith(("|", "```", "~~~")) else [" ", *closings]:
        text = f"{quote.text}{closing}[{quote.number}]"
        citations = CitationFilter(quote.number)
        if citations.feed(text) + citations.flush() == text and quote.number in citations.valid:
            return text
    return ""

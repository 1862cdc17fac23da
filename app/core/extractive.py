"""An answer without a model: the parts of the sources that answer the question best, word for word.

A part counts for the words of the question that stand in it or in the headings above it, rare words for more (the
inverse document frequency of BM25, Robertson and Zaragoza 2009, over the parts at hand), a little for those in
the title, for what the kind of question asks for (a number, a date, a name) and for the score of its source. The
weights were chosen on SQuAD 2, CLAPNQ and the sample corpus.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from app.core.citations import CitationFilter
from app.core.links import Links
from app.core.markup.code import code_in
from app.core.model import Source
from app.core.prompt import neutralise
from app.core.quotable import Block, blocks, excerpts

Terms = Callable[[str], Collection[int]]
"""Turns a text into the ids of its words, stemmed and without stop words."""

_MOST_PARTS = 3
_NEXT_SHARE = 0.8
"""Share of the best part's score that another one must reach."""
_LEAST_SHARE = 0.25
"""Share of the question's words that the best part, its headings and its title must hold, or there is no answer."""
_TITLE_WEIGHT = 0.35
"""What a word in the title is worth next to one in the part itself."""
_HINT_WEIGHT = 0.15
_SOURCE_WEIGHT = 1.75

_WHOLE = 600
"""Characters up to which a list or a table is quoted whole."""
_WHOLE_PROCEDURE = 2_500
"""The same when the question asks how something is done."""
_FENCES_TRIED = 4

_PROCEDURE = re.compile(
    r"\bhow (?:do|can|could|should|would|must|to)\b|\b(?:steps|procedure|process|instructions)\b", re.IGNORECASE
)

_LIGHT_WORDS = (
    "get have need want please tell know find give take make go like long many much often must should could would "
    "can may do does"
)
"""Words that questions are made of; a text does not answer one by holding them."""
_THOUSANDS = re.compile(r"(?<=[0-9])[,.](?=[0-9]{3}\b)")

_HINTS = [
    (re.compile(asked, re.IGNORECASE), re.compile(answered))
    for asked, answered in [
        (
            r"\bhow (?:many|much|long|old|far|often|big|large|high|fast)\b",
            r"[0-9]|\b(?i:one|two|three|four|five|ten)\b",
        ),
        (r"\bwhen\b|\bwhat (?:time|date|day|year)\b", r"[0-9]|\b(?i:\w+day|daily|weekly|monthly|yearly)\b"),
        (r"\bwho(?:m|se)?\b", r"(?<=[\w,;] )[A-Z]\w+|@"),
        (r"\bwhere\b", r"\b(?:in|at|on|near|from|to) (?:the )?[A-Z]|https?://"),
        (r"\bwhy\b", r"\b(?i:because|since|due to|so that|in order to|reason)\b"),
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
    """Of the part, its lead and the headings above it."""
    title: frozenset[int]

    @property
    def words(self) -> str:
        return self.text[slice(*self.block.parts[self.index])]


def select(question: str, sources: Sequence[Source], terms: Terms) -> list[Quote]:
    """The quotes that answer the question, best source first; none when nothing in the sources does.

    Deterministic for the same question, sources and `terms`. Quotes of one source keep its order.
    """
    asked = _terms(question, terms)
    asked = asked - _terms(_LIGHT_WORDS, terms) or asked
    parts = [part for source in sources for part in _parts(source, terms)]
    if not asked or not parts:
        return []
    weights = _weights(asked, parts)
    scored = [(_score(question, part, weights), part) for part in parts]
    scored.sort(key=lambda pair: -pair[0])
    highest, best = scored[0]
    if len(asked & (best.terms | best.title)) < _LEAST_SHARE * len(asked):
        return []
    distinct: dict[str, _Part] = {}
    for score, part in scored:
        if score >= _NEXT_SHARE * highest:
            distinct.setdefault(part.words.strip(), part)
    return list(_quotes(question, list(distinct.values())[:_MOST_PARTS]))


def cited(quotes: Sequence[Quote], links: Links | None = None) -> list[str]:
    """The pieces of the answer: each quote with its marker behind it, live links only as `links` lets them pass."""
    pieces = [piece for quote in quotes if (piece := _marked(quote, links))]
    return [*pieces[:1], *(f"\n\n{piece}" for piece in pieces[1:])]


def _terms(text: str, terms: Terms) -> frozenset[int]:
    return frozenset(terms(_THOUSANDS.sub("", text)))


def _parts(source: Source, terms: Terms) -> Iterator[_Part]:
    text = neutralise(source.text)
    title, headings = _terms(source.title, terms), _terms(" ".join(source.heading), terms)
    for block in blocks(text):
        lead = _terms(text[slice(*block.lead)], terms) if block.lead else frozenset()
        for index, span in enumerate(block.parts):
            own = _terms(text[slice(*span)], terms)
            yield _Part(source, text, block, index, own | lead | headings, title)


def _weights(asked: frozenset[int], parts: Sequence[_Part]) -> dict[int, float]:
    """The weight of each word of the question that is found at all; they add up to 1."""
    found = Counter(term for part in parts for term in asked & part.terms)
    raw = {term: math.log(1 + (len(parts) - count + 0.5) / (count + 0.5)) for term, count in found.items()}
    total = sum(raw.values())
    return {term: weight / total for term, weight in raw.items()}


def _score(question: str, part: _Part, weights: Mapping[int, float]) -> float:
    held = sum(weight for term, weight in weights.items() if term in part.terms)
    titled = sum(weight for term, weight in weights.items() if term in part.title - part.terms)
    hints = [bool(answered.search(part.words)) for asked, answered in _HINTS if asked.search(question)]
    hint = sum(hints) / len(hints) if hints else 0.0
    return held + _TITLE_WEIGHT * titled + _HINT_WEIGHT * hint + _SOURCE_WEIGHT * part.source.score


def _quotes(question: str, picked: Sequence[_Part]) -> Iterator[Quote]:
    whole = _WHOLE_PROCEDURE if _PROCEDURE.search(question) else _WHOLE
    for number in dict.fromkeys(part.source.number for part in picked):
        of_source = sorted(
            (part for part in picked if part.source.number == number), key=lambda part: part.block.parts[part.index]
        )
        for block, parts in groupby(of_source, key=lambda part: part.block):
            indices = [part.index for part in parts]
            for excerpt in excerpts(of_source[0].text, block, indices, whole):
                yield Quote(number, excerpt)


def _marked(quote: Quote, links: Links | None) -> str:
    """The quote and its marker, placed where the marker counts: outside code, and outside the last row.

    Empty when there is no such place.
    """
    fences = sorted(set(re.findall(r"`{3,}|~{3,}", quote.text)), reverse=True)  # one may have been left open
    closings = ["\n\n", *(f"\n{fence}\n\n" for fence in fences[:_FENCES_TRIED])]
    for closing in closings if quote.text.endswith(("|", "```", "~~~")) else [" ", *closings]:
        text = f"{quote.text}{closing}[{quote.number}]"
        citations = CitationFilter(quote.number, links=links)
        shown = citations.feed(text) + citations.flush()
        counts = quote.number in citations.valid and not citations.dropped
        if counts and shown.endswith(f"[{quote.number}]") and not _ends_in_code(shown):
            return shown
    return ""


def _ends_in_code(text: str) -> bool:
    code = code_in(text)
    return bool(code) and code[-1][1] == len(text)

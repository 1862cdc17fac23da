"""An answer without a model: the parts of the sources that answer the question best, word for word.

A part counts for the words of the question that stand in it or in the headings above it, rare words for more (the
inverse document frequency of BM25, Robertson and Zaragoza 2009, over the parts at hand), a little for those in
the title, for what the kind of question asks for (a number, a date, a definition) and for the score of its source.
What comes close to the best part belongs to the answer, too, up to three parts. Steps stay together, also where the
index cut their list. Of a source that was merged only what the search found is read, each passage with its own score:
neighbours change nothing. The weights were chosen on halves of CLAPNQ (by the SHA-256 of the title), of SQuAD 2 and of
questions about PDF books.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from app.core.citations import CitationFilter
from app.core.expected import Expected, expected
from app.core.links import Links
from app.core.markup.code import code_in
from app.core.model import Source
from app.core.parts import Part, Terms, parts_of, term_ids, with_all_steps
from app.core.quotable import excerpts

_MOST_PARTS = 3
_LEAST_SHARE = 0.25
"""Share of the question's words that the best part, its headings and its title must hold, or there is no answer."""
_TITLE_WEIGHT = 0.5
"""What a word in the title is worth next to one in the part itself."""
_SOURCE_WEIGHT = 3.0
"""What the cosine of the source is worth."""
_GAP = 0.45
"""Points that a part may have less than the best one and still belong to the answer. The title's and the source's
share aside, a part with all words of the question has 1."""
_STANDS_ALONE = 0.5
"""Share of the weight of the question's words with which an item or row is quoted without its neighbours."""

_WHOLE = 600
"""Characters up to which a list or a table is quoted whole."""
_WHOLE_PROCEDURE = 2_500
"""The same when the question asks how something is done."""
_FENCES_TRIED = 4
_OWN_LINE_BELOW = re.compile(r"(?:\|[^\n]*|```|~~~)\Z")
"""A table row or a fence at the end: a marker on the same line would become part of it."""

_LIGHT_WORDS = (
    "get have need want please tell know find give take make go like long many much often must should could would "
    "can may do does mean "
    "der das dem des ein eine einer eines einem einen und oder ist sind wird werden wurde wie viel viele wann wer wo "
    "warum welche welcher welches für mit von zu im am bei auf nach aus kann muss darf ich wir man "
    "el los las un una unos del y es son fue qué cuál cuándo cuánto cuántos dónde quién cómo por para con en se su "
    "le les du est sont qui que quand où comment pourquoi combien dans sur avec"
)
"""Words that questions are made of; a text does not answer one by holding them."""


class Quote(Struct, frozen=True):
    """Text of source `number`, neutralised."""

    number: int
    text: str


def select(question: str, sources: Sequence[Source], terms: Terms) -> list[Quote]:
    """The quotes that answer the question, best document first; none when nothing in the sources does.

    Deterministic for the same question, sources and `terms`. Quotes of one document keep its order.
    """
    asked = term_ids(question, terms)
    asked = asked - term_ids(_LIGHT_WORDS, terms) or asked
    parts = parts_of(sources, question, terms)
    if not asked or not parts:
        return []
    weights = _weights(asked, parts)
    wanted = expected(question)
    scored = [(_score(wanted, part, weights), part) for part in parts]
    scored.sort(key=lambda pair: -pair[0])
    best = scored[0][1]
    if len(asked & (best.terms | best.title)) < _LEAST_SHARE * len(asked):
        return []
    picked = _close_to_the_best(scored, asked)
    return list(_quotes(wanted, with_all_steps(picked, parts) if wanted.procedure else picked, weights))


def cited(quotes: Sequence[Quote], links: Links | None = None) -> list[str]:
    """The pieces of the answer: each quote with its marker behind it, live links only as `links` lets them pass."""
    pieces = [piece for quote in quotes if (piece := _marked(quote, links))]
    return [*pieces[:1], *(f"\n\n{piece}" for piece in pieces[1:])]


def _weights(asked: frozenset[int], parts: Sequence[Part]) -> dict[int, float]:
    """The weight of each word of the question that is found at all; they add up to 1."""
    found = Counter(term for part in parts for term in asked & part.terms)
    raw = {term: math.log(1 + (len(parts) - held + 0.5) / (held + 0.5)) for term, held in found.items()}
    total = sum(raw.values())
    return {term: weight / total for term, weight in raw.items()}


def _score(wanted: Expected, part: Part, weights: Mapping[int, float]) -> float:
    titled = _TITLE_WEIGHT * _weight(part.title - part.terms, weights)
    return _weight(part.terms, weights) + titled + wanted.points(part.words) + _SOURCE_WEIGHT * part.source.score


def _weight(terms: Collection[int], weights: Mapping[int, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def _close_to_the_best(scored: Sequence[tuple[float, Part]], asked: frozenset[int]) -> list[Part]:
    """Best first, no words twice: of equal ones those under the title that is asked for, then the newer ones."""
    highest = scored[0][0]
    distinct: dict[str, Part] = {}
    for score, part in scored:
        if score >= highest - _GAP:
            known = distinct.setdefault(part.words.strip(), part)
            if _standing(part, asked) > _standing(known, asked):
                distinct[part.words.strip()] = part
    return list(distinct.values())[:_MOST_PARTS]


def _standing(part: Part, asked: frozenset[int]) -> tuple[int, str]:
    return len(asked & part.title), part.source.updated_at or ""


def _quotes(wanted: Expected, picked: Sequence[Part], weights: Mapping[int, float]) -> Iterator[Quote]:
    for number in _reading_order(picked):
        of_source = sorted((part for part in picked if part.source.number == number), key=lambda part: part.place)
        for (_, block), group in groupby(of_source, key=lambda part: (part.source.passage_id, part.block)):
            parts = list(group)
            whole = _WHOLE_PROCEDURE if wanted.procedure else _WHOLE
            if not wanted.procedure and all(_weight(part.own, weights) >= _STANDS_ALONE for part in parts):
                whole = 0
            for excerpt in excerpts(parts[0].text, block, [part.index for part in parts], whole, wanted.procedure):
                yield Quote(number, excerpt)


def _reading_order(picked: Sequence[Part]) -> list[int]:
    """The numbers of the sources: the document with the best part first, its own by page."""
    documents = list(dict.fromkeys(part.source.document_id for part in picked))
    sources = {part.source.number: part.source for part in picked}.values()
    ordered = sorted(sources, key=lambda source: (documents.index(source.document_id), source.page or 0))
    return [source.number for source in ordered]


def _marked(quote: Quote, links: Links | None) -> str:
    """The quote and its marker, placed where the marker counts: outside code, and outside the last row.

    Empty when there is no such place.
    """
    fences = sorted(set(re.findall(r"`{3,}|~{3,}", quote.text)), reverse=True)  # one may have been left open
    closings = ["\n\n", *(f"\n{fence}\n\n" for fence in fences[:_FENCES_TRIED])]
    for closing in closings if _OWN_LINE_BELOW.search(quote.text) else [" ", *closings]:
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

"""What the sources support of a structured answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from app.core.citations import CitationFilter
from app.core.markup.code import code_in
from app.core.model import Confidence, Quote, RejectedQuote, Source
from app.core.prompt import neutralise
from app.core.quotes import Quotable
from app.core.sentences import sentence_spans
from app.core.structured import ClaimedQuote, Draft

MAX_REJECTED_LENGTH = 300
"""Characters shown of a quote that was rejected."""
_MEDIUM_SHARE = 0.5

_MARKER = re.compile(r"\[([0-9]{1,9})\]")
_WORD = re.compile(r"\w")
_CLAIMS_NOTHING = re.compile(r"\s*#{1,6}\s|.*[:：][\s*_]*\Z", re.DOTALL)
"""A heading, or words that only lead to a list."""
_NOT_LINE_END = re.compile(r"[^\r\n]")


class GroundedAnswer(Struct, frozen=True, kw_only=True):
    """A structured answer as it leaves the service."""

    answer: str
    citations: tuple[Quote, ...]
    rejected_quotes: tuple[RejectedQuote, ...]
    confidence: Confidence
    """How much of the answer the sources cover; see `confidence`."""
    claimed_confidence: Confidence | None
    """The model's own word, for information only."""


def ground(answer: str, draft: Draft, sources: Sequence[Source]) -> GroundedAnswer:
    """Check the quotes of `draft` against the sources, and measure `answer` by those that hold.

    `answer` is the draft's answer as the citation filter let it through, its markers written `[n]`.
    """
    claimed = {claim.source for claim in draft.citations}
    quotables = {source.number: Quotable(source.text) for source in sources if source.number in claimed}
    checked = list(dict.fromkeys(_check(claim, quotables) for claim in dict.fromkeys(draft.citations)))
    quotes = tuple(item for item in checked if isinstance(item, Quote))
    return GroundedAnswer(
        answer=answer,
        citations=quotes,
        rejected_quotes=tuple(item for item in checked if isinstance(item, RejectedQuote)),
        confidence=confidence(answer, quotes),
        claimed_confidence=draft.confidence,
    )


def _check(claim: ClaimedQuote, quotables: Mapping[int, Quotable]) -> Quote | RejectedQuote:
    quotable = quotables.get(claim.source)
    span = quotable.find(claim.quote) if quotable else None
    if quotable and span:
        return Quote(claim.source, neutralise(quotable.text[slice(*span)]), *span)
    citations = CitationFilter(0)
    words = citations.feed(claim.quote[:MAX_REJECTED_LENGTH]) + citations.flush()
    return RejectedQuote(claim.source, words, "not_in_source" if quotable else "unknown_source")


def confidence(answer: str, quotes: Sequence[Quote]) -> Confidence:
    """`high` when the quotes cover every sentence of the answer, `medium` for at least half of them, else `low`.

    A sentence is covered when it carries the marker of a source that is quoted, or stands word for word in a
    quote. Code, headings and lead-ins that end in a colon are no sentences; with none at all it is `low`.
    """
    cited = {quote.source for quote in quotes}
    texts = [Quotable(quote.quote) for quote in quotes]
    covered = [
        any(int(number) in cited for number in _MARKER.findall(sentence))
        or any(text.find(_MARKER.sub("", sentence)) for text in texts)
        for sentence in _sentences(answer)
    ]
    share = sum(covered) / len(covered) if covered else 0.0
    return "high" if share == 1 else "medium" if share >= _MEDIUM_SHARE else "low"


def _sentences(answer: str) -> Iterator[str]:
    """The sentences that claim something, code blanked."""
    prose = _without_code(answer)
    for span in sentence_spans(prose):
        sentence = prose[slice(*span)]
        if _WORD.search(sentence) and not _CLAIMS_NOTHING.match(sentence):
            yield sentence


def _without_code(text: str) -> str:
    """`text` with a space for every character of its code, line ends kept."""
    pieces: list[str] = []
    done = 0
    for start, end in code_in(text):
        pieces += [text[done:start], _NOT_LINE_END.sub(" ", text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])

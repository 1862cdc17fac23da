"""Which passages go into a request, and under which numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from app.core.links import images_in
from app.core.model import Candidate, Passage, Source
from app.core.repeats import Fingerprint

_FENCE_TOKENS = 24
"""For `<source id="40">`, the labels of title, section and date, the date, `</source>` and the line breaks."""

_LETTERS = re.compile(r"[A-Za-z\s]+")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]")


def pack(candidates: Sequence[Candidate], budget_tokens: int) -> tuple[Source, ...]:
    """The candidates that `choose` takes, each as a source, numbered from 1."""
    return tuple(source(number, candidate) for number, candidate in enumerate(choose(candidates, budget_tokens), 1))


def choose(candidates: Sequence[Candidate], budget_tokens: int) -> list[Candidate]:
    """The candidates that fit `budget_tokens` together, in the order given (best first).

    A passage that repeats one already packed is left out; of two with the same score the one with the newer
    date is kept, then the one whose document id comes first. A passage that does not fit is skipped, and
    smaller ones after it may still be packed.
    """
    chosen: list[Candidate] = []
    known: list[Fingerprint] = []
    left = budget_tokens
    for candidate in _best_first(candidates):
        cost = prompt_tokens(candidate.passage)
        fingerprint = Fingerprint(candidate.passage)
        if cost > left or any(fingerprint.repeats(other) for other in known):
            continue
        chosen.append(candidate)
        known.append(fingerprint)
        left -= cost
    return chosen


def documents_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first candidate of each document, then all others, each in the order given."""
    seen: set[str] = set()
    first: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in candidates:
        document_id = candidate.passage.document_id
        (others if document_id in seen else first).append(candidate)
        seen.add(document_id)
    return first + others


def prompt_tokens(passage: Passage) -> int:
    """Tokens that the passage takes in the prompt, its title, heading and fence included.

    An estimate on the high side, because which tokenizer the model has is not known here.
    """
    return _FENCE_TOKENS + sum(map(estimated_tokens, (passage.title, " / ".join(passage.heading), passage.text)))


def estimated_tokens(text: str) -> int:
    """The larger of 4/3 per word and 1 per 3.5 letters, with 3/5 for each digit, sign or accented letter.

    Characters of scripts without spaces, and emoji, count 3/2 each.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    letters = sum(map(len, _LETTERS.findall(text)))
    others = len(text) - letters - wide
    return math.ceil(max(len(text.split()) * 4 / 3, letters / 3.5 + others * 0.6) + wide * 3 / 2)


def _best_first(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The order given, with runs of one score put in the order of their merits."""
    for _, tied in groupby(candidates, key=lambda candidate: candidate.score):
        by_id = sorted(tied, key=lambda candidate: (candidate.passage.document_id, candidate.passage.position))
        yield from sorted(by_id, key=lambda candidate: candidate.passage.updated_at or "", reverse=True)


def source(number: int, candidate: Candidate) -> Source:
    passage = candidate.passage
    return Source(
        number=number,
        document_id=passage.document_id,
        passage_id=passage.passage_id,
        title=passage.title,
        heading=passage.heading,
        page=passage.page,
        url=passage.url,
        updated_at=passage.updated_at,
        score=candidate.score,
        text=passage.text,
        images=images_in(passage.text, passage.url),
    )

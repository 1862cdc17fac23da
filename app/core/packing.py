"""Which passages go into a request, and under which numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from app.core.links import images_in
from app.core.model import Candidate, Passage, Source
from app.core.repeats import Fingerprint, adds_nothing, numbers_in, preferred_first

_FENCE_TOKENS = 24
"""For `<source id="40">`, the labels of title, section and date, the date, `</source>` and the line breaks."""

_LETTERS = re.compile(r"[A-Za-z\s]+")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]")


def pack(candidates: Sequence[Candidate], budget_tokens: int, question: str = "") -> tuple[Source, ...]:
    """The candidates that `choose` takes, each as a source, numbered from 1."""
    chosen = choose(candidates, budget_tokens, question)
    return tuple(source(number, candidate) for number, candidate in enumerate(chosen, 1))


def choose(candidates: Sequence[Candidate], budget_tokens: int, question: str = "") -> list[Candidate]:
    """The candidates that fit `budget_tokens` together, in the order given (best first).

    Of passages that repeat each other, and of versions of one passage, the one is taken that `app.core.repeats` tells,
    in the place of the best of them. A passage that does not fit is skipped, and smaller ones after it may still be
    packed.
    """
    chosen: list[Candidate] = []
    packed: list[Fingerprint] = []
    asked = numbers_in(question)
    left = budget_tokens
    for fingerprint, candidate in preferred_first(candidates):
        cost = prompt_tokens(candidate.passage)
        if cost > left or adds_nothing(fingerprint, packed, asked):
            continue
        chosen.append(candidate)
        packed.append(fingerprint)
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

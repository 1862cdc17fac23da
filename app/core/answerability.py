"""How likely the accepted passages answer the question: a logistic model of a few things that can be told in words.

Everything is computed from the question, the passages that the caller may see, and a fixed background: no count or
score of anything else goes into it. The weights come from `python -m bench.gate`, which sees one half of the
development data only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from app.core import background, claims, question_words
from app.core.model import Candidate, Spoken
from app.core.question_words import SMALL_TERMS
from app.core.sentences import sentence_spans


class Features(Struct, frozen=True):
    """What the probability is made of; each is about 0..1."""

    cosine: float
    """Of the nearest passage."""
    margin: float
    """By how much that is more than the cosine of the nearest background text."""
    answering: float
    """The share of the question's terms, rare ones for more, in the sentence that holds most of them, its title
    included, and a word of the kind that is asked for."""
    agreement: float
    """The share that the nearest passage holds less than the one that holds most: 0, or below."""
    titled: float
    """The share that stands in a title or heading: it tells the topic, not the answer."""
    missing: float
    """How rare the rarest term is that the best sentence does not hold; 0 when it holds them all."""
    unnamed: float
    """1 when a name of the question is not in the best sentence."""
    unnumbered: float
    """1 when a number, or a word with a digit, is not in it."""
    denied: float
    """1 when the question says no, and its best sentence does not."""


INTERCEPT = -3.28
WEIGHTS = Features(
    cosine=5.17,
    margin=2.25,
    answering=1.60,
    agreement=0.62,
    titled=-2.02,
    missing=-0.94,
    unnamed=-0.58,
    unnumbered=-1.50,
    denied=-2.25,
)
EXACT_COSINE = 0.5
"""What a passage counts as near that holds the question's identifiers exactly: embeddings do not know such words."""

_PASSAGES = 8
_SENTENCES = 6
"""Of all sentences, those that may hold the answer."""

_YEAR = len("2026")

_NEAR, _AHEAD, _MOST, _SHOWN = 0.5, 0.2, 0.6, 5
"""From where on a feature is told as speaking for an answer; and how many words are named."""


class Found(Struct, frozen=True):
    """The features, and the words behind them, for whoever wants to understand a refusal."""

    features: Features
    missing: tuple[str, ...]
    unnamed: tuple[str, ...]
    kind: str | None
    """The kind of word that is asked for and stands in no good sentence."""
    exact: bool
    """Whether a passage holds the question's identifiers."""


class _Sentence(Struct, eq=False):
    text: str
    own: frozenset[str]
    terms: frozenset[str]
    """With those of the title and the headings above it, and the year of its document."""
    cosine: float
    """Of its passage."""


class _Passage(Struct, eq=False):
    title: frozenset[str]
    terms: frozenset[str]
    sentences: list[_Sentence]
    cosine: float


class _Compared(Struct, eq=False):
    """A question laid beside passages."""

    asked: Mapping[str, str]
    rarity: Mapping[str, float]
    """Of each term of the question, 0..1."""
    passages: Sequence[_Passage]
    sentences: Sequence[_Sentence]
    """Best first: by the share of the question's terms and the cosine."""


def probability(features: Features) -> float:
    """0..1; never falls when the cosine or the margin rises and all else stays."""
    total = sum(getattr(WEIGHTS, name) * getattr(features, name) for name in Features.__struct_fields__)
    return 1 / (1 + math.exp(-INTERCEPT - total))


def examine(question: str, accepted: Sequence[Candidate], general: float, *, exact: bool = False) -> Found:
    """Compare the question with the accepted passages, at least one, best first; with the first eight and the nearest.

    `general` is the cosine of the question and the nearest background text; `exact` tells that a passage holds the
    question's identifiers. Takes a few milliseconds.
    """
    nearest = max(accepted, key=lambda one: one.score)
    compared = _compare(question, dict.fromkeys([*accepted[:_PASSAGES], nearest]))
    best = compared.sentences[0] if compared.sentences else None
    held = best.terms if best else frozenset()
    lost = {word: compared.rarity[term] for term, word in compared.asked.items() if term not in held}
    unnamed = tuple(name for name in question_words.names(question) if not question_words.holds_name(held, name))
    wanted = question_words.kind(question)
    fitting = [one for one in compared.sentences[:_SENTENCES] if _may_answer(one, wanted, compared.asked)]
    cosine = max(nearest.score, EXACT_COSINE if exact else -1.0)
    features = Features(
        cosine=cosine,
        margin=cosine - general,
        answering=max((_share(compared.rarity, one.terms) for one in fitting), default=0.0),
        agreement=_agreement(compared),
        titled=max(_share(compared.rarity, one.title) for one in compared.passages),
        missing=max(lost.values(), default=0.0),
        unnamed=float(any(map(str.isalpha, unnamed))),
        unnumbered=float(not all(map(str.isalpha, unnamed))),
        denied=float(question_words.says_no(question) and not (best and claims.denies(best.text))),
    )
    missing = tuple(sorted(lost, key=lambda word: -lost[word]))
    return Found(features, missing, unnamed, None if fitting else wanted, exact)


def _compare(question: str, candidates: Iterable[Candidate]) -> _Compared:
    asked = question_words.asked_terms(question)
    passages = [_read(one) for one in candidates]
    sentences = [sentence for one in passages for sentence in one.sentences]
    rarity = _rarities(asked, sentences)
    sentences.sort(key=lambda one: -_share(rarity, one.terms) - one.cosine)
    return _Compared(asked, rarity, passages, sentences)


def _read(candidate: Candidate) -> _Passage:
    passage = candidate.passage
    title = question_words.terms(" ".join([passage.title, *passage.heading]))
    above = title | question_words.terms((passage.updated_at or "")[:_YEAR])
    texts = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
    own = [question_words.terms(text) for text in texts]
    sentences = [_Sentence(text, terms, terms | above, candidate.score) for text, terms in zip(texts, own, strict=True)]
    return _Passage(title, above.union(*own), sentences, candidate.score)


def _rarities(asked: Iterable[str], sentences: Sequence[_Sentence]) -> dict[str, float]:
    """How rare each term is, 0..1: by the sentences at hand or by the background, whichever knows it better."""
    known = _background_counts()
    return {
        term: min(
            _rarity(len(sentences), sum(term in one.own for one in sentences)),
            _rarity(len(background.STATEMENTS), known[term]),
        )
        for term in asked
    }


@cache
def _background_counts() -> Counter[str]:
    return Counter(term for text in background.STATEMENTS for term in question_words.terms(text))


def _rarity(texts: int, holding: int) -> float:
    """The inverse document frequency of BM25, as a share of that of a term which no text holds."""
    return math.log1p((texts - holding + 0.5) / (holding + 0.5)) / math.log1p((texts + 0.5) / 0.5)


def _share(rarity: Mapping[str, float], terms: frozenset[str]) -> float:
    total = sum(rarity.values())
    return sum(one for term, one in rarity.items() if term in terms) / total if total else 0.0


def _agreement(compared: _Compared) -> float:
    shares = [_share(compared.rarity, one.terms) for one in compared.passages]
    nearest = max(range(len(shares)), key=lambda place: compared.passages[place].cosine)
    return shares[nearest] - max(shares)


def _may_answer(sentence: _Sentence, wanted: str | None, asked: Mapping[str, str]) -> bool:
    """Whether it has a word of the wanted kind that the question does not have already."""
    words = [word for word in question_words.words(sentence.text) if question_words.looks_like(word, wanted)]
    return any(term not in asked and term not in SMALL_TERMS for term in map(question_words.term, words))


def spoken(found: Found) -> Spoken:
    """What spoke for an answer and what against; words are named, the rarest first."""
    seen = found.features
    words = ", ".join([word for word in found.missing if word not in found.unnamed][:_SHOWN])
    names = ", ".join(found.unnamed[:_SHOWN])
    near = "a passage holds what is asked for letter by letter" if found.exact else "a passage is close in meaning"
    tests = [
        (seen.cosine >= _NEAR, near, "no passage is close in meaning"),
        (seen.margin >= _AHEAD, None, "general knowledge is about as close as the passages"),
        (not found.missing and seen.answering > 0, "one sentence holds every term", None),
        (not words, None, f"the best sentence does not hold: {words}"),
        (not names, None, f"names or numbers that the best sentence does not hold: {names}"),
        (seen.answering >= _MOST, None, "no sentence holds most of the terms"),
        (found.kind is None, None, f"no good sentence holds a {found.kind}, which is asked for"),
        (seen.agreement >= 0 and seen.answering > 0, "the nearest passage is the one that holds most terms", None),
        (not seen.denied, None, "the question says no, the best sentence does not"),
    ]
    told = [(holds, yes if holds else no) for holds, yes, no in tests]
    return Spoken(
        tuple(words for holds, words in told if holds and words),
        tuple(words for holds, words in told if not holds and words),
    )

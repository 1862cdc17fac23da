"""Questions made from the passages of an index, for which it is known whether the index answers them.

An answerable one leaves out something that a sentence tells and keeps the words around it, as the cloze questions of
Lewis, Denoyer and Riedel do (Unsupervised Question Answering by Cloze Translation, 2019). People do not use the words
of a document, so two of three have a misspelt word, half of them with the heading before it. On the development data
they score a little lower than people's questions, so that what is measured with them refuses few of those
(docs/tuning.md).

An adversarial one is made in the same way; then a name, a number, another word or the heading is exchanged for that of
a neighbour, a passage of another document that has much in common with it. It may happen to be answered all the same:
`answered_after_all` tells as much as can be told.

What is picked is picked by digests: the same passages give the same questions.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal

from msgspec import Struct

from app.core import question_words
from app.core.model import Passage
from app.core.off_domain import OFF_DOMAIN
from app.core.question_words import SMALL_TERMS
from app.core.sentences import sentence_spans

Kind = Literal["answerable", "unanswerable", "off-domain", "adversarial"]

_AS_IT_IS, _MISSPELT, _HEADED = range(3)
_WORDS_KEPT, _HEADING_WORDS = 6, 3
_FEWEST_WORDS, _MOST_WORDS = 6, 40
"""Of a sentence that is asked about."""
_FEWEST_TELLING = 5
_SHORTEST_MISSPELT = 4
_NEIGHBOURS = 30
"""How many are looked at to find the nearest."""
_NOT_PROSE = re.compile(r"[|`{}<>=\\]|https?:")
_UNSPACED = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])")
_ENGLISH, _ENGLISH_ENOUGH = frozenset(["the", "of", "and", "to", "is", "for"]), 2


class Trial(Struct, frozen=True):
    """A question to try the gate with."""

    kind: Kind
    question: str
    terms: frozenset[str] = frozenset()
    """Of one built to have no answer: a passage that holds all of them may answer it."""


class _Cloze(Struct, frozen=True):
    """A sentence that is asked about, without its answer."""

    document_id: str
    held: frozenset[str]
    """The terms of its passage, with title and headings."""
    asking: str
    words: tuple[str, ...]
    heading: tuple[str, ...]
    form: int
    """As it is, or with one word misspelt, or so with the heading before them."""


def answerable(passages: Iterable[Passage], most: int) -> list[Trial]:
    """Fewer than `most` where there are not enough sentences to ask about."""
    made = (_trial("answerable", cloze, cloze.words, cloze.heading) for cloze in _clozes(passages))
    return _distinct(made, most)


def adversarial(passages: Iterable[Passage], most: int) -> list[Trial]:
    """Fewer than `most` where there is not enough to exchange; none within a single document."""
    return _distinct(_exchanged(_clozes(passages)), most)


def off_domain() -> list[Trial]:
    return [Trial("off-domain", question, _telling_terms(question_words.words(question))) for question in OFF_DOMAIN]


def answered_after_all(trial: Trial, found: Iterable[Passage]) -> bool:
    """Whether one of the passages that were found holds every term of a question that has no answer."""
    return bool(trial.terms) and any(trial.terms <= _held(passage) for passage in found)


def _distinct(trials: Iterable[Trial], most: int) -> list[Trial]:
    found: dict[str, Trial] = {}
    for trial in trials:
        if len(found) == most:
            break
        found.setdefault(trial.question, trial)
    return list(found.values())


def _trial(kind: Kind, cloze: _Cloze, words: Sequence[str], heading: Sequence[str]) -> Trial:
    before = heading if cloze.form == _HEADED else ()
    said = [cloze.asking, *before, *(words if cloze.form == _AS_IT_IS else _misspelt(words))]
    question = _UNSPACED.sub("", " ".join(filter(None, said)))
    return Trial(kind, f"{question}?", _telling_terms([*before, *words]) if kind == "adversarial" else frozenset())


def _clozes(passages: Iterable[Passage]) -> list[_Cloze]:
    """One for each sentence that can be asked about, in an order that has nothing to do with theirs."""
    made = []
    for passage in passages:
        held, asks = _held(passage), _is_english(passage.text)
        for start, end in sentence_spans(passage.text):
            digest = _digest(passage.passage_id, start)
            if parts := _left(passage.text[start:end]):
                asking, words = parts
                cloze = _Cloze(
                    passage.document_id, held, asking if asks else "", words, _heading(passage), digest[0] % 3
                )
                made.append((digest, cloze))
    return [cloze for _, cloze in sorted(made, key=lambda one: one[0])]


def _left(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What asks for the answer that was left out, and the words nearest to it; None where there is nothing to ask."""
    words = question_words.words(sentence)
    telling = [place for place, word in enumerate(words) if question_words.term(word) not in SMALL_TERMS]
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or len(telling) < _FEWEST_TELLING or _NOT_PROSE.search(sentence):
        return None
    answer, asking = _answer(words, telling)
    near = sorted((place for place in telling if words[place] != words[answer]), key=lambda place: abs(place - answer))
    return asking, tuple(words[place] for place in sorted(near[:_WORDS_KEPT]))


def _answer(words: Sequence[str], telling: Sequence[int]) -> tuple[int, str]:
    """Where a number stands, else a name, else the longest word; and what asks for it."""
    for asking, is_one in (("How many", _is_number), ("Who or what", _is_name)):
        for place in telling:
            if is_one(words[place]) and (place or asking == "How many"):
                return place, asking
    return max(telling, key=lambda place: len(words[place])), "What"


def _exchanged(clozes: Sequence[_Cloze]) -> Iterator[Trial]:
    counts = Counter(term for cloze in clozes for term in cloze.held)
    for number, cloze in enumerate(clozes):
        near = islice(chain(clozes[number + 1 :], clozes[:number]), _NEIGHBOURS)
        others = [other for other in near if other.document_id != cloze.document_id]
        if others:
            neighbour = max(others, key=lambda other: len(other.held & cloze.held))
            yield from (
                _with_another_heading(cloze, neighbour)
                if cloze.form == _HEADED
                else _with_another_word(cloze, neighbour, counts)
            )


def _with_another_heading(cloze: _Cloze, neighbour: _Cloze) -> Iterator[Trial]:
    if not _telling_terms(neighbour.heading) <= cloze.held:
        yield _trial("adversarial", cloze, cloze.words, neighbour.heading)


def _with_another_word(cloze: _Cloze, neighbour: _Cloze, counts: Counter[str]) -> Iterator[Trial]:
    """A number for a number or a name for a name where both have one, else any word; the rarest for the rarest."""

    def rarest(words: Iterable[str]) -> str:
        return min(words, key=lambda word: (counts[question_words.term(word)], -len(word)))

    for is_one in (_is_number, _is_name, str.isalpha):
        own = list(filter(is_one, cloze.words))
        theirs = [word for word in neighbour.words if is_one(word) and question_words.term(word) not in cloze.held]
        if own and theirs:
            out, into = rarest(own), rarest(theirs)
            yield _trial("adversarial", cloze, [into if word == out else word for word in cloze.words], ())
            return


def _misspelt(words: Sequence[str]) -> list[str]:
    """The same with two letters of one word swapped, or one of two equal letters left out."""
    fit = [word for word in words if word.isalpha() and len(word) >= _SHORTEST_MISSPELT]
    if not fit:
        return list(words)
    chosen = min(fit, key=_digest)
    middle = len(chosen) // 2
    first, second = chosen[middle - 1], chosen[middle]
    wrong = chosen[: middle - 1] + (second + first if first != second else first) + chosen[middle + 1 :]
    return [wrong if word == chosen else word for word in words]


def _heading(passage: Passage) -> tuple[str, ...]:
    nearest = next(filter(None, [*reversed(passage.heading), passage.title]), "")
    return tuple(question_words.words(nearest)[:_HEADING_WORDS])


def _held(passage: Passage) -> frozenset[str]:
    return question_words.terms("\n".join([passage.title, *passage.heading, passage.text]))


def _telling_terms(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(question_words.term, words)) - SMALL_TERMS


def _is_number(word: str) -> bool:
    return word[0].isdigit()


def _is_name(word: str) -> bool:
    return word[0].isupper()


def _is_english(text: str) -> bool:
    return len(_ENGLISH & {word.casefold() for word in question_words.words(text)}) >= _ENGLISH_ENOUGH


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()

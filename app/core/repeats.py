"""Which passages say the same, and which of them to show: one text in two places, or two versions of a document.

A passage repeats another when nine tenths of it stand there word for word, and each of its numbers: two price lists
that differ in a figure alone are not the same. Where they do differ in numbers, they are two facts, unless they are
versions: in two documents of one folder with the same title and headings (years, version numbers and folders such as
`archive` aside), word for word alike in nine tenths but for numbers, and one of them newer by its date or by the year
or version in its title or path, where these do not contradict each other.

Of two that repeat each other the one with the newer date is shown, then the one with the higher version, then the more
specific one, which stands under more headings, then the one nearer to the question. Of two versions the newer one is,
whatever the scores, but both are when the question holds a number that only the older one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from app.core.model import Candidate, Passage

_SHINGLE_WORDS = 3
_SAME_SHARE = 0.9
_WORD = re.compile(r"[\u2e80-\ud7ff]|[^\W\u2e80-\ud7ff]+")
_VERSION = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-./](?P<month>\d\d?))?(?:[-./](?P<day>\d\d?))?(?!\d)"
    r"|(?<![^\W_])(?:v|ver|version|rev|revision)[ ._-]?(?P<number>\d+(?:\.\d+)*)(?![^\W_])",
    re.IGNORECASE,
)
"""A year, a date or a version number. A bare number is none: part 2 is no version of part 1."""
_OF_ANY_AGE = set(
    re.findall(
        r"\w+",
        "archive archives archived old older previous superseded outdated history new newer current latest"
        " archiv alt alte veraltet neu neue aktuell",
    )
)
"""Folders that say how old something is, and not what it is."""

Shingles = frozenset[tuple[str, ...]]
Version = tuple[int, ...]


class Fingerprint:
    """What tells how a passage stands to another. Word shingles are Broder's measure, "On the resemblance and
    containment of documents" (1997)."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self._words = _WORD.findall(passage.text.casefold())
        self._shingles = _shingles(self._words)
        self._numbers = _numbers(self._words)

    def repeats(self, other: Fingerprint) -> bool:
        """Whether all that this one says stands in the other."""
        if self.passage.content_hash == other.passage.content_hash:
            return True
        needed = _SAME_SHARE * len(self._shingles)
        may_be = needed <= len(other._shingles) and self._numbers <= other._numbers
        return may_be and len(self._shingles & other._shingles) >= needed

    def supersedes(self, other: Fingerprint) -> bool:
        """Whether this one is the newer version of the other."""
        is_there = any(self._place) and self._place == other._place
        return is_there and self._is_newer(other) and self._is_alike(other)

    def says_alone(self, other: Fingerprint, numbers: frozenset[str]) -> bool:
        """Whether this one, its title or its date holds one of the numbers, and the other does not."""
        return bool(numbers & self._all_numbers - other._all_numbers)

    def _is_newer(self, other: Fingerprint) -> bool:
        mine, theirs = self.passage, other.passage
        if mine.document_id == theirs.document_id:
            return False
        signs = {_compared(mine.updated_at, theirs.updated_at), _compared(self._version, other._version)}
        return 1 in signs and -1 not in signs

    def _is_alike(self, other: Fingerprint) -> bool:
        mine, theirs = self._without_numbers, other._without_numbers
        return len(mine & theirs) >= _SAME_SHARE * max(len(mine), len(theirs))

    @cached_property
    def _without_numbers(self) -> Shingles:
        return _shingles(["0" if _holds_digit(word) else word for word in self._words])

    @cached_property
    def _place(self) -> tuple[tuple[str, ...], ...]:
        """What it is about by its title and headings, and the folder it is in."""
        folder = [word for word in _unversioned(self.passage.document_id.rpartition("/")[0]) if word not in _OF_ANY_AGE]
        titles = map(_unversioned, (self.passage.title, *self.passage.heading))
        return (*map(tuple, titles), tuple(folder)) if self.passage.title else ()

    @cached_property
    def _version(self) -> Version:
        return _version(self.passage.title) or _version(self.passage.document_id)

    @cached_property
    def _all_numbers(self) -> frozenset[str]:
        passage = self.passage
        beside = " ".join([passage.title, *passage.heading, passage.document_id, (passage.updated_at or "")[:4]])
        return self._numbers | numbers_in(beside)

    @property
    def merits(self) -> tuple[str, Version, int]:
        """Of two that repeat each other, the one with the higher is shown."""
        return self.passage.updated_at or "", self._version, len(self.passage.heading)


def adds_nothing(one: Fingerprint, packed: Iterable[Fingerprint], asked: frozenset[str]) -> bool:
    """Whether a passage need not be shown beside these. `asked` are the question's numbers."""
    return any(one.repeats(other) or (other.supersedes(one) and not one.says_alone(other, asked)) for other in packed)


def preferred_first(candidates: Sequence[Candidate]) -> list[tuple[Fingerprint, Candidate]]:
    """In the order given, but each behind the first of those that are to be shown instead of it, if there are any."""
    ordered: list[tuple[Fingerprint, Candidate]] = []
    for candidate in candidates:
        one = Fingerprint(candidate.passage)
        outdone = (
            place for place, (other, theirs) in enumerate(ordered) if _goes_before(one, candidate, other, theirs)
        )
        ordered.insert(next(outdone, len(ordered)), (one, candidate))
    return ordered


def numbers_in(text: str) -> frozenset[str]:
    """The words with a digit in them."""
    return _numbers(_WORD.findall(text.casefold()))


def _goes_before(one: Fingerprint, mine: Candidate, other: Fingerprint, theirs: Candidate) -> bool:
    if one.supersedes(other) or other.supersedes(one):
        return one.supersedes(other)
    if not (one.repeats(other) and other.repeats(one)):
        return False
    if one.merits == other.merits:
        return mine.score == theirs.score and mine.passage.document_id < theirs.passage.document_id
    return one.merits > other.merits


def _compared(mine: str | Version | None, theirs: str | Version | None) -> int:
    """1 for the newer, -1 for the older, 0 where that can't be told: one is missing, or they are of two kinds."""
    if not mine or not theirs or (isinstance(mine, tuple) and mine[:1] != theirs[:1]):
        return 0
    return (mine > theirs) - (mine < theirs)  # type: ignore[operator]


def _shingles(words: Sequence[str]) -> Shingles:
    starts = range(max(1, len(words) - _SHINGLE_WORDS + 1))
    return frozenset([tuple(words[start : start + _SHINGLE_WORDS]) for start in starts])


def _numbers(words: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(_holds_digit, words))


def _holds_digit(word: str) -> bool:
    return not word.isalpha() and any(map(str.isdigit, word))


def _unversioned(name: str) -> list[str]:
    return _WORD.findall(_VERSION.sub(" ", name).casefold())


def _version(name: str) -> Version:
    """Its kind, then what is comparable with others of that kind; empty where there is none."""
    found = _VERSION.search(name)
    if found is None:
        return ()
    if found["number"]:
        return 0, *map(int, found["number"].split("."))
    return 1, *(int(found[part] or 0) for part in ("year", "month", "day"))

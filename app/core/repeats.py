"""Which texts say the same as others, nearly word for word."""

from __future__ import annotations

import re

from app.core.model import Passage

_SHINGLE_WORDS = 3
_REPEATED_SHARE = 0.9
_WORD = re.compile(r"[\u2e80-\ud7ff]|[^\W\u2e80-\ud7ff]+")


class Fingerprint:
    """What tells whether a text repeats another: runs of three words, and the words that hold a digit."""

    def __init__(self, passage: Passage) -> None:
        words = _WORD.findall(passage.text.casefold())
        starts = range(max(1, len(words) - _SHINGLE_WORDS + 1))
        self.content_hash = passage.content_hash
        self.shingles = {tuple(words[start : start + _SHINGLE_WORDS]) for start in starts}
        self.numbers = {word for word in words if any(map(str.isdigit, word))}

    def repeats(self, other: Fingerprint) -> bool:
        """Whether at least nine tenths of this text stand in the other one, and each of its numbers.

        Two price lists that differ in a figure alone are not the same. Word shingles are Broder's measure, "On
        the resemblance and containment of documents" (1997).
        """
        if self.content_hash == other.content_hash:
            return True
        shared = len(self.shingles & other.shingles)
        return self.numbers <= other.numbers and shared >= _REPEATED_SHARE * len(self.shingles)

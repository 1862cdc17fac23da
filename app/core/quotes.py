"""Finding a model's quote in the text it was taken from."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from app.core.folding import Folded
from app.core.prompt import trace

_MOST_PLACES = 64
"""Places looked at for one quote; it bounds the time that a text of one repeated character takes."""

_SAME = {
    "'": "‘’‚‛′ʼ´‹›",
    '"': "“”„‟″«»",
    "-": "‐‑‒–—―−﹣－",
    "(": "[<",
    ")": "]>",
}
"""What passes for one sign. Typography changes on the way through a model, and which brackets `neutralise` made
round depends on text that a quote may leave out."""
_PLAIN = {other: sign for sign, others in _SAME.items() for other in others}
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_TABLE = _PLAIN | _LIGATURES

_CUT = re.compile(
    r"[a0]/[a0]"  # inside a word or a number
    r"|a'/a|a/'a"  # don't
    r"|0[.,]/0|0/[.,]0"  # 1,000 and 2.5
    r"|(?:^|[^a0])-/0"  # the sign of -5
    r"|/m"  # a letter and its accent
)
"""Where no quote begins or ends, in the shapes of the characters around the place, which is the slash."""


class Quotable:
    """A source's text, made ready once for any number of quotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded, self._spans = _fold(text)

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where `quote` stands in the text, as character offsets into the original; None when it does not.

        Word for word, once both sides are neutralised: white space, typographic quotes and dashes, kinds of
        brackets, ligatures, invisible characters and how accents are encoded make no difference. A quote that
        cuts a word or a number does not count ("8 days" out of "28 days"), nor does one without a letter or digit.
        """
        wanted = _fold(quote).text.strip(" ")
        if not any(map(str.isalnum, wanted)):
            return None
        place = -1
        for _ in range(_MOST_PLACES):
            place = self._folded.find(wanted, place + 1)
            if place < 0:
                return None
            end = place + len(wanted)
            if not _cuts(self._folded, place) and not _cuts(self._folded, end):
                return self._spans[place][0], self._spans[end - 1][1]
        return None


def _fold(text: str) -> Folded:
    characters: list[str] = []
    spans: list[tuple[int, int]] = []
    harmless = trace(text)
    for character, span in zip(harmless.text, harmless.spans, strict=True):
        plain = _plain(character)
        if plain != " " or characters[-1:] != [" "]:
            characters += plain
            spans += [span] * len(plain)
    return Folded("".join(characters), spans)


@lru_cache(maxsize=8192)
def _plain(character: str) -> str:
    if character.isspace():
        return " "
    if unicodedata.category(character) == "Cf":
        return ""
    return _TABLE.get(character) or unicodedata.normalize("NFD", character)


def _cuts(folded: str, place: int) -> bool:
    around = folded[max(0, place - 2) : place], folded[place : place + 2]
    return bool(_CUT.search("/".join("".join(map(_shape, side)) for side in around)))


def _shape(character: str) -> str:
    """`a` for a letter, `0` for a digit, `m` for a mark on the character before.

    Only letters that have a case count: scripts without spaces have none, and a quote may begin anywhere in them.
    """
    if unicodedata.combining(character) or "\u1160" <= character <= "\u11ff":
        return "m"
    if character.isdecimal():
        return "0"
    if character.islower() or character.isupper():
        return "a"
    return character if character in "'.,-" else " "

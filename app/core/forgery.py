"""Finds, in folded text, what could pass for a fence or a marker of ours.

Both searches look at each character a bounded number of times, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.core.markup.frames import MAX_MARKER
from app.core.markup.grammar import Reading

_GAP = r"[^\w<>]*+"
_SOURCE = re.compile(_GAP.join(["[s5]", "[o0]", "[uv]", "r", "c", "[e3]"]))
_TAG_END = re.compile(r"[^<>]{0,200}+>")


def fence_brackets(folded: str) -> Iterator[int]:
    """Places of the angle brackets of every tag whose name starts like "source", however it is spelled.

    White space, slashes and punctuation may stand before and inside the name, and the end may be missing.
    """
    for name in _SOURCE.finditer(folded):
        opening = list(_angles_before(folded, name.start()))
        yield from opening
        if opening and (end := _TAG_END.match(folded, name.end())):
            yield end.end() - 1


def _angles_before(folded: str, place: int) -> Iterator[int]:
    for before in range(place - 1, -1, -1):
        if folded[before] == "<":
            yield before
        elif folded[before] == ">" or folded[before].isalnum():
            return


_TOKEN = re.compile(r"\[|\]|\w+")
_CITING = (
    r"(?:sources?|src|documents?|docs?|references?|refs?|citations?|cited?|citing|footnotes?|fn|notes?|passages?"
    r"|contexts?|chunks?|results?|items?|numbers?|nos?|nr|ids?|index|search|turn|news|web|file|quellen?|fuentes?"
    r"|pages?|lines?)"
)
_NUMBER = re.compile(rf"{_CITING}?+[0-9]+(?:{_CITING}[0-9]*+)*+")
_BESIDE_A_NUMBER = re.compile(
    rf"(?:{_CITING})++|[pl][0-9]*|pp|ll|see|and|or|to|through|und|bis|et|y|e|o"
    r"|b|i|em|strong|sup|sub|span|a|u|code|cite"  # names of HTML tags around it
)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*+\n")
_NEAR = 80


class _Bracket:
    """An opening bracket and what is known of its inside so far."""

    def __init__(self, place: int, *, marks: bool) -> None:
        self.place = place
        self.marks = marks
        """The citation filter takes it for a marker."""
        self.numbered = False
        self.plain = True
        """Holds nothing but numbers, punctuation and citing words."""
        self.leads = False
        """The first thing in it is a number."""


def marker_brackets(folded: str) -> Iterator[int]:
    """Places of the square brackets that hold what a citation would: numbers, and words such as "source".

    Nested ones count for the outer one too, and so does what the citation filter would read as a marker, such as
    `[Source 1: Title]`. A bracket that starts with a number also counts when it is never
    closed, or only in another paragraph or far away: what follows could close it.
    """
    opened: list[_Bracket] = []
    empty: list[_Bracket] = []
    for token in _TOKEN.finditer(folded):
        word, place = token.group(), token.start()
        if word == "[":
            opened.append(_Bracket(place, marks=_reads_as_marker(folded, place)))
            empty.append(opened[-1])
        elif not opened:
            continue
        elif word == "]":
            closed = opened.pop()
            if empty and empty[-1] is closed:
                empty.pop()
            if opened:
                opened[-1].numbered |= closed.numbered
                opened[-1].plain &= closed.plain
            if _cites(closed, folded, place):
                yield from (closed.place, place)
        else:
            _read_word(word, opened[-1], empty)
    yield from (bracket.place for bracket in opened if bracket.leads or bracket.marks)


def _reads_as_marker(folded: str, opening: int) -> bool:
    """Whether the bracket is a marker to the citation filter, or would be one with another end."""
    reading = Reading()
    for char in folded[opening + 1 : opening + 1 + MAX_MARKER]:
        if char == "]":
            return reading.close() is not None
        if char == "[" or not reading.viable:
            break
        reading.read(char)
    return reading.viable and reading.has_digits


def _cites(bracket: _Bracket, folded: str, end: int) -> bool:
    if bracket.marks or (bracket.plain and bracket.numbered):
        return True
    if not bracket.leads:
        return False
    return end - bracket.place > _NEAR or bool(_PARAGRAPH_END.search(folded, bracket.place, end))


def _read_word(word: str, inner: _Bracket, empty: list[_Bracket]) -> None:
    if _NUMBER.fullmatch(word):
        inner.numbered = True
        for bracket in empty:
            bracket.leads = True
        empty.clear()
    elif not _BESIDE_A_NUMBER.fullmatch(word):
        inner.plain = False
        empty.clear()

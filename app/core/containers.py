"""Block quotes and list items around a line of Markdown (CommonMark 0.31.2, sections 4.1, 4.3 and 5)."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

MAX_DEPTH = 100
"""Deeper marks are text, as in markdown-it; it also bounds the work for a line."""

_QUOTE = 0
"""A block quote among the open containers; any other number is a list item's content offset."""

_START = re.compile(r"[ \t>\-+*_=#0-9.)]*")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |$)")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_UNDERLINE = re.compile(r" {0,3}(?:-+|=+) *$")


class Kind(Enum):
    BLANK = auto()
    RULE = auto()
    """A thematic break, or the underline of a heading."""
    HEADING = auto()
    FENCE = auto()
    """Never read off a start: the characters after it decide."""
    TEXT = auto()


class Place(NamedTuple):
    """Where a line stands, read off its start."""

    kind: Kind
    matched: int
    """How many of the open containers go on."""
    opened: tuple[int, ...]
    rest: str
    """The start, tabs expanded, less the marks of its containers."""

    @property
    def indented(self) -> bool:
        """Four columns or more: no block but indented code begins here."""
        return _indent(self.rest) > 3

    @property
    def bare(self) -> bool:
        """Whether a fence could begin right after the start."""
        return is_margin(self.rest)


def end_of_start(text: str, at: int) -> int:
    """Where the characters end that the marks before a line's text are made of."""
    found = _START.match(text, at)
    return found.end() if found else at


def is_margin(rest: str) -> bool:
    """Up to three spaces, which a fence may stand behind."""
    return len(rest) <= 3 and not rest.strip(" ")


class Containers:
    """The containers that are open after the lines entered so far, and whether a paragraph is."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._paragraph = False

    def rest(self, start: str, *, ends: bool) -> str | None:
        """What follows the marks of all open containers, tabs expanded; None when the line leaves one."""
        matched, rest = self._match(start.expandtabs(4), ends)
        return rest if matched == len(self._open) else None

    def locate(self, start: str, *, ends: bool) -> Place:
        """Read a line's `start`, which is all of the line when `ends`; nothing is entered yet."""
        matched, rest = self._match(start.expandtabs(4), ends)
        continues = self._paragraph and matched == len(self._open)
        if ends and continues and _UNDERLINE.match(rest):
            return Place(Kind.RULE, matched, (), rest)
        opened: list[int] = []
        while matched + len(opened) < MAX_DEPTH and not _is_rule(rest, ends):
            found = _open_one(rest, ends, interrupting=continues and not opened)
            if found is None:
                break
            opened.append(found[0])
            rest = found[1]
        return Place(_kind(rest, ends), matched, tuple(opened), rest)

    def enter(self, place: Place, kind: Kind) -> bool:
        """Take the line in as `kind`; False when it only goes on with the paragraph before it."""
        if kind is Kind.TEXT and self._paragraph and not place.opened:
            return False
        self._open[place.matched :] = place.opened
        self._paragraph = kind is Kind.TEXT and not place.indented
        return True

    def _match(self, line: str, ends: bool) -> tuple[int, str]:
        at = 0
        for matched, offset in enumerate(self._open):
            indent = _indent(line, at)
            if offset == _QUOTE:
                if indent > 3 or not line.startswith(">", at + indent):
                    return matched, line[at:]
                at += indent + 1
                at += line.startswith(" ", at)
            elif indent >= offset:
                at += offset
            elif not (ends and at + indent == len(line)):
                return matched, line[at:]
        return len(self._open), line[at:]


def _open_one(rest: str, ends: bool, *, interrupting: bool) -> tuple[int, str] | None:
    """The container that begins at `rest` and what follows its mark."""
    indent = _indent(rest)
    if indent > 3:
        return None
    if rest.startswith(">", indent):
        return _QUOTE, rest[indent + 1 :].removeprefix(" ")
    mark = _ITEM.match(rest, indent)
    if mark is None or (mark.end() == len(rest) and not ends):
        return None
    after = rest[mark.end() :]
    empty = ends and not after.strip(" ")
    if interrupting and (empty or mark[1] not in (None, "1")):
        return None
    padding = 1 if empty or _indent(after) > 4 else _indent(after)
    return mark.end() + padding, after[padding:]


def _kind(rest: str, ends: bool) -> Kind:
    indent = _indent(rest)
    if ends and indent == len(rest):
        return Kind.BLANK
    if _is_rule(rest, ends):
        return Kind.RULE
    heading = _HEADING.match(rest, indent) if indent <= 3 else None
    if heading and (ends or heading[0].endswith(" ")):
        return Kind.HEADING
    return Kind.TEXT


def _is_rule(rest: str, ends: bool) -> bool:
    marks = rest.replace(" ", "") if ends and _indent(rest) <= 3 else ""
    return len(marks) >= 3 and marks[0] in "-*_" and marks == marks[0] * len(marks)


def _indent(line: str, at: int = 0) -> int:
    spaces = at
    while line.startswith(" ", spaces):
        spaces += 1
    return spaces - at

"""Block quotes and list items around a line of Markdown (CommonMark 0.31.2, sections 4.1 to 4.3 and 5)."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.core.markup.events import Kind

MAX_DEPTH = 100
"""Deeper marks are text, as in markdown-it; it also bounds the work for a line."""

_QUOTE = 0
"""A block quote among the open containers; any other number is a list item's content offset."""

_START = re.compile(
    r"(?:[ \t]*+(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])))*+[ \t]*+"
    r"(?:([-*_])[ \t]*+(?:\1[ \t]*+)*+|=++[ \t]*+|\+|#{1,6}[ \t]*+|[0-9]{1,9}[.)]?)?"
)
_LONG_START = 256
_SIGNS = re.compile(r"[ \t>\-+*_=]*")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |$)")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_HEADING_MARKS = re.compile(r"[ \t]*#+[ \t]?")
_UNDERLINE = re.compile(r" {0,3}(?:-+|=+) *$")


class Place(NamedTuple):
    """Where a line stands, read off its start. Columns count the start with its tabs expanded."""

    kind: Kind
    matched: int
    """How many of the open containers go on."""
    opened: tuple[int, ...]
    marks_at: int
    """The column where the marks of `opened` begin."""
    content_at: int
    """The column after all marks."""
    rest: str
    """The start from `content_at` on."""

    @property
    def indent(self) -> int:
        return _indent(self.rest)

    @property
    def bare(self) -> bool:
        """Whether a fence could begin right after the start."""
        return is_margin(self.rest)

    def cut(self, start: str, kind: Kind) -> tuple[tuple[str, str, str], str]:
        """`start`, as it stands, cut into the parts of a `Line` and what is text."""
        marks_at, content_at = (_index_of_column(start, column) for column in (self.marks_at, self.content_at))
        rest = start[content_at:]
        indent = len(rest) - len(rest.lstrip(" \t"))
        if kind is Kind.HEADING and (marks := _HEADING_MARKS.match(rest)):
            indent = marks.end()
        return (start[:marks_at], start[marks_at:content_at], rest[:indent]), rest[indent:]


def end_of_start(start: str, text: str, at: int) -> int:
    """Where in `text` the marks end that a line which began with `start` may have before its text.

    A mark that is not whole yet counts. Of a long start, it is read no more than what its signs are.
    """
    if len(start) < _LONG_START:
        found = _START.match((start + text[at : at + _LONG_START])[:_LONG_START])
        end = found.end() if found else 0
        at += end - len(start)
        if end < _LONG_START:
            return at
    found = _SIGNS.match(text, at)
    return found.end() if found else at


def is_margin(rest: str) -> bool:
    """Up to three spaces, which a fence may stand behind."""
    return len(rest) <= 3 and not rest.strip(" ")


def begins_block(start: str, *, ends: bool) -> bool:
    """Whether a line of text would be something else if it began with `start`, a fence left aside."""
    place = Containers().locate(start, ends=ends)
    return bool(place.opened or place.kind is not Kind.TEXT or (ends and _UNDERLINE.match(start)))


class Containers:
    """The containers that are open after the lines entered so far, and whether a paragraph is."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._paragraph = False
        self._has_empty_item = False
        """Whether the innermost is an item of which only the mark has come: a blank line ends it."""
        self.in_table = False
        """Whether the paragraph is a table by now."""

    @property
    def depth(self) -> int:
        return len(self._open)

    def rest(self, start: str, *, ends: bool) -> str | None:
        """What follows the marks of all open containers, tabs expanded; None when the line leaves one."""
        line = start.expandtabs(4)
        matched, at = self._match(line, ends)
        return line[at:] if matched == len(self._open) else None

    def locate(self, start: str, *, ends: bool) -> Place:
        """Read a line's `start`, which is all of the line when `ends`; nothing is entered yet."""
        line = start.expandtabs(4)
        matched, marks_at = self._match(line, ends)
        continues = self._paragraph and matched == len(self._open) and not self.in_table
        if ends and continues and _UNDERLINE.match(line, marks_at):
            return Place(Kind.RULE, matched, (), marks_at, marks_at, line[marks_at:])
        opened: list[int] = []
        at = marks_at
        while matched + len(opened) < MAX_DEPTH and not _is_rule(line, at, ends):
            found = _open_one(line, at, ends, interrupting=continues and not opened)
            if found is None:
                break
            opened.append(found[0])
            at = found[1]
        return Place(_kind(line, at, ends), matched, tuple(opened), marks_at, at, line[at:])

    def continues(self, place: Place) -> bool:
        """Whether text there would go on with the paragraph before it."""
        return self._paragraph and not place.opened and not (self.in_table and place.matched < len(self._open))

    def leaves(self, place: Place) -> bool:
        """Whether text there goes on with a paragraph that more can interrupt than others."""
        return self.in_table or place.matched < len(self._open)

    def enter(self, place: Place, kind: Kind, *, interrupts: bool = False) -> bool:
        """Take the line in as `kind`; True when it goes on with the paragraph before it."""
        if kind is Kind.TEXT and self.continues(place) and not interrupts:
            return True
        self._open[place.matched :] = place.opened
        self._paragraph = kind is Kind.TEXT and place.indent <= 3
        self._has_empty_item = kind is Kind.BLANK and place.opened[-1:] not in ((), (_QUOTE,))
        return False

    def _match(self, line: str, ends: bool) -> tuple[int, int]:
        at = 0
        for matched, offset in enumerate(self._open):
            indent = _indent(line, at)
            if offset == _QUOTE:
                if indent > 3 or not line.startswith(">", at + indent):
                    return matched, at
                at += indent + 1
                at += line.startswith(" ", at)
            elif indent >= offset:
                at += offset
            elif not (ends and at + indent == len(line)) or self._is_empty_item(matched):
                return matched, at
        return len(self._open), at

    def _is_empty_item(self, index: int) -> bool:
        return self._has_empty_item and index == len(self._open) - 1


def _open_one(line: str, at: int, ends: bool, *, interrupting: bool) -> tuple[int, int] | None:
    """The container whose mark stands at `at`, and where what follows its mark begins."""
    begin = at + _indent(line, at)
    if begin - at > 3:
        return None
    if line.startswith(">", begin):
        return _QUOTE, begin + 1 + line.startswith(" ", begin + 1)
    mark = _ITEM.match(line, begin)
    if mark is None or (mark.end() == len(line) and not ends):
        return None
    padding = _indent(line, mark.end())
    empty = ends and mark.end() + padding == len(line)
    if interrupting and (empty or mark[1] not in (None, "1")):
        return None
    content = mark.end() + (1 if empty or padding > 4 else padding)
    return content - at, min(content, len(line))


def _kind(line: str, at: int, ends: bool) -> Kind:
    begin = at + _indent(line, at)
    if ends and begin == len(line):
        return Kind.BLANK
    if _is_rule(line, at, ends):
        return Kind.RULE
    heading = _HEADING.match(line, begin) if begin - at <= 3 else None
    if heading and (ends or heading[0].endswith(" ")):
        return Kind.HEADING
    return Kind.TEXT


def _is_rule(line: str, at: int, ends: bool) -> bool:
    marks = line[at:].replace(" ", "") if ends and _indent(line, at) <= 3 else ""
    return len(marks) >= 3 and marks[0] in "-*_" and marks == marks[0] * len(marks)


def _indent(line: str, at: int = 0) -> int:
    spaces = at
    while line.startswith(" ", spaces):
        spaces += 1
    return spaces - at


def _index_of_column(start: str, column: int) -> int:
    """Where `column` begins in `start`, its tabs expanded. A tab that reaches over it counts before it."""
    at = reached = 0
    while reached < column and at < len(start):
        reached += 4 - reached % 4 if start[at] == "\t" else 1
        at += 1
    return at

"""Drops a list of sources that the model writes itself: the service shows its own.

Such a list is a heading ("Sources", "References", ...) with entries under it. An entry is a line that begins with a
bracket or a URL, or the item of a list with a link or URL in it. The heading goes only when an entry follows.
This comes first of all scanners: what it drops was never there for the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol

from app.core.markup.vocabulary import BIBLIOGRAPHY

MAX_ENTRY = 512
"""Characters of a line within which it must turn out to be an entry."""
_MAX_HEADING = 64
_BEGINNINGS = frozenset(word[:length] for word in BIBLIOGRAPHY for length in range(len(word) + 1))

_LINE_END = re.compile(r"[\r\n]")
_SET_ASIDE = re.compile(
    r"\A[ \t>#*_]*+[0-9]{1,3}(?:[.)](?:[ \t]|\Z)|\Z)"  # the number of a section
    r"|[\[【〔［\ue200][^\]】〕］\ue201]{0,64}(?:[\]】〕］\ue201]|\Z)"  # markers, which may go
    r"|<[A-Za-z/!][^<>]{0,64}(?:>|\Z)|&#?[A-Za-z0-9]{0,9}(?:;|\Z)"
    r"|[ \t>#*_~:：\\]+"
)
_BULLET = re.compile(r"[ \t>]*+[-*+•][ \t]")
_MARGIN = re.compile(r"[ \t>]*+")
_LIST_MARK = re.compile(r"(?:[-*+•]|[0-9]{1,3}[.)])[ \t]++")
_LIST_MARK_BEGINNING = re.compile(r"(?:[-*+•]|[0-9]{1,3}[.)]?)?")
_ADORNMENT = re.compile(r"(?:<[A-Za-z/][^<>]{0,64}>|[ \t*_~(\\!])*+")
_ADORNMENT_BEGINNING = re.compile(r"(?:<[A-Za-z/][^<>]{0,64}>|[ \t*_~(\\!])*+(?:<[A-Za-z/][^<>]{0,64}|<)?")
_BRACKET = re.compile(r"[\[【〔［\ue200]|&(?:#0*91|#[xX]0*5[bB]|lsqb|lbrack);")
_SOURCE_TAG = re.compile(r"[ \t*_~(\\!]*+<source[ \t]", re.IGNORECASE)
_BRACKET_BEGINNING = re.compile(r"&[#A-Za-z0-9]{0,9}")
_URL = re.compile(r"<?(?:https?://|www\.)", re.IGNORECASE)
_URL_BEGINNINGS = tuple(
    (bracket + url)[:length]
    for bracket in ("", "<")
    for url in ("http://", "https://", "www.")
    for length in range(1, len(url) + 1)
)
_LINKED = re.compile(r"\]\(|\]:|https?://|www\.", re.IGNORECASE)


class Host(Protocol):
    """The scanner of the blocks."""

    @property
    def in_fence(self) -> bool: ...

    def feed(self, text: str) -> None: ...

    def flush(self) -> None: ...


class _Kind(Enum):
    BLANK = auto()
    HEADING = auto()
    ENTRY = auto()
    TEXT = auto()


class BibliographyFilter:
    """Passes text on, less the lines of a bibliography."""

    def __init__(self, out: Host) -> None:
        self._out = out
        self._state: Callable[[str, int], int] = self._line_start
        self._held = ""
        """A heading, if any, and the empty lines after it or after an entry."""
        self._line = ""
        """The line so far, while it is not clear what it is."""
        self._inside = False
        """Whether an entry came last."""

    @property
    def idle(self) -> bool:
        """Whether text without line ends passes at once."""
        return self._state == self._passing

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            at = self._state(text, at)

    def flush(self) -> None:
        if self._line:
            self._take_line(self._kind(ends=True) or _Kind.TEXT)
        self._out.feed(self._held)
        self._out.flush()

    def _line_start(self, text: str, at: int) -> int:
        if self._out.in_fence:
            self._state = self._passing
            return at
        self._line += text[at]
        ends = text[at] in "\r\n"
        kind = self._kind(ends=ends)
        if kind is not None:
            self._take_line(kind)
            if not ends:
                self._state = self._dropping if kind is _Kind.ENTRY else self._passing
        return at + 1

    def _take_line(self, kind: _Kind) -> None:
        line, self._line = self._line, ""
        if kind is _Kind.ENTRY:
            self._held = ""
        elif kind is _Kind.HEADING:
            self._out.feed(self._held)
            self._held = line
        elif kind is _Kind.BLANK and (self._held or self._inside):
            self._held += line
            return
        else:
            self._out.feed(self._held + line)
            self._held = ""
        self._inside = kind is _Kind.ENTRY

    def _passing(self, text: str, at: int) -> int:
        end = self._line_end(text, at)
        self._out.feed(text[at:end])
        return end

    def _dropping(self, text: str, at: int) -> int:
        return self._line_end(text, at)

    def _line_end(self, text: str, at: int) -> int:
        found = _LINE_END.search(text, at)
        if found is None:
            return len(text)
        self._state = self._line_start
        return found.end()

    def _kind(self, *, ends: bool) -> _Kind | None:
        """What the line is; None as long as it could be several things."""
        line = self._line.rstrip("\r\n")
        if not line.strip(" \t") and len(line) <= MAX_ENTRY:
            return _Kind.BLANK if ends else None
        entry = _is_entry(line, ends) if self._held or self._inside else False
        if entry is None:
            return None
        heading = _is_heading(line, ends)
        if entry or heading is not None:
            return _Kind.ENTRY if entry else _Kind.HEADING if heading else _Kind.TEXT
        return None


def _is_heading(line: str, ends: bool) -> bool | None:
    """A bullet begins none: it lists one thing among others, which may bear such a name."""
    if _BULLET.match(line):
        return False
    words = _SET_ASIDE.sub(" ", line).strip().casefold()
    if words in BIBLIOGRAPHY:
        return True if ends else None
    return None if not ends and len(line) <= _MAX_HEADING and words in _BEGINNINGS else False


def _is_entry(line: str, ends: bool) -> bool | None:
    margin = _MARGIN.match(line)
    rest = line[margin.end() if margin else 0 :]
    listed = _LIST_MARK.match(rest)
    bare = rest[listed.end() :] if listed else rest
    if _SOURCE_TAG.match(bare):
        return True
    if adorned := _ADORNMENT.match(bare):
        bare = bare[adorned.end() :]
    if _BRACKET.match(bare) or _URL.match(bare) or (listed and _LINKED.search(bare)):
        return True
    if ends or len(rest) > MAX_ENTRY:
        return False
    undecided = listed or bare.lower() in _URL_BEGINNINGS or _may_become_entry(rest, bare)
    return None if undecided else False


def _may_become_entry(rest: str, bare: str) -> bool:
    """`bare` is the line without its list mark and adornment, `rest` with them."""
    return bool(
        _BRACKET_BEGINNING.fullmatch(bare)
        or _LIST_MARK_BEGINNING.fullmatch(rest)
        or _ADORNMENT_BEGINNING.fullmatch(rest)
    )

"""Lines and fenced code in a stream of Markdown (CommonMark 0.31.2, section 4.5).

The start of a line decides what the line is, the rest passes in one piece. Fences are found in block quotes
and list items too and end with them; one that never closes runs to the end. Decided here:

- Indented code is text. In an answer, indented lines are far more often loosely written lists.
- What would begin an HTML block begins a paragraph: the scanner after this one lets none through.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from app.core.markup import html_tags
from app.core.markup.containers import Containers, end_of_start, is_margin
from app.core.markup.events import Blocks, Kind, Line
from app.core.markup.fences import FenceOpening, Outcome, run_end
from app.core.markup.tables import TableTracker

_LINE_END = re.compile(r"[\r\n]")
_LINE_END_OR_BACKTICK = re.compile(r"[\r\n`]")


class _Fence(NamedTuple):
    char: str
    length: int


class BlockScanner:
    """Cuts a document into the calls of `Blocks`, the same for every split up to joined pieces."""

    def __init__(self, out: Blocks) -> None:
        self._out = out
        self._containers = Containers()
        self._table = TableTracker()
        self._state: Callable[[str, int], int] = self._line_start
        self._newline = ""
        self._start = ""
        self._angle = ""
        self._fence: _Fence | None = None
        self._run = 0
        """Characters of what may be its closing line, so far."""

    @property
    def idle(self) -> bool:
        """Whether text without line ends and `|` would pass as text, whatever it is."""
        return self._state == self._text_line and self._table.idle

    @property
    def in_fence(self) -> bool:
        """Whether the line that begins next may belong to a fence."""
        return self._fence is not None

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            at = self._state(text, at)

    def flush(self) -> None:
        """End the document."""
        if self._state == self._line_start and self._newline + self._start:
            self._begin_line("\n")
        if self._state == self._opening_angle:
            apart = self._begins_html(self._angle + "\n")
            self._release_as_text(self._angle, self._text_line, apart=bool(apart))
        if self._state == self._opening_fence:
            self._opening.end()
            self._decide_fence()

    # The start of a line: white space and marks, until another character shows what the line is.

    def _line_start(self, text: str, at: int) -> int:
        if text[at] == "\n" and self._newline == "\r" and not self._start:
            self._newline = "\r\n"
            return at + 1
        end = end_of_start(self._start, text, at)
        self._start += text[at:end]
        if end < len(text):
            self._begin_line(text[end])
        return end

    def _begin_line(self, char: str) -> None:
        """Decide on the line by its start and the character after it."""
        ends = char in "\r\n"
        if self._fence:
            rest = self._containers.rest(self._start, ends=ends)
            if rest is not None:
                self._begin_fenced_line(rest, char)
                return
            self._fence = None
        self._containers.in_table = self._table.row_follows
        self._place = self._containers.locate(self._start, ends=ends)
        if char in "`~" and self._place.bare:
            self._opening = FenceOpening(char)
            self._state = self._opening_fence
        elif char == "<" and self._place.bare and self._containers.continues(self._place):
            self._angle = ""
            self._state = self._opening_angle
        else:
            self._enter(self._place.kind)
            self._state = self._text_line

    def _opening_angle(self, text: str, at: int) -> int:
        """What may begin an HTML block and so end a paragraph."""
        self._angle += text[at]
        begins = self._begins_html(self._angle)
        if begins is not None:
            self._release_as_text(self._angle, self._text_line, apart=begins)
        return at + 1

    def _begins_html(self, start: str) -> bool | None:
        begins = html_tags.begins_block(start)
        if begins is False and self._containers.leaves(self._place):
            return html_tags.is_alone(start)
        return begins

    def _enter(self, kind: Kind, *, apart: bool = False) -> None:
        place, depth = self._place, self._containers.depth
        continues = self._containers.enter(place, kind, interrupts=apart)
        closed = 0 if continues else depth - place.matched
        margin, text = place.cut(self._start, kind)
        lazy = continues and self._containers.leaves(place)
        self._table.line(continues=continues, lazy=lazy)
        if self._table.inside:
            self._out.divide()
        counts = place.matched, len(place.opened), closed
        self._out.line(Line(self._newline, *margin, kind, continues, lazy, *counts, apart))
        self._newline = self._start = ""
        self._pass_text(text)

    def _pass_text(self, text: str) -> None:
        at = 0
        for border in self._table.text(text):
            self._out.text(text[at:border])
            self._out.divide()
            at = border
        if at < len(text):
            self._out.text(text[at:])

    def _text_line(self, text: str, at: int) -> int:
        return self._pass_line(text, at, self._pass_text)

    def _pass_line(self, text: str, at: int, pass_on: Callable[[str], None]) -> int:
        found = _LINE_END.search(text, at)
        end = found.start() if found else len(text)
        pass_on(text[at:end])
        if found is None:
            return end
        self._newline = found[0]
        self._state = self._line_start
        return found.end()

    # The first line of a fence.

    def _opening_fence(self, text: str, at: int) -> int:
        end = self._opening.read(text, at)
        self._decide_fence()
        return end

    def _decide_fence(self) -> None:
        match self._opening.outcome:
            case Outcome.FENCE:
                self._open_fence()
            case Outcome.TEXT:
                self._release_as_text(self._opening.held, self._text_line)
            case Outcome.LONG:
                self._release_as_text(self._opening.held, self._long_info)

    def _long_info(self, text: str, at: int) -> int:
        found = _LINE_END_OR_BACKTICK.search(text, at)
        end = found.start() if found else len(text)
        self._pass_text(text[at:end])
        if found and found[0] == "`":
            self._state = self._text_line
        elif found:
            self._containers.enter(self._place, Kind.FENCE)
            self._begin_code()
        return end

    def _release_as_text(self, held: str, state: Callable[[str, int], int], *, apart: bool = False) -> None:
        self._enter(Kind.TEXT, apart=apart)
        self._state = state
        self._pass_line(held, 0, self._pass_text)

    # Inside a fence.

    def _pass_code(self, text: str) -> None:
        if text:
            self._out.verbatim(text)

    def _open_fence(self) -> None:
        self._enter(Kind.FENCE)
        self._out.verbatim(self._opening.held)
        self._begin_code()

    def _begin_code(self) -> None:
        self._fence = _Fence(self._opening.char, self._opening.run)
        self._state = self._fenced_line

    def _begin_fenced_line(self, rest: str, char: str) -> None:
        self._pass_code(self._newline + self._start)
        self._newline = self._start = ""
        may_close = self._fence and char == self._fence.char and is_margin(rest)
        self._run = 0
        self._state = self._closing_run if may_close else self._fenced_line

    def _closing_run(self, text: str, at: int) -> int:
        end = run_end(text, at, self._fence.char) if self._fence else at
        self._run += end - at
        self._pass_code(text[at:end])
        if end < len(text):
            closes = self._fence and self._run >= self._fence.length
            self._state = self._after_closing if closes else self._fenced_line
        return end

    def _after_closing(self, text: str, at: int) -> int:
        """After a run that closes the fence unless more than white space follows."""
        if text[at] in " \t":
            self._out.verbatim(text[at])
            return at + 1
        if text[at] in "\r\n":
            self._fence = None
        return self._fenced_line(text, at)

    def _fenced_line(self, text: str, at: int) -> int:
        self._state = self._fenced_line
        return self._pass_line(text, at, self._pass_code)

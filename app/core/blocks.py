"""Fenced code in a stream of Markdown, and the ends of paragraphs (CommonMark 0.31.2, section 4.5).

A state machine: the start of a line decides what the line is, the rest passes in one piece. Fences are found
in block quotes and list items too and end with them; one that never closes runs to the end. Decided here:

- Indented code is text. In an answer, indented lines are far more often loosely written lists.
- The first line of a fence is held for 512 characters at most; a longer one is text, the fence follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from app.core.containers import Containers, Kind, end_of_start, is_margin

MAX_INFO = 512

_LINE_END = re.compile(r"[\r\n]")
_LINE_END_OR_BACKTICK = re.compile(r"[\r\n`]")


class Blocks(Protocol):
    """Receives a document in order, cut where code and paragraphs begin and end."""

    def text(self, text: str) -> None:
        """Text outside fences, the marks of quotes, lists and headings included."""

    def code(self, text: str) -> None:
        """A piece of a fence, its first and last line included."""

    def end_paragraph(self) -> None:
        """No code span reaches over this point, the start of a line."""


class _Fence(NamedTuple):
    char: str
    length: int


class BlockScanner:
    """Cuts a document into the calls of `Blocks`, the same for every split up to joined pieces."""

    def __init__(self, out: Blocks) -> None:
        self._out = out
        self._containers = Containers()
        self._state: Callable[[str, int], int] = self._line_start
        self._start = ""
        self._run_char = ""
        self._run = 0
        self._held = ""
        self._room = 0
        self._fence: _Fence | None = None
        self._single_line = False
        self._after_cr = False

    @property
    def inside_text(self) -> bool:
        """Whether anything up to the next line end is text."""
        return self._state == self._text_line

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            at = self._state(text, at)

    def flush(self) -> None:
        """End the document."""
        if self._start and self._state == self._line_start:
            self._begin_line("\n")
        if self._state == self._opening_run:
            self._end_opening_run()
        if self._state == self._info:
            self._open_fence()

    def _pass(self, text: str) -> None:
        if text:
            (self._out.code if self._fence else self._out.text)(text)

    # The start of a line: white space and marks, until another character shows what the line is.

    def _pass_start(self) -> None:
        self._pass(self._start)
        self._start = ""

    def _line_start(self, text: str, at: int) -> int:
        if self._after_cr:
            self._after_cr = False
            if text[at] == "\n":
                self._pass("\n")
                return at + 1
        end = end_of_start(text, at)
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
        self._place = self._containers.locate(self._start, ends=ends)
        if char in "`~" and self._place.bare:
            self._begin_run(char, self._opening_run)
        else:
            self._begin_text(self._place.kind)

    def _begin_text(self, kind: Kind) -> None:
        if self._containers.enter(self._place, kind):
            self._out.end_paragraph()
        self._pass_start()
        self._single_line = kind is not Kind.TEXT
        self._state = self._text_line

    def _text_line(self, text: str, at: int) -> int:
        found = _LINE_END.search(text, at)
        if found is None:
            self._out.text(text[at:])
            return len(text)
        self._out.text(text[at : found.end()])
        if self._single_line:
            self._out.end_paragraph()
        return self._end_line(found)

    def _end_line(self, line_end: re.Match[str]) -> int:
        self._after_cr = line_end[0] == "\r"
        self._state = self._line_start
        return line_end.end()

    # The first line of a fence, held until it is sure to be one.

    def _begin_run(self, char: str, state: Callable[[str, int], int]) -> None:
        self._run_char = char
        self._run = 0
        self._state = state

    def _count_run(self, text: str, at: int) -> int:
        end = at
        while text.startswith(self._run_char, end):
            end += 1
        self._run += end - at
        return end

    def _opening_run(self, text: str, at: int) -> int:
        end = self._count_run(text, at)
        if end < len(text):
            self._end_opening_run()
        return end

    def _end_opening_run(self) -> None:
        self._held = self._run_char * self._run
        self._room = MAX_INFO
        if self._run < 3:
            self._release_as_text(self._text_line)
        elif self._run_char == "~":
            self._open_fence()
        else:
            self._state = self._info

    def _info(self, text: str, at: int) -> int:
        """What follows the backticks. A line end makes the line a fence, one more backtick makes it text."""
        found = _LINE_END_OR_BACKTICK.search(text, at, at + self._room)
        end = found.start() if found else min(len(text), at + self._room)
        self._held += text[at:end]
        self._room -= end - at
        if found and found[0] != "`":
            self._open_fence()
        elif found:
            self._release_as_text(self._text_line)
        elif not self._room:
            self._release_as_text(self._long_info)
        return end

    def _long_info(self, text: str, at: int) -> int:
        found = _LINE_END_OR_BACKTICK.search(text, at)
        end = found.start() if found else len(text)
        self._out.text(text[at:end])
        if found and found[0] == "`":
            self._state = self._text_line
        elif found:
            self._open_fence()
        return end

    def _release_as_text(self, state: Callable[[str, int], int]) -> None:
        self._begin_text(Kind.TEXT)
        self._state = state
        self._out.text(self._held)
        self._held = ""

    # Inside a fence.

    def _open_fence(self) -> None:
        self._containers.enter(self._place, Kind.FENCE)
        self._out.end_paragraph()
        self._fence = _Fence(self._run_char, self._run)
        self._pass_start()
        self._pass(self._held)
        self._held = ""
        self._state = self._fenced_line

    def _begin_fenced_line(self, rest: str, char: str) -> None:
        self._pass_start()
        if self._fence and char == self._fence.char and is_margin(rest):
            self._begin_run(char, self._closing_run)
        else:
            self._state = self._fenced_line

    def _closing_run(self, text: str, at: int) -> int:
        end = self._count_run(text, at)
        self._pass(text[at:end])
        if end < len(text):
            closes = self._fence and self._run >= self._fence.length
            self._state = self._after_closing if closes else self._fenced_line
        return end

    def _after_closing(self, text: str, at: int) -> int:
        """After a run that closes the fence unless more than white space follows."""
        char = text[at]
        if char in " \t":
            self._pass(char)
            return at + 1
        end = self._fenced_line(text, at)
        if char in "\r\n":
            self._fence = None
        return end

    def _fenced_line(self, text: str, at: int) -> int:
        found = _LINE_END.search(text, at)
        end = found.end() if found else len(text)
        self._pass(text[at:end])
        self._state = self._fenced_line
        return self._end_line(found) if found else end

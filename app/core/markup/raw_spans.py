"""What binds tighter than brackets: code spans, HTML and links in angle brackets (CommonMark 0.31.2, 6.1, 6.5, 6.6).

The leftmost wins. A run of backticks opens a code span when an equal run closes it in the same paragraph and,
decided here because the text between is held back, when the span is at most 512 characters long.
"""

from __future__ import annotations

import re
from collections import deque

from app.core.markup import html_tags
from app.core.markup.events import Line, Spans
from app.core.markup.html_tags import Open

MAX_SPAN = 512

_SPECIAL = re.compile(r"[`\\<]")
_RUN = re.compile(r"`+")
_ESCAPE = re.compile(r"\\[\\`<]?")


class RawSpanScanner:
    """Sorts the text of lines into code, markup and text."""

    def __init__(self, out: Spans) -> None:
        self._out = out
        self._text = ""
        """From a backtick, a backslash or a `<` that is not decided yet, with a line feed for each new line."""
        self._lines: deque[tuple[int, Line]] = deque()
        """The lines that begin in it, by place."""
        self._searched = 0
        """How much of it was searched for the closing run of a code span."""
        self._in_long_run = False
        """Inside a run too long for any span, part of it passed on."""

    @property
    def idle(self) -> bool:
        """Whether text without special characters passes at once."""
        return not self._text

    def line(self, line: Line) -> None:
        if not line.continues:
            self._end()
        if self._text:
            self._lines.append((len(self._text), line))
            self.text("\n")
        else:
            self._in_long_run = False
            self._out.line(line)

    def text(self, text: str) -> None:
        if self._text or self._in_long_run or _SPECIAL.search(text):
            self._text += text
            self._scan(ends=False)
        else:
            self._out.text(text)

    def verbatim(self, text: str) -> None:
        self._end()
        self._out.verbatim(text)

    def divide(self) -> None:
        self._end()
        self._out.divide()

    def flush(self) -> None:
        self._end()

    def _end(self) -> None:
        self._scan(ends=True)
        self._in_long_run = False

    def _scan(self, *, ends: bool) -> None:
        at = self._pass_long_run() if self._in_long_run else 0
        while special := _SPECIAL.search(self._text, at):
            self._pass(at, special.start())
            at = special.start()
            end = self._decide(at, ends)
            if end == at:
                break
            at = end
        else:
            self._pass(at, len(self._text))
            at = len(self._text)
        self._text = self._text[at:]
        if self._lines:
            self._lines = deque((place - at, line) for place, line in self._lines)

    def _decide(self, at: int, ends: bool) -> int:
        """Pass on what begins at `at` with a special character. Returns its end, or `at` to wait."""
        char = self._text[at]
        if char == "\\":
            return self._decide_escape(at, ends)
        end = self._decide_run(at, ends) if char == "`" else self._decide_markup(at, ends)
        if end != at:
            self._searched = 0
        return end

    def _decide_escape(self, at: int, ends: bool) -> int:
        end = at + len(_match(_ESCAPE, self._text, at))
        if end == at + 1 == len(self._text) and not ends:
            return at
        self._pass(at, end)
        return end

    # Code spans.

    def _decide_run(self, at: int, ends: bool) -> int:
        run = _match(_RUN, self._text, at)
        grows = at + len(run) == len(self._text) and not ends
        if grows and len(run) <= MAX_SPAN:
            return at
        closing = at if len(run) > MAX_SPAN else self._closing_end(at, len(run), ends)
        if closing is None:
            return at
        if closing > at:
            self._out.verbatim(self._raw(at, closing))
            return closing
        self._in_long_run = grows
        self._pass(at, at + len(run))
        return at + len(run)

    def _closing_end(self, at: int, length: int, ends: bool) -> int | None:
        """The end of the span that a run of `length` opens; `at` when it opens none; None to wait."""
        limit = at + MAX_SPAN
        for run in _RUN.finditer(self._text, at + max(self._searched, length), limit + 1):
            if run.end() > limit:
                return at
            if run.end() == len(self._text) and not ends:
                self._searched = run.start() - at
                return None
            if len(run[0]) == length:
                return run.end()
        if ends or len(self._text) > limit:
            return at
        self._searched = len(self._text) - at
        return None

    def _pass_long_run(self) -> int:
        end = len(_match(_RUN, self._text, 0))
        self._pass(0, end)
        self._in_long_run = end == len(self._text)
        return end

    # HTML.

    def _decide_markup(self, at: int, ends: bool) -> int:
        end = html_tags.end_of_markup(self._text, at, ends=ends)
        if end is Open.UNDECIDED:
            return at
        if end is Open.NOTHING:
            self._pass(at, at + 1)
            return at + 1
        end = at + 1 if isinstance(end, Open) else end
        self._out.markup(self._raw(at, end))
        return end

    # Passing on, with the lines that begin inside.

    def _pass(self, begin: int, end: int) -> None:
        while self._lines and self._lines[0][0] < end:
            place, line = self._lines.popleft()
            self._pass_piece(begin, place)
            self._out.line(line)
            begin = place + 1
        self._pass_piece(begin, end)

    def _pass_piece(self, begin: int, end: int) -> None:
        if begin < end:
            self._out.text(self._text[begin:end])

    def _raw(self, begin: int, end: int) -> str:
        pieces = []
        while self._lines and self._lines[0][0] < end:
            place, line = self._lines.popleft()
            pieces += [self._text[begin:place], line.raw]
            begin = place + 1
        return "".join([*pieces, self._text[begin:end]])


def _match(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    return found[0] if found else ""

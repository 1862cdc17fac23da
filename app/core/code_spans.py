"""Inline code in a stream of Markdown text (CommonMark 0.31.2, sections 2.4 and 6.1).

A run of backticks opens a span when an equal run closes it in the same paragraph, and, decided here because
the text between is held back, when the whole span is at most 512 characters long. Other runs are text.
"""

from __future__ import annotations

import re
from typing import Protocol

MAX_SPAN = 512

_SPECIAL = re.compile(r"[`\\]")
_RUN = re.compile(r"`+")
_ESCAPE = re.compile(r"\\[\\`]?")


class Pieces(Protocol):
    """Receives text and code in order."""

    def text(self, text: str) -> None: ...

    def code(self, text: str) -> None: ...


class CodeSpanScanner:
    """Sorts a document that is already cut into blocks; see `app.core.blocks.Blocks` for the calls."""

    def __init__(self, out: Pieces) -> None:
        self._out = out
        self._held = ""
        """From a backtick run, or a backslash, that is not decided yet."""
        self._searched = 0
        """How much of it was searched for the closing run."""
        self._in_long_run = False
        """Inside a run too long for any span, part of it passed on."""

    @property
    def idle(self) -> bool:
        """Whether text without backticks and backslashes passes at once."""
        return not self._held

    def text(self, text: str) -> None:
        self._scan(self._held + text, ends=False)

    def code(self, text: str) -> None:
        self.end_paragraph()
        self._out.code(text)

    def end_paragraph(self) -> None:
        self._scan(self._held, ends=True)
        self._in_long_run = False

    def _scan(self, text: str, *, ends: bool) -> None:
        at = self._pass_long_run(text) if self._in_long_run else 0
        while special := _SPECIAL.search(text, at):
            self._pass(text[at : special.start()])
            at = special.start()
            end = self._decide(text, at, ends)
            if end == at:
                break
            at = end
        else:
            self._pass(text[at:])
            at = len(text)
        self._held = text[at:]

    def _decide(self, text: str, start: int, ends: bool) -> int:
        """Pass on what begins at `start` with a backslash or a backtick; returns its end, or `start` to wait."""
        escape = _ESCAPE.match(text, start)
        found = escape or _RUN.match(text, start)
        assert found
        grows = found.end() == len(text) and not ends
        if escape:
            if grows and len(escape[0]) == 1:
                return start
        elif len(found[0]) > MAX_SPAN:
            self._in_long_run = grows
        elif grows:
            return start
        else:
            closing = self._closing_end(text, start, len(found[0]), ends)
            if closing is None:
                return start
            self._searched = 0
            if closing > start:
                self._out.code(text[start:closing])
                return closing
        self._out.text(found[0])
        return found.end()

    def _closing_end(self, text: str, start: int, length: int, ends: bool) -> int | None:
        """The end of the span that a run of `length` opens; `start` when it opens none; None to wait."""
        limit = start + MAX_SPAN
        for run in _RUN.finditer(text, start + max(self._searched, length), limit + 1):
            if run.end() > limit:
                return start
            if run.end() == len(text) and not ends:
                self._searched = run.start() - start
                return None
            if len(run[0]) == length:
                return run.end()
        if ends or len(text) > limit:
            return start
        self._searched = len(text) - start
        return None

    def _pass_long_run(self, text: str) -> int:
        run = _RUN.match(text)
        end = run.end() if run else 0
        self._pass(text[:end])
        self._in_long_run = end == len(text)
        return end

    def _pass(self, text: str) -> None:
        if text:
            self._out.text(text)

"""The first line of what may be fenced code, held until it is sure to be one (CommonMark 0.31.2, section 4.5)."""

from __future__ import annotations

import re
from enum import Enum, auto

MAX_INFO = 512
"""Characters held of a first line; a longer one is text, the fence follows it."""

_LINE_END_OR_BACKTICK = re.compile(r"[\r\n`]")


class Outcome(Enum):
    OPEN = auto()
    """Not decided yet."""
    FENCE = auto()
    TEXT = auto()
    LONG = auto()
    """Too long to be held. What is held so far is text; the rest of the line decides."""


class FenceOpening:
    """Reads a line from its first backtick or tilde on."""

    def __init__(self, char: str) -> None:
        self.char = char
        self.run = 0
        """How many there are."""
        self.held = ""
        self.outcome = Outcome.OPEN
        self._in_run = True

    def read(self, text: str, at: int) -> int:
        """Take in some of `text` from `at` on; returns where the rest begins."""
        return self._read_run(text, at) if self._in_run else self._read_info(text, at)

    def end(self) -> None:
        """The document ends here."""
        self._end_run()
        if self.outcome is Outcome.OPEN:
            self.outcome = Outcome.FENCE

    def _read_run(self, text: str, at: int) -> int:
        end = run_end(text, at, self.char)
        self.run += end - at
        self.held += text[at:end]
        if end < len(text):
            self._end_run()
        return end

    def _end_run(self) -> None:
        self._in_run = False
        if self.run < 3:
            self.outcome = Outcome.TEXT
        elif self.char == "~":
            self.outcome = Outcome.FENCE

    def _read_info(self, text: str, at: int) -> int:
        """What follows backticks. A line end makes the line a fence, one more backtick makes it text."""
        limit = at + MAX_INFO + self.run - len(self.held)
        found = _LINE_END_OR_BACKTICK.search(text, at, limit)
        end = found.start() if found else min(len(text), limit)
        self.held += text[at:end]
        if found:
            self.outcome = Outcome.TEXT if found[0] == "`" else Outcome.FENCE
        elif end == limit:
            self.outcome = Outcome.LONG
        return end


def run_end(text: str, at: int, char: str) -> int:
    """Where a run of `char` that begins at `at` ends."""
    while text.startswith(char, at):
        at += 1
    return at

"""Leaves no debris where a marker was removed, and lets nothing grow together over the place.

What would have to go with a marker is held back: spaces, opening round brackets and emphasis before it, spaces,
separators and closing counterparts after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from app.core.markup import gaps
from app.core.markup.events import Line, Written
from app.core.markup.joints import Joints


class _Run(Enum):
    """What the markers in a row have left, up to here."""

    NOTHING = auto()
    MARKER = auto()


class Tidy:
    """Writes text and markers; see the module."""

    def __init__(self, out: Written) -> None:
        self._out = out
        self._joints = Joints()
        self._tail = ""
        self._run: _Run | None = None
        self._gap = ""
        """What came after the last marker, as long as another may follow that belongs to it."""
        self._closers = ""
        self._bereft = False
        """Whether a marker of the row was removed."""
        self._previous = 0
        self._line_has_words = False
        """Whether text of this line is written that no removal takes along."""
        self._space_is_doubled = False
        """Whether something was cut out right after a space."""

    @property
    def idle(self) -> bool:
        return self._run is None and self._line_has_words and self._joints.idle and not self._space_is_doubled

    @property
    def line_may_be_empty(self) -> bool:
        return not self._line_has_words and gaps.joins(self._gap)

    def text(self, text: str) -> None:
        at = int(self._space_is_doubled and text.startswith(" "))
        self._space_is_doubled = False
        while self._run is not None and at < len(text):
            if self._absorbs(text[at]):
                at += 1
            else:
                self._end_run(text[at])
        if at < len(text):
            self.plain(text[at:])

    def pass_plain(self, text: str) -> str:
        """What leaves at once of text without special characters, when the scanner is idle."""
        text, self._tail = gaps.split_tail(self._tail + text)
        if text:
            self._joints.last = text[-1]
        return text

    def plain(self, text: str) -> None:
        """Write text outside a row of markers. What may have to go with the next one waits."""
        is_escape = len(text) == 2 and text[0] == "\\"
        text = self._tail + text
        text, self._tail = (text, "") if is_escape else gaps.split_tail(text)
        self._write(text)

    def _write(self, text: str) -> None:
        if text:
            self._line_has_words = self._line_has_words or gaps.has_words(text)
            self._out.text(self._joints.before(text) + text)
            self._joints.after(text)

    def verbatim(self, text: str) -> None:
        self._settle(text[:1])
        if guard := self._joints.before(text):
            self._out.text(guard)
        self._line_has_words = True
        self._out.verbatim(text)
        self._joints.after_opaque(text)

    def tag(self, text: str) -> None:
        self._settle("<")
        self._line_has_words = True
        self._out.tag(text)
        self._joints.after_opaque(text)

    def cut(self, *, apart: bool = False) -> None:
        if self._run is _Run.MARKER and gaps.joins(self._gap):
            self._space_is_doubled = self._gap.endswith(" ")
            self._joints.cut(apart=apart)
            return
        if self._run is not None:
            self._end_run("")
        doubled = self._space_is_doubled or self._tail.endswith(" ")
        doubled = doubled or (not self._tail and self._out.line_is_empty)
        self._settle("")
        self._space_is_doubled = doubled
        self._joints.cut(apart=apart)
        self._out.gap()

    def superscript(self, text: str) -> None:
        before = self._before()
        follows_marker = self._run is not None and not self._gap
        if not follows_marker and (before.isalnum() or before == ")"):
            self._settle("<")
            self._out.tag("<sup>")
            self._out.text(text)
            self._out.tag("</sup>")
            self._joints.after_opaque(">")
        else:
            self.removed()

    def _before(self) -> str:
        """The last character, if what waits were written now."""
        tail, gap = self._tail, self._gap
        if self._run is _Run.NOTHING:
            tail, gap = self._without_debris(tail, gap)
        return (self._joints.last + tail + self._closers + gap)[-1]

    def divide(self) -> None:
        self._settle("|")
        self._out.divide()

    def line(self, line: Line) -> None:
        self._settle("\n")
        if line.continues and (guard := self._joints.before("\n")):
            self._out.text(guard)
        self._joints.line(continues=line.continues)
        self._line_has_words = False
        self._out.line(line)

    def flush(self) -> None:
        self._settle("")

    def _settle(self, next_char: str) -> None:
        self._space_is_doubled = False
        if self._run is not None:
            self._end_run(next_char)
        tail, self._tail = self._tail, ""
        self._write(tail)

    # Markers in a row.

    def marker(self, numbers: Sequence[int]) -> None:
        self._end_row_unless_joined()
        if self._run is _Run.MARKER:
            if not self._gap and numbers[0] == self._previous:
                numbers = numbers[1:]
            gap = self._gap if numbers else ""
        else:
            keeps_apart = self._gap.startswith(" ") and not self._tail and not self._out.line_is_empty
            gap = self._tail + self._closers + " " * keeps_apart
        self._tail = self._gap = self._closers = ""
        if self._bereft:
            self._joints.removed()
        self._write(gap or (self._joints.before_marker() if numbers else ""))
        self._run = _Run.MARKER
        self._bereft = False
        for number in numbers:
            self._out.marker(number)
            self._previous = number
            self._joints.after("]")

    def removed(self) -> None:
        self._end_row_unless_joined()
        self._run = self._run or _Run.NOTHING
        self._gap = ""
        self._bereft = True
        self._out.gap()

    def _end_row_unless_joined(self) -> None:
        if self._run is not None and (self._closers or not gaps.joins(self._gap)):
            self._end_run("[")

    def _absorbs(self, char: str) -> bool:
        """Whether the row of markers may go on after `char`, which then waits or is gone."""
        if self._run is _Run.NOTHING and self._closes(char):
            return True
        if self._closers or not gaps.may_join(self._gap + char):
            return False
        self._gap += char
        return True

    def _closes(self, char: str) -> bool:
        """Whether `char` closes what opened right before the markers: then both go."""
        shorter = gaps.without_bracket(self._tail, char)
        if shorter is not None and gaps.is_loose(self._gap) and not self._closers:
            self._tail, self._gap = shorter, ""
            return True
        run = gaps.emphasis_at_end(self._tail)
        if not run.startswith(char) or self._gap.strip(" "):
            return False
        self._closers += char
        if len(self._closers) == len(run):
            self._tail = self._tail[: -len(run)]
            self._closers = self._gap = ""
        return True

    def _end_run(self, next_char: str) -> None:
        tail, gap = self._tail, self._gap
        if self._run is _Run.NOTHING:
            tail, gap = self._without_debris(tail, gap)
        if self._bereft:
            gap = gaps.without_space_before(next_char, gap)
        closers = self._closers
        self._run, self._tail, self._gap, self._closers = None, "", "", ""
        self._write(tail)
        if self._bereft:
            self._joints.removed()
        self._bereft = False
        if closers + gap:
            self.plain(closers + gap)

    def _without_debris(self, tail: str, gap: str) -> tuple[str, str]:
        """What stays of the text around markers that are all gone."""
        if self._joints.in_angle:
            return tail, gap
        if tail.endswith(" "):
            tail = tail[:-1]
            doubled = tail.endswith(" ") or (not tail and self._out.line_is_empty)
            return tail, gap.lstrip(" ") if doubled else gap
        if tail or self._out.line_is_empty:
            return tail, gaps.strip_left(gap)
        return tail, gap

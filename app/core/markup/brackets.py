"""Brackets in Markdown text: which are citation markers, which are labels of links, and what becomes of both.

Every bracket is held until it is decided, at most 64 characters long; then it is text, or, when it could still be
a marker, swallowed as far as it goes on like one.
"""

from __future__ import annotations

from collections.abc import Callable

from app.core.links import Links
from app.core.markup.closed import Closed
from app.core.markup.endings import Ending
from app.core.markup.events import Citations, Findings, Line
from app.core.markup.frames import MAX_MARKER, Frame, Output, Sink
from app.core.markup.lexemes import FOREIGN_CLOSING, FOREIGN_OPENING, Lexeme, lexeme_at, next_special
from app.core.markup.markers import compare
from app.core.markup.signs import is_marker_character


class BracketScanner:
    """Finds the markers in text, and the links, in one pass over the characters."""

    def __init__(self, out: Citations, source_count: int, links: Links, findings: Findings) -> None:
        self._output = Output(out, findings)
        self._source_count = source_count
        self._state: Callable[[Lexeme], None] = self._normal
        self._ending = Ending(self, links, findings)
        """What is known of the bracket that closed last, while it waits for what follows."""
        self._rest = ""
        """The beginning of a lexeme that is not complete."""
        self._frames: list[Frame] = []
        self._count = 0
        self._depth = 0
        self._foreign = ""
        self._long_label_begins_line = False
        self._open_labels = 0
        """Brackets of the paragraph that were too long to be held and are not closed."""

    @property
    def idle(self) -> bool:
        """Whether text without special characters passes at once."""
        return not (self._rest or self._frames or self._ending.waits) and self._state == self._normal

    @property
    def sink(self) -> Sink:
        return self._frames[-1] if self._frames else self._output

    # What comes in.

    def text(self, text: str) -> None:
        text = self._rest + text
        self._rest = ""
        self.read(text, ends=False)

    def read(self, text: str, *, ends: bool) -> None:
        """Read text; `ends` when a lexeme can't reach over its end."""
        at = 0
        while at < len(text):
            if self.idle:
                at = self._pass_plain(text, at)
                if at == len(text):
                    return
            lexeme = lexeme_at(text, at, ends=ends)
            if lexeme is None:
                self._rest = text[at:]
                return
            if not self._ending.read(lexeme):
                self._state(lexeme)
            at += len(lexeme.raw)

    def _pass_plain(self, text: str, at: int) -> int:
        end = next_special(text, at)
        if end > at:
            self._output.text(text[at:end])
        return end

    def line(self, line: Line) -> None:
        if not line.continues:
            self.flush()
            self._output.line(line)
            return
        self._interrupt(line_ends=True)
        self.sink.line(line)
        self._advance(1)

    def verbatim(self, text: str) -> None:
        if self._interrupt():
            self.sink.verbatim(text)
            self._advance(len(text))

    def tag(self, text: str) -> None:
        if self._interrupt():
            self.sink.tag(text)
            self._advance(len(text))

    def target(self, url: str) -> bool:
        if self._rest or not self._ending.take_target(url):
            return False
        self._advance(len(url))
        return True

    def cut(self, *, apart: bool = False) -> None:
        if self._interrupt():
            self.sink.cut(apart=apart)

    def superscript(self, text: str) -> None:
        if self._interrupt():
            self.sink.superscript(text)
            self._advance(len(text))

    def divide(self) -> None:
        self.flush()
        self._output.divide()

    def _interrupt(self, *, line_ends: bool = False) -> bool:
        """Something that is not text comes. False when it belongs to a line that is skipped."""
        rest, self._rest = self._rest, ""
        self.read(rest, ends=True)
        if self._state == self._foreign_id:
            self._end_foreign()
        elif self._state == self._discard and not line_ends:
            self._state = self._normal
        return self._ending.interrupt(line_ends=line_ends)

    def flush(self) -> None:
        """The end of a paragraph, of a cell or of all."""
        self._interrupt(line_ends=True)
        self._state = self._normal
        while self._frames:
            frame = self._frames.pop()
            if frame.is_unfinished_marker:
                self.sink.marker(compare([], 0, "unfinished", frame.raw))
            else:
                self.release(frame)
        self._open_labels = 0

    # Frames.

    def _normal(self, lexeme: Lexeme) -> None:
        if lexeme.opens:
            self._open(lexeme)
        elif lexeme.closes:
            self._close(lexeme)
        elif lexeme.raw == FOREIGN_OPENING:
            self._foreign = lexeme.raw
            self._state = self._foreign_id
        elif lexeme.raw == FOREIGN_CLOSING:
            self.sink.cut()
        elif self._frames:
            self._frames[-1].read(lexeme)
        else:
            self._output.text(lexeme.raw)
        self._advance(len(lexeme.raw))

    def _open(self, lexeme: Lexeme) -> None:
        self._frames.append(Frame(lexeme, self._count, self.sink.line_may_be_empty))
        self._long_label_begins_line = False

    def _close(self, lexeme: Lexeme) -> None:
        if not self._frames:
            self._close_released(lexeme)
            return
        frame = self._frames[-1]
        if marker := frame.close(lexeme, self._source_count):
            self._ending.begin(Closed(self._frames.pop(), marker, frame.begins_line))
        elif frame.would_become_marker:
            frame.cut()
        elif lexeme.raw != "]":
            frame.read(lexeme)
        elif not frame.is_label:
            self.release(self._frames.pop())
            self._close(lexeme)
        else:
            self._ending.begin(Closed(self._frames.pop(), None, frame.begins_line))

    def _close_released(self, lexeme: Lexeme) -> None:
        if lexeme.raw == "]" and self._open_labels:
            self._open_labels -= 1
            self._ending.begin(Closed(begins_line=self._long_label_begins_line))
        else:
            self._output.text(lexeme.raw)
        self._long_label_begins_line = False

    def release(self, frame: Frame) -> None:
        """The frame, just popped, is text."""
        self._ending.pass_opener(frame)
        frame.replay(self.sink)

    # Brackets that are too long to be held.

    def _advance(self, length: int) -> None:
        self._count += length
        while self._frames and self._count - self._frames[0].begin >= MAX_MARKER:
            self._overflow(self._frames[0])

    def _overflow(self, outermost: Frame) -> None:
        inner, self._frames = self._frames[1:], []
        may_go_on = all(frame.reading.viable for frame in inner)
        if outermost.is_unfinished_marker or (outermost.is_row_of_markers and may_go_on):
            self._output.marker(outermost.cut_short(self._source_count))
            if may_go_on:
                self._depth = 1 + len(inner)
                self._state = self._discard
                return
        else:
            self._release_long(outermost, begins_line=outermost.begins_line and not inner)
        self._frames = inner

    def _release_long(self, outermost: Frame, *, begins_line: bool) -> None:
        self._long_label_begins_line = begins_line
        self._open_labels += outermost.is_label and not outermost.bereft
        if outermost.bereft:
            self._output.cut()
        else:
            self._ending.pass_opener(outermost, long=True)
        outermost.replay(self._output)

    def _discard(self, lexeme: Lexeme) -> None:
        """Swallow what a marker that is too long goes on with."""
        self._depth += lexeme.opens - lexeme.closes
        if lexeme.closes and not self._depth:
            self._state = self._normal
            self._ending.begin(Closed(is_discarded=True))
        elif not (lexeme.opens or lexeme.closes or is_marker_character(lexeme.char)):
            self._state = self._normal
            self._normal(lexeme)

    # Citations in the private-use characters of another system.

    def _foreign_id(self, lexeme: Lexeme) -> None:
        if lexeme.raw == FOREIGN_CLOSING:
            self._end_foreign()
        elif lexeme.raw.isalnum() or "\ue202" <= lexeme.raw <= "\ue20f" or lexeme.raw in "_-:,.":
            self._foreign = (self._foreign + lexeme.raw)[:MAX_MARKER]
        else:
            self._end_foreign()
            self._normal(lexeme)

    def _end_foreign(self) -> None:
        self._state = self._normal
        self.sink.marker(compare([], 0, "foreign", self._foreign))

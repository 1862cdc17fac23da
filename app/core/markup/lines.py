"""Writes lines so that each is to a reader of the output what it was to the filter, whatever was removed from it.

A line that held nothing but what was removed goes. Where its going, or the going of its first words, would change
what it or its neighbours are, an invisible character (U+200B) keeps its place.
"""

from __future__ import annotations

from app.core.links import Links
from app.core.markup import html_tags
from app.core.markup.containers import begins_block, end_of_start, is_margin
from app.core.markup.events import Kind, Line
from app.core.markup.joints import ZERO_WIDTH_SPACE
from app.core.model import Marker

MAX_START = 32


class LineWriter:
    def __init__(self, links: Links) -> None:
        self._links = links
        self._out: list[str] = []
        self.last = ""
        """The last character written."""
        self.markers: list[Marker] = []
        self._length = 0
        """Characters written."""
        self._line: Line | None = None
        """The line that has begun, until something of it is written."""
        self._bereft = False
        """Whether something was removed from it before that."""
        self._is_joined = False
        """Whether it goes on with the text of the next, nothing having been removed from that."""
        self._start = ""
        """Its text so far, until it is sure that it begins no block."""
        self._tag = ""
        """An HTML tag that begins it, until it is sure not to be alone on it."""
        self._newline_is_gone = False
        """Whether the first line of all went, and the line end after it with it."""
        self._waiting: list[Line] = []
        """A line that is empty now and opened containers, and the blank ones after it."""

    @property
    def line_is_empty(self) -> bool:
        """Whether nothing of the line has come."""
        return self._line is not None and not (self._start or self._tag)

    @property
    def idle(self) -> bool:
        return self._line is None

    def take(self) -> str:
        text = "".join(self._out)
        self._out.clear()
        return text

    # What comes in.

    def text(self, text: str) -> None:
        if self._line is None:
            self._write(text)
        elif self._tag and text.isspace():
            self._tag += text
        elif self._tag:
            self._begin(text)
        else:
            self._start += text
            self._decide(ends=False)

    def verbatim(self, text: str) -> None:
        self._decide(follows=True)
        if self._line is not None:
            self._begin(text, guarded=self._bereft and text.startswith(("```", "~~~")))
        else:
            self._write(text)

    def tag(self, text: str) -> None:
        self._decide(follows=True)
        if self._line is None:
            self._write(text)
        elif self._tag:
            self._begin(text)
        else:
            self._tag = text

    def marker(self, number: int) -> None:
        text = self._links.render(number)
        self._decide(follows=True)
        would_load = self._line is None and self.last == "!" and text.endswith(")")
        self.verbatim(" " + text if would_load else text)
        self.markers.append(Marker(number, self._length - len(text), self._length))

    def gap(self) -> None:
        """Something was removed here."""
        self._bereft = self._bereft or self._line is not None
        self._is_joined = False

    def divide(self) -> None:
        """Cells need nothing of their own."""

    def line(self, line: Line) -> None:
        self._end_line(line)
        if self._line is not None:
            self._is_joined = True
            return  # its text goes on with that of a line that is still empty
        if self._waiting and line.kind is not Kind.BLANK:
            self._settle_waiting(line)
        self._line = line._replace(newline="") if self._newline_is_gone else line
        self._newline_is_gone = self._bereft = self._is_joined = False

    def flush(self) -> None:
        self._end_line(None)
        if self._waiting:
            self._settle_waiting(None)

    # The start of a line.

    def _decide(self, *, ends: bool = False, follows: bool = False) -> None:
        """Write the start of the line if it is clear what it is: the line `ends`, or something `follows`."""
        start = self._start
        if self._line is None or not start:
            return
        lacks_cell = start[0] == "|" and not self._is_joined
        begins = lacks_cell or _begins_block(start, ends=ends, follows=follows)
        begins_html = _begins_html(start, ends=ends, follows=follows)
        if begins is None or begins_html is None:
            return
        self._start = ""
        self._begin("&lt;" + start[1:] if begins_html else start, guarded=begins and self._bereft)

    def _begin(self, text: str, *, guarded: bool = False) -> None:
        begun = _raw(self._line) if self._line else ""
        tag, self._tag = self._tag, ""
        self._line = None
        self._bereft = False
        self._write(begun + ZERO_WIDTH_SPACE * guarded + tag + text)

    def _write(self, text: str) -> None:
        if text:
            self._out.append(text)
            self.passed(text)

    def passed(self, text: str) -> None:
        """Some text leaves, written here or past this."""
        self._length += len(text)
        self.last = text[-1]

    # The end of a line of which nothing was written.

    def _end_line(self, following: Line | None) -> None:
        self._decide(ends=True)
        if self._line is None:
            return
        if self._tag and self._line.continues and not self._line.lazy:
            self._begin("")
        elif self._tag and not self._bereft:
            self._begin("", guarded=True)
        elif self._bereft:
            self._tag = ""
            self._drop(self._line, following)
        elif self._waiting:
            self._waiting.append(self._line)
            self._line = None
        else:
            self._begin("")

    def _drop(self, line: Line, following: Line | None) -> None:
        if following and following.continues:
            return
        self._line = None
        if line.opened:
            self._waiting = [line]
        elif line.closed or (following and following.kind is Kind.RULE):
            self._write(_raw(line) + ZERO_WIDTH_SPACE)
        elif line.kind is Kind.HEADING:
            self._write(line.newline + line.outer)
        elif following is None:
            self._write(line.newline)
        else:
            self._newline_is_gone = not line.newline

    def _settle_waiting(self, following: Line | None) -> None:
        """What opened containers goes with them, unless `following` still belongs there."""
        emptied, *blank = self._waiting
        self._waiting = []
        if following is None:
            self._write(emptied.newline)
        else:
            inside = following.matched > emptied.matched or (following.marks + following.indent)[:1].isspace()
            self._write(_raw(emptied) + ZERO_WIDTH_SPACE if inside else emptied.newline + emptied.outer)
            self._newline_is_gone = not (inside or emptied.newline or blank)
        for line in blank:
            self._write(line.raw)


def _raw(line: Line) -> str:
    """The margin of a line, behind a blank line where an HTML block would have kept it apart."""
    return line.newline + line.outer + line.raw if line.apart else line.raw


def _begins_block(start: str, *, ends: bool, follows: bool) -> bool | None:
    """Whether text would be a block of its own if it began a line with `start`; None when not sure yet."""
    end = end_of_start("", start, 0)
    if start[0] in " \t":
        return True
    if end == len(start):
        sure = ends or follows or end > MAX_START
        return begins_block(start, ends=ends) or end > MAX_START if sure else None
    if start[end] in "`~" and is_margin(start[:end]):
        run = len(start) - end - len(start[end:].lstrip(start[end]))
        return None if run < 3 and end + run == len(start) and not (ends or follows) else run >= 3
    return begins_block(start[:end], ends=False)


def _begins_html(start: str, *, ends: bool, follows: bool) -> bool | None:
    """Whether a line that began with `start` would be raw HTML; None when not sure yet."""
    if start[0] != "<":
        return False
    begins = html_tags.begins_block(start)
    if begins is None and (ends or follows):
        return ends and html_tags.begins_block(start + "\n") is True
    return begins

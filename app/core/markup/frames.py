"""An opening bracket with what came after it, held until it is known what it is."""

from __future__ import annotations

import re
from typing import Protocol

from app.core.markup import gaps
from app.core.markup.events import Citations, Findings, Line
from app.core.markup.grammar import Reading
from app.core.markup.lexemes import Lexeme, seen
from app.core.markup.markers import Marker, compare

MARKER = "\ufffc"
MAX_MARKER = 64
"""Characters of a marker, and of the label of a link that loses its brackets."""

_LOOSE = re.compile(rf"[()（）*_~]|(?<![a-z])(?:{'|'.join(gaps.JOINING_WORDS)})(?![a-z])")
"""What a removal may take along, besides spaces."""


class Sink(Protocol):
    """Where decided text goes: out, or into the bracket around it."""

    @property
    def line_may_be_empty(self) -> bool: ...

    def text(self, text: str) -> None: ...

    def verbatim(self, text: str) -> None: ...

    def tag(self, text: str) -> None: ...

    def cut(self, *, apart: bool = False) -> None: ...

    def superscript(self, text: str) -> None: ...

    def line(self, line: Line) -> None: ...

    def note_link(self) -> None:
        """A link stands here: no other reaches around it."""

    def marker(self, marker: Marker) -> None: ...


class Frame:
    """One opening bracket. As a sink it keeps what it is given for `replay`."""

    def __init__(self, opener: Lexeme, begin: int, line_may_be_empty: bool) -> None:
        self.opener = opener
        self.begin = begin
        """Characters read before it."""
        self.begins_line = line_may_be_empty and opener.raw != "!["
        """Whether it may stand first in its line."""
        self.line_may_be_empty = line_may_be_empty
        """Whether what comes next may, which includes that the bracket itself goes."""
        self.reading = Reading()
        self.shown = ""
        """What a reader would see inside; a marker as one character."""
        self.bereft = False
        """Whether something inside was removed."""
        self.holds_link = False
        self._pieces: list[tuple[str, str | Line | Marker | bool]] = []

    @property
    def is_label(self) -> bool:
        """Whether it can be the label of a link."""
        return self.opener.raw in ("[", "![")

    @property
    def raw(self) -> str:
        return self.opener.raw + self.shown

    def close(self, lexeme: Lexeme, source_count: int) -> Marker | None:
        """The marker that the frame is with `lexeme` at its end; None when it is none."""
        members = self.reading.close(foreign_ids=self.has_foreign_ids)
        if members is None:
            return None
        return compare(members, source_count, self.reading.form, (self.raw + lexeme.raw)[:MAX_MARKER])

    def cut_short(self, source_count: int) -> Marker:
        """The marker that the frame is as far as its members are decided."""
        return compare(self.reading.decided, source_count, "unfinished", self.raw[:MAX_MARKER])

    @property
    def is_unfinished_marker(self) -> bool:
        readings = (self.reading, *self._readings_of_rest())
        return any(reading.viable and reading.has_digits for reading in readings)

    @property
    def is_row_of_markers(self) -> bool:
        """Whether nothing but markers is in it, and what may stand between them."""
        return self.reading.viable and self.reading.has_number

    @property
    def would_become_marker(self) -> bool:
        """Whether what is left inside after a removal reads as a marker now."""
        readings = self._readings_of_rest()
        return any(reading.close(foreign_ids=self.has_foreign_ids) is not None for reading in readings)

    @property
    def has_foreign_ids(self) -> bool:
        """Whether `4:0` inside is an id of another system, not a ratio."""
        return self.opener.char != "["

    def _readings_of_rest(self) -> list[Reading]:
        """Inside as it may be after a removal."""
        if not self.bereft:
            return []
        bare = _LOOSE.sub("", self.shown)
        readings = [Reading(), Reading(), Reading()]
        for reading, text in zip(readings, (self.shown, bare, bare.replace(" ", "")), strict=True):
            for char in text:
                if char == MARKER:
                    reading.read_item([(1, 1)])
                else:
                    reading.read(char)
        return readings

    def read(self, lexeme: Lexeme) -> None:
        self.reading.read(lexeme.char)
        self.shown += lexeme.char
        self.line_may_be_empty = self.line_may_be_empty and not gaps.has_words(lexeme.raw)
        self._pieces.append(("text", lexeme.raw))

    def text(self, text: str) -> None:
        self._add_opaque("text", text, seen(text))

    def verbatim(self, text: str) -> None:
        self._add_opaque("verbatim", text, "x")

    def tag(self, text: str) -> None:
        self.line_may_be_empty = False
        self._pieces.append(("tag", text))

    def cut(self, *, apart: bool = False) -> None:
        self.bereft = True
        if apart:
            self.reading.read(" ")
            self.shown += " "
        self._pieces.append(("cut", apart))

    def superscript(self, text: str) -> None:
        for char in text:
            self.reading.read(char)
        self.shown += text
        self._pieces.append(("text", text))

    def line(self, line: Line) -> None:
        self.reading.read(" ")
        self.shown += " "
        self.line_may_be_empty = True
        self._pieces.append(("line", line))

    def note_link(self) -> None:
        self.holds_link = True

    def marker(self, marker: Marker) -> None:
        self.reading.read_item(list(marker.members))
        self.bereft |= not marker.numbers
        self.shown += MARKER if marker.numbers else ""
        self._pieces.append(("marker", marker))

    def _add_opaque(self, kind: str, text: str, shown: str) -> None:
        self.reading.viable = self.line_may_be_empty = False
        self.shown += shown
        self._pieces.append((kind, text))

    def replay(self, sink: Sink) -> None:
        if self.holds_link:
            sink.note_link()
        for kind, value in self._pieces:
            if kind == "cut":
                sink.cut(apart=bool(value))
            else:
                getattr(sink, kind)(value)


class Output:
    """The sink outside all brackets: counts the markers that reach it."""

    def __init__(self, out: Citations, findings: Findings) -> None:
        self._out = out
        self._findings = findings

    @property
    def line_may_be_empty(self) -> bool:
        return self._out.line_may_be_empty

    def text(self, text: str) -> None:
        self._out.text(text)

    def verbatim(self, text: str) -> None:
        self._out.verbatim(text)

    def tag(self, text: str) -> None:
        self._out.tag(text)

    def cut(self, *, apart: bool = False) -> None:
        self._out.cut(apart=apart)

    def superscript(self, text: str) -> None:
        self._out.superscript(text)

    def divide(self) -> None:
        self._out.divide()

    def line(self, line: Line) -> None:
        self._out.line(line)

    def note_link(self) -> None:
        """Nothing reaches around it here."""

    def marker(self, marker: Marker) -> None:
        self._findings.dropped += marker.invented
        self._findings.forms += [marker.form] * len(marker.invented)
        if not marker.numbers:
            self._out.removed()
            return
        self._findings.valid.update(marker.numbers)
        self._out.marker(marker.numbers)

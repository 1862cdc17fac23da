"""What follows a bracket that is closed: a link's target, the colon of a definition, or neither."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from app.core.links import Links
from app.core.markup.events import Findings
from app.core.markup.frames import MARKER, Frame, Sink
from app.core.markup.lexemes import CLOSING, OPENING, Lexeme, fold
from app.core.markup.markers import Marker, compare
from app.core.markup.targets import DefinitionReader, Status, TargetReader, is_word, resembles_url

_NOT_IN_LABEL = re.compile("[" + re.escape(OPENING + CLOSING) + "]|://|www\\.", re.IGNORECASE)
_BRACKET = re.compile("[" + re.escape(OPENING + CLOSING) + f"]|{MARKER}:")


class Host(Protocol):
    """The scanner of the brackets."""

    @property
    def sink(self) -> Sink: ...

    def release(self, frame: Frame) -> None: ...

    def read(self, text: str, *, ends: bool) -> None: ...


class Ending:
    """One closed bracket at a time: its frame, unless it was too long to be held, and its marker, if it is one."""

    def __init__(self, host: Host, links: Links, findings: Findings) -> None:
        self._host = host
        self._links = links
        self._findings = findings
        self._state: Callable[[Lexeme], bool] | None = None
        self._frame: Frame | None = None
        self._marker: Marker | None = None
        self._discarded = False
        self._begins_line = False
        self._target = TargetReader()
        self._definition = DefinitionReader()
        self._has_image_reference = self._has_definition = False

    @property
    def waits(self) -> bool:
        return self._state is not None

    def begin(self, frame: Frame | None, marker: Marker | None, *, begins_line: bool) -> None:
        self._frame = frame
        self._marker = marker
        self._begins_line = begins_line
        self._discarded = False
        self._state = self._after

    def begin_after_discarded(self) -> None:
        """The bracket was a marker too long to be held; only its target is still to go."""
        self.begin(None, None, begins_line=False)
        self._discarded = True

    def read(self, lexeme: Lexeme) -> bool:
        """Whether the lexeme belonged to the ending."""
        return self._state is not None and self._state(lexeme)

    def interrupt(self, *, line_ends: bool) -> bool:
        """Something that is not text comes. False when it belongs to a line that is skipped."""
        while self._state is not None:
            if self._state == self._skip_line and not line_ends:
                return False
            self._leave(line_ends=line_ends)
        return True

    def _leave(self, *, line_ends: bool) -> None:
        state, self._state = self._state, None
        if state == self._after:
            self._settle()
        elif state == self._in_target:
            if line_ends and resembles_url(self._target.url):
                self._unlink()
            else:
                self._end_target(Status.UNCLEAR)
        elif state == self._in_definition:
            self._end_definition(ends=line_ends)

    def _after(self, lexeme: Lexeme) -> bool:
        self._state = None
        if lexeme.raw == "(":
            self._target = TargetReader()
            self._state = self._in_target
        elif lexeme.raw == ":" and self._begins_line:
            self._definition = DefinitionReader()
            self._state = self._in_definition
        else:
            self._settle()
        return self._state is not None

    def _settle(self) -> None:
        """Nothing follows that belongs to the bracket."""
        if self._marker:
            self._emit_marker(self._marker)
        elif not self._discarded:
            if self._frame:
                self._host.release(self._frame)
            self._host.sink.text("]")

    def _emit_marker(self, marker: Marker) -> None:
        if self._frame and self._frame.opener.raw == "![":
            self._host.sink.text("!")
        self._host.sink.marker(marker)

    # Targets.

    def _in_target(self, lexeme: Lexeme) -> bool:
        status = self._target.read(lexeme)
        if status is Status.COMPLETE:
            self._state = None
            self._link(self._target.url)
        elif status is not Status.OPEN:
            self._state = None
            self._end_target(status)
        return True

    def _end_target(self, status: Status) -> None:
        """It is no target. Where another reader could differ, an escape makes it none for anyone."""
        self._settle()
        bracket = "\\(" if status is Status.UNCLEAR else "("
        self._host.read(bracket + self._target.raw, ends=True)

    def _link(self, url: str) -> None:
        number = self._links.source_of(url)
        if self._marker or self._discarded:
            self._settle()
            self._host.sink.cut()
        elif number is not None and not (self._is_image and self._links.may_load(url)):
            self._cite(number, url)
        elif self._links.may_link(url) and self._label_may_be_live:
            self._pass_link(url)
        elif is_word(url) and self._label_may_be_live and not self._is_image:
            self._host.sink.note_link()
            self._end_target(Status.NONE)
        elif self._links.may_link(url) or resembles_url(url) or not url or self._is_image:
            self._unlink(alive=self._links.may_link(url))
        else:
            self._end_target(Status.UNCLEAR)

    @property
    def _is_image(self) -> bool:
        return self._frame is not None and self._frame.opener.raw == "!["

    @property
    def _label_may_be_live(self) -> bool:
        """Whether a reader sees a label, and nothing in it that is live by itself or a bracket once it is."""
        if self._frame is None:
            return True
        seen = "".join(map(fold, self._frame.shown)).strip()
        holds_link = self._frame.holds_link or (MARKER in self._frame.shown and self._links.style == "links")
        return bool(seen) and not holds_link and not _NOT_IN_LABEL.search(self._frame.shown)

    def _pass_link(self, url: str) -> None:
        loads = self._is_image and self._links.may_load(url)
        sink = self._host.sink
        if self._frame:
            if self._is_image and not loads:
                sink.cut()
            sink.text("![" if loads else "[")
            self._frame.replay(sink)
        sink.note_link()
        sink.verbatim(f"]({self._links.resolve(url)})")

    def _unlink(self, *, alive: bool = False) -> None:
        """Leave the label as text. `alive`: the URL may be a link, only not here."""
        self._findings.defanged += not (alive or self._marker or self._discarded)
        if self._marker or self._frame is None or _BRACKET.search(self._frame.shown):
            self._settle()
        else:
            self._host.sink.cut()
            self._frame.replay(self._host.sink)
        self._host.sink.cut()

    def _cite(self, number: int, url: str) -> None:
        """A link to the document of a source is a citation of it, after the label."""
        sink = self._host.sink
        if self._frame is None:
            sink.text("] ")
        elif _BRACKET.search(self._frame.shown):
            self._settle()
            sink.text(" ")
        elif not self._is_named_after_source(self._frame.shown.strip(), number, url):
            sink.cut()
            self._frame.replay(sink)
            sink.text(" ")
        sink.marker(compare([(number, number)], number, "link", ""))
        if self._links.style == "markers":
            sink.cut()

    def _is_named_after_source(self, label: str, number: int, url: str) -> bool:
        return label in ("", url) or self._links.is_title(label, number)

    # Definitions.

    def _in_definition(self, lexeme: Lexeme) -> bool:
        status = self._definition.read(lexeme)
        if status is not Status.OPEN:
            self._state = None
            self._end_definition(ends=False)
        return True

    def _end_definition(self, *, ends: bool) -> None:
        """Drop the line, or pass what was read of it."""
        if self._is_dead_definition(ends=ends):
            self._findings.defanged += 1
            self._host.sink.cut()
            self._state = self._skip_line
            return
        self._settle()
        reader = self._definition
        if self._is_live_definition(ends=ends):
            self._has_definition = True
            self._host.sink.verbatim(f": {self._links.resolve(reader.url)}")
            self._state = self._skip_line
            return
        if self._marker:
            self._host.sink.cut()
        else:
            self._host.sink.text(":" if reader.is_prose and not ends else "\\:")
        self._host.read(reader.raw, ends=True)

    def _is_dead_definition(self, *, ends: bool) -> bool:
        url = self._definition.url
        if self._marker:
            is_footnote = self._frame is not None and self._frame.shown.lstrip().startswith("^")
            return is_footnote or resembles_url(url)
        defines = self._frame is not None and self._definition.defines(ends=ends)
        return defines and resembles_url(url) and not self._is_live_definition(ends=ends)

    def _is_live_definition(self, *, ends: bool) -> bool:
        known = self._links.may_link(self._definition.url) and not self._has_image_reference
        return known and not self._marker and self._definition.defines(ends=ends)

    def _skip_line(self, _: Lexeme) -> bool:
        return True

    def pass_opener(self, frame: Frame, *, long: bool = False) -> None:
        """Pass the bracket of a frame that is text. No image may come to life later on, by what follows."""
        opener = frame.opener.raw
        if opener == "![":
            self._has_image_reference = True
            if long or self._has_definition:
                self._host.sink.cut()
                opener = "["
        self._host.sink.text(opener)

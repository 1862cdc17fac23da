"""What follows a bracket that is closed: a link's target, the colon of a definition, or neither."""

from __future__ import annotations

from collections.abc import Callable

from app.core.links import Links
from app.core.markup.closed import Closed, Host
from app.core.markup.events import Findings
from app.core.markup.frames import Frame
from app.core.markup.lexemes import Lexeme
from app.core.markup.linking import Linking
from app.core.markup.targets import DefinitionReader, Status, TargetReader, resembles_url


class Ending:
    """Reads what comes after one closed bracket at a time."""

    def __init__(self, host: Host, links: Links, findings: Findings) -> None:
        self._host = host
        self._links = links
        self._findings = findings
        self._linking = Linking(host, links, findings)
        self._state: Callable[[Lexeme], bool] | None = None
        self._closed = Closed()
        self._target = TargetReader()
        self._definition = DefinitionReader()
        self._has_image_reference = self._has_definition = False

    @property
    def waits(self) -> bool:
        return self._state is not None

    def begin(self, closed: Closed) -> None:
        self._closed = closed
        self._state = self._after

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
            self._closed.settle(self._host)
        elif state == self._in_target:
            if line_ends and resembles_url(self._target.url):
                self._linking.unlink(self._closed)
            else:
                self._end_target(Status.UNCLEAR)
        elif state == self._in_definition:
            self._end_definition(ends=line_ends)

    def _after(self, lexeme: Lexeme) -> bool:
        self._state = None
        if lexeme.raw == "(":
            self._target = TargetReader()
            self._state = self._in_target
        elif lexeme.raw == ":" and self._closed.begins_line:
            self._definition = DefinitionReader()
            self._state = self._in_definition
        else:
            self._closed.settle(self._host)
        return self._state is not None

    # Targets.

    def take_target(self, url: str) -> bool:
        """Take in a URL that stands in angle brackets, where one may."""
        return self._state == self._in_target and self._target.take(url)

    def _in_target(self, lexeme: Lexeme) -> bool:
        status = self._target.read(lexeme)
        if status is not Status.OPEN:
            self._state = None
            self._end_target(status)
        return True

    def _end_target(self, status: Status) -> None:
        """Write a link, or text that is none. Where another reader could differ, an escape makes it none for anyone."""
        if status is Status.COMPLETE:
            status = self._linking.link(self._closed, self._target.url)
        if status is not Status.COMPLETE:
            self._closed.settle(self._host)
            bracket = "\\(" if status is Status.UNCLEAR else "("
            self._host.read(bracket + self._target.raw, ends=True)

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
        self._closed.settle(self._host)
        if self._is_live_definition(ends=ends):
            self._has_definition = True
            self._host.sink.verbatim(f": {self._links.resolve(self._definition.url)}")
            self._state = self._skip_line
            return
        if self._closed.marker:
            self._host.sink.cut()
        else:
            self._host.sink.text(":" if self._definition.is_prose and not ends else "\\:")
        self._host.read(self._definition.raw, ends=True)

    def _is_dead_definition(self, *, ends: bool) -> bool:
        url = self._definition.url
        if self._closed.marker:
            return self._closed.is_footnote or resembles_url(url)
        defines = self._closed.frame is not None and self._definition.defines(ends=ends)
        return defines and resembles_url(url) and not self._is_live_definition(ends=ends)

    def _is_live_definition(self, *, ends: bool) -> bool:
        known = self._links.may_link(self._definition.url) and not self._has_image_reference
        return known and not self._closed.marker and self._definition.defines(ends=ends)

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

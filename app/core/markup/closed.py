"""A bracket that is closed, while it waits for what follows."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from app.core.markup.frames import MARKER, Frame, Sink
from app.core.markup.lexemes import CLOSING, OPENING, fold
from app.core.markup.markers import Marker

_NOT_IN_LABEL = re.compile("[" + re.escape(OPENING + CLOSING) + "]|://|www\\.", re.IGNORECASE)
_BRACKET = re.compile("[" + re.escape(OPENING + CLOSING) + f"]|{MARKER}:")


class Host(Protocol):
    """The scanner of the brackets."""

    @property
    def sink(self) -> Sink: ...

    def release(self, frame: Frame) -> None: ...

    def read(self, text: str, *, ends: bool) -> None: ...


class Closed(NamedTuple):
    """One bracket. Without a frame it was too long to be held, and its inside is out already."""

    frame: Frame | None = None
    marker: Marker | None = None
    """What it is, if it is one."""
    begins_line: bool = False
    is_discarded: bool = False
    """It was a marker too long to be held; only its target is still to go."""

    @property
    def is_image(self) -> bool:
        return self.frame is not None and self.frame.opener.raw == "!["

    @property
    def is_footnote(self) -> bool:
        return self.frame is not None and self.frame.shown.lstrip().startswith("^")

    @property
    def is_citation(self) -> bool:
        return self.marker is not None or self.is_discarded

    @property
    def holds_bracket(self) -> bool:
        """Whether the inside alone could form a bracket with what stands around it."""
        return self.frame is not None and bool(_BRACKET.search(self.frame.shown))

    @property
    def holds_marker(self) -> bool:
        return self.frame is not None and MARKER in self.frame.shown

    @property
    def is_label(self) -> bool:
        """Whether a reader sees something in it, and nothing that is live by itself or a bracket once it is."""
        if self.frame is None:
            return True
        seen = "".join(map(fold, self.frame.shown)).strip()
        return bool(seen) and not self.frame.holds_link and not _NOT_IN_LABEL.search(self.frame.shown)

    def settle(self, host: Host) -> None:
        """Nothing follows that belongs to it."""
        if self.marker:
            if self.is_image:
                host.sink.text("!")
            host.sink.marker(self.marker)
        elif not self.is_discarded:
            if self.frame:
                host.release(self.frame)
            host.sink.text("]")

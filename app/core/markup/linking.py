"""What becomes of a link or image that the model wrote: live, a citation, or its label as text."""

from __future__ import annotations

from app.core.links import Links
from app.core.markup.closed import Closed, Host
from app.core.markup.events import Findings
from app.core.markup.frames import Frame
from app.core.markup.markers import compare
from app.core.markup.targets import Status, is_word, resembles_url


class Linking:
    """Writes links by the rules of `Links`."""

    def __init__(self, host: Host, links: Links, findings: Findings) -> None:
        self._host = host
        self._links = links
        self._findings = findings

    def link(self, closed: Closed, url: str) -> Status:
        """Write what `[closed](url)` becomes. Unless the status is `COMPLETE`, it is no link and unwritten."""
        number = self._links.source_of(url)
        may_link = self._links.may_link(url)
        if closed.is_citation:
            closed.settle(self._host)
            self._host.sink.cut()
        elif number is not None and not (closed.is_image and self._links.may_load(url)):
            self._cite(closed, number, url)
        elif may_link and self._may_be_label(closed):
            self._pass(closed, url)
        elif is_word(url) and self._may_be_label(closed) and not closed.is_image:
            self._host.sink.note_link()
            return Status.NONE
        elif may_link or resembles_url(url) or not url or closed.is_image:
            self.unlink(closed, alive=may_link)
        else:
            return Status.UNCLEAR
        return Status.COMPLETE

    def unlink(self, closed: Closed, *, alive: bool = False) -> None:
        """Leave the label as text. `alive`: the URL may be a link, only not here."""
        self._findings.defanged += not (alive or closed.is_citation)
        if closed.marker or closed.frame is None or closed.holds_bracket:
            closed.settle(self._host)
        else:
            self._host.sink.cut()
            closed.frame.replay(self._host.sink)
        self._host.sink.cut()

    def _may_be_label(self, closed: Closed) -> bool:
        return closed.is_label and not (closed.holds_marker and self._links.style == "links")

    def _pass(self, closed: Closed, url: str) -> None:
        sink = self._host.sink
        if closed.frame:
            loads = closed.is_image and self._links.may_load(url)
            if closed.is_image and not loads:
                sink.cut()
            sink.text("![" if loads else "[")
            closed.frame.replay(sink)
        sink.note_link()
        sink.verbatim(f"]({self._links.resolve(url)})")

    def _cite(self, closed: Closed, number: int, url: str) -> None:
        """A link to the document of a source is a citation of it, after the label."""
        sink = self._host.sink
        if closed.frame is None or closed.holds_bracket:
            closed.settle(self._host)
            sink.text(" ")
        elif not self._is_named_after_source(closed.frame, number, url):
            sink.cut()
            closed.frame.replay(sink)
            sink.text(" ")
        sink.marker(compare([(number, number)], number, "link", ""))
        if self._links.style == "markers":
            sink.cut()

    def _is_named_after_source(self, frame: Frame, number: int, url: str) -> bool:
        label = frame.shown.strip()
        return label in ("", url) or self._links.is_title(label, number)

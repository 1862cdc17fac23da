"""URLs that stand in text without brackets, which many readers make links of (GFM 0.29, section 6.9).

One that may not pass loses what makes it a URL: `https://host` becomes `https host`, `www.host` `www host`. Other
schemes are no links anywhere without brackets and stay.
"""

from __future__ import annotations

import re

from app.core.links import Links, trimmed
from app.core.markup.events import Findings, Line, Written

MAX_URL = 2048

_BEGIN = re.compile(r"(?:https?|ftp)(://)|(?<![A-Za-z0-9])www(\.)", re.IGNORECASE)
_MAY_BEGIN = re.compile(r"(?:(?:https?|ftp)(:/?)|(?<![A-Za-z0-9])(w{1,3}))\Z", re.IGNORECASE)
_PART = re.compile(r"[:/.Ww]")
"""Without any of these, text neither ends nor begins a separator."""
_CONTEXT = 6
"""Characters before it that tell what a separator separates."""
_URL = re.compile(r"[^ \t\n\r\f\v<]*")


class BareUrlScanner:
    """Passes everything on, but for the URLs that may not be live."""

    def __init__(self, out: Written, links: Links, findings: Findings) -> None:
        self._out = out
        self._links = links
        self._findings = findings
        self._before = ""
        """The end of the text passed on."""
        self._held = ""
        """From what may be the separator of a URL."""
        self._scheme = ""
        """What stands before the separator when a URL is held."""
        self._owed: tuple[int, ...] = ()
        """The sources whose URL has just passed: a citation of one is due, unless the model wrote it."""
        self._space = ""
        """White space after that URL."""
        self._after_url = False
        self._in_angle = False
        """Whether a `<` before is open: a space could then make a tag."""

    @property
    def idle(self) -> bool:
        return not (self._held or self._owed or self._after_url)

    @property
    def line_is_empty(self) -> bool:
        return self._out.line_is_empty and not self._held

    def text(self, text: str) -> None:
        while text:
            text = self._read(text)

    def pass_plain(self, text: str) -> None:
        """Take note of text that has left without special characters, while the scanner was idle."""
        self._before = (self._before + text)[-_CONTEXT:]

    def plain(self, text: str) -> None:
        """Text without any part of a separator."""
        self._after_url = False
        self._before = (self._before + text)[-_CONTEXT:]
        if "<" in text or ">" in text:
            self._in_angle = text.rfind("<") > text.rfind(">")
        self._out.text(text)

    def marker(self, number: int) -> None:
        self._end()
        if number in self._owed:
            self._owed = ()
            self.plain(self._space or " ")
            self._space = ""
        self._leave()
        self._out.marker(number)

    def verbatim(self, text: str) -> None:
        self._end()
        if text.startswith("<"):
            self._after_url = False
        self._leave()
        self._out.verbatim(text)

    def tag(self, text: str) -> None:
        self._close()
        self._out.tag(text)

    def gap(self) -> None:
        self._out.gap()

    def divide(self) -> None:
        self._close()
        self._out.divide()

    def line(self, line: Line) -> None:
        self._close()
        self._out.line(line)

    def flush(self) -> None:
        self._close()

    def _end(self) -> None:
        """No more text for what is held."""
        while self._scheme:
            rest = self._end_url()
            while rest:
                rest = self._read(rest)
        held, self._held = self._held, ""
        if held:
            self.plain(held)

    def _leave(self) -> None:
        """Something follows that a reader could take for a part of the URL before it."""
        self._pay()
        if self._after_url:
            self.plain(" ")
        self._after_url = False
        self._before = ""

    def _close(self) -> None:
        self._end()
        self._pay()
        self._after_url = False
        self._before = ""

    def _pay(self) -> None:
        if not self._owed:
            return
        self._out.text(" ")
        self._out.marker(self._owed[0])
        self._findings.valid.add(self._owed[0])
        self._owed = ()
        self._before, self._space = self._space, ""
        if self._before:
            self._out.text(self._before)

    # Each of these returns what of the text is left to read.

    def _read(self, text: str) -> str:
        if self._owed:
            return self._read_after_source(text)
        return self._extend_url(text) if self._scheme else self._find_url(text)

    def _read_after_source(self, text: str) -> str:
        if text[0] == " " and not self._space:
            self._space = " "
            return text[1:]
        self._pay()
        return text

    def _find_url(self, text: str) -> str:
        if not self._held and not _PART.search(text):
            self.plain(text)
            return ""
        base = len(self._before)
        whole = self._before + self._held + text
        self._held = ""
        for found in _BEGIN.finditer(whole):
            if found.end() > base:
                return self._begin_url(whole, base, found)
        maybe = _MAY_BEGIN.search(whole)
        end = max(base, maybe.start(maybe.lastindex or 0)) if maybe else len(whole)
        if end > base:
            self.plain(whole[base:end])
        self._held = whole[end:]
        return ""

    def _begin_url(self, whole: str, base: int, found: re.Match[str]) -> str:
        separator = found.start(found.lastindex or 0)
        if separator > base:
            self.plain(whole[base:separator])
        self._scheme = whole[found.start() : separator]
        self._held = whole[max(base, separator) : found.end()]
        return whole[found.end() :] or self._give_up_unless_allowed()

    def _extend_url(self, text: str) -> str:
        run = _URL.match(text)
        end = run.end() if run else 0
        self._held += text[:end]
        if end < len(text):
            return self._end_url() + text[end:]
        return self._give_up_unless_allowed()

    def _give_up_unless_allowed(self) -> str:
        """No need to hold what can't be the URL of a source any more."""
        if len(self._held) <= MAX_URL and self._links.may_begin(self._scheme + self._held):
            return ""
        return self._defang()

    def _end_url(self) -> str:
        url = self._scheme + self._held
        bare = trimmed(url) if len(self._held) <= MAX_URL else ""
        if not self._links.may_link(bare):
            return self._defang()
        rest = url[len(bare) :]
        self.plain(self._held[: len(self._held) - len(rest)])
        self._held = self._scheme = ""
        self._owed = self._links.sources_of(bare)
        if rest:
            self._pay()
            self.plain(rest)
        self._after_url = not self._owed
        return ""

    def _defang(self) -> str:
        self._findings.defanged += 1
        separator = "://" if self._held.startswith("://") else self._held[:1]
        rest = self._held[len(separator) :]
        self._held = self._scheme = ""
        self.plain(":/ " if self._in_angle and separator == "://" else " ")
        return rest

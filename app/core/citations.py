"""The citation filter: what a model wrote goes in, text whose every marker names a packed source comes out.

A chain of scanners (`app.core.markup`), each one pass over the characters with bounded memory. Cutting the input
elsewhere cuts the output elsewhere and changes nothing in it.
"""

from __future__ import annotations

import re

from app.core.links import Links
from app.core.markup.bare_urls import BareUrlScanner
from app.core.markup.bibliography import BibliographyFilter
from app.core.markup.blocks import BlockScanner
from app.core.markup.brackets import BracketScanner
from app.core.markup.events import Findings
from app.core.markup.html_filter import HtmlFilter
from app.core.markup.lexemes import CLOSING, FOREIGN_CLOSING, FOREIGN_OPENING, OPENING
from app.core.markup.lines import LineWriter
from app.core.markup.raw_spans import RawSpanScanner
from app.core.markup.tidy import Tidy
from app.core.model import Marker

_SPECIAL = re.escape(OPENING + CLOSING + FOREIGN_OPENING + FOREIGN_CLOSING)
_NOT_PLAIN = re.compile(rf"[{_SPECIAL}`\\\r\n<>&|]|:/|[Ww][Ww.]|[:!Ww]\Z")


class CitationFilter:
    """Filters one answer over `source_count` sources, numbered from 1.

    `feed` returns what can leave now, `flush` the rest; after it the filter is done. `links` tells which links may
    be live and how citations are written; without it none may.
    """

    def __init__(self, source_count: int, *, links: Links | None = None) -> None:
        links = links or Links()
        self._findings = Findings()
        self._lines = LineWriter(links)
        self._urls = BareUrlScanner(self._lines, links, self._findings)
        self._tidy = Tidy(self._urls)
        self._brackets = BracketScanner(self._tidy, source_count, links, self._findings)
        self._html = HtmlFilter(self._brackets, links, self._findings)
        self._spans = RawSpanScanner(self._html)
        self._blocks = BlockScanner(self._spans)
        self._whole = BibliographyFilter(self._blocks)
        self._inner = (self._spans, self._html, self._brackets, self._tidy, self._urls, self._lines)
        self._plain = False
        """What `_is_idle` said last."""

    @property
    def valid(self) -> set[int]:
        """The numbers that left as markers outside code."""
        return self._findings.valid

    @property
    def markers(self) -> list[Marker]:
        """Where each of them stands in the output, in order."""
        return self._lines.markers

    @property
    def dropped(self) -> list[str]:
        """The markers removed, in order, as `[9]`."""
        return self._findings.dropped

    @property
    def dropped_forms(self) -> list[str]:
        """The form of each marker in `dropped`."""
        return self._findings.forms

    @property
    def defanged(self) -> int:
        """How many links, images and bare URLs were made dead."""
        return self._findings.defanged

    def feed(self, text: str) -> str:
        if self._plain and text and not _NOT_PLAIN.search(text):
            return self._pass_plain(text)
        self._whole.feed(text)
        self._plain = self._is_idle()
        return self._lines.take()

    def flush(self) -> str:
        self._whole.flush()
        for scanner in self._inner:
            scanner.flush()
        return self._lines.take()

    def _pass_plain(self, text: str) -> str:
        text = self._tidy.pass_plain(text)
        if text:
            self._urls.pass_plain(text)
            self._lines.passed(text)
        return text

    def _is_idle(self) -> bool:
        """Whether every scanner would pass text without special characters at once."""
        return (
            self._whole.idle and self._blocks.idle and self._spans.idle and self._html.idle and self._brackets.idle
            and self._tidy.idle and self._urls.idle and self._lines.idle
        )  # fmt: skip

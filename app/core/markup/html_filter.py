"""Lets harmless HTML and allowed autolinks through, drops other tags, and keeps the text between them."""

from __future__ import annotations

import re

from app.core.links import Links, without_scheme
from app.core.markup import html_tags
from app.core.markup.events import Findings, Line, Targets
from app.core.markup.html_tags import Role

MAX_SUPERSCRIPT = 64

_ONLY_WORDS = re.compile(r"[\w\s+.,-]++")
_ONLY_NUMBERS = re.compile(r"[\s\d,;–-]++")


class HtmlFilter:
    """Replaces `markup` by what is to become of it; passes all else on."""

    def __init__(self, out: Targets, links: Links, findings: Findings) -> None:
        self._out = out
        self._links = links
        self._findings = findings
        self._superscript: str | None = None
        """The text after `<sup>`, until it is closed."""

    @property
    def idle(self) -> bool:
        return self._superscript is None

    def text(self, text: str) -> None:
        if self._superscript is None:
            self._out.text(text)
        else:
            self._superscript += text
            if len(self._superscript) > MAX_SUPERSCRIPT:
                self._give_up()

    def verbatim(self, text: str) -> None:
        self._give_up()
        self._out.verbatim(text)

    def line(self, line: Line) -> None:
        self._give_up()
        self._out.line(line)

    def divide(self) -> None:
        self._give_up()
        self._out.divide()

    def flush(self) -> None:
        self._give_up()

    def markup(self, text: str) -> None:
        if self._superscript is not None and html_tags.is_anchor(text):  # a footnote mark may be a link to its note
            self._count_dead(text)
        elif self._superscript is not None and text.lower() == "</sup>":
            inner, self._superscript = self._superscript, None
            self._pass_superscript(inner)
        else:
            self._give_up()
            self._pass_markup(text)

    def _pass_markup(self, markup: str) -> None:
        if markup == "<":
            self._out.text("&lt;")
            return
        match html_tags.role(markup):
            case Role.HARMLESS:
                self._out.tag(markup)
            case Role.SUPERSCRIPT if not markup.startswith("</"):
                self._superscript = ""
            case Role.SOURCE:
                self._out.text(f"[{html_tags.source_number(markup)}]")
            case Role.AUTOLINK:
                self._pass_autolink(markup)
            case role:
                self._count_dead(markup)
                self._out.cut(apart=role is Role.BLOCK)

    def _count_dead(self, tag: str) -> None:
        self._findings.defanged += html_tags.has_address(tag)

    def _give_up(self) -> None:
        """What came after `<sup>` is nothing that the tag could stay with."""
        inner, self._superscript = self._superscript, None
        if inner is not None:
            self._pass_without_tag(inner)

    def _pass_without_tag(self, inner: str) -> None:
        self._out.cut()
        if inner:
            self._out.text(inner)

    def _pass_superscript(self, inner: str) -> None:
        """Numbers are looked at again where what is before them is final; citations leave without the tags."""
        if _ONLY_NUMBERS.fullmatch(inner):
            self._out.superscript(inner)
        elif _ONLY_WORDS.fullmatch(inner):
            self._out.tag("<sup>")
            self._out.text(inner)
            self._out.tag("</sup>")
        else:
            self._pass_without_tag(inner)
            self._out.cut()

    def _pass_autolink(self, markup: str) -> None:
        url = markup[1:-1]
        if self._out.target(url):
            return
        number = self._links.source_of(url)
        if number is not None:
            self._out.text(f"[{number}]")
        elif self._links.may_link(url):
            self._out.verbatim(markup)
        else:
            self._findings.defanged += 1
            self._out.cut()
            self._out.text(without_scheme(url))
            self._out.cut()

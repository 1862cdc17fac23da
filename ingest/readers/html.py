"""HTML: the visible text of a page, without what stands on every page of its site.

The elements are walked with lxml under plain rules. trafilatura was weighed: on 20 of 56 pages of the Rust
documentation it lost more than a tenth of the words, code among them, and it takes in text that a page hides. The
rules: navigation, asides that are no notes, and headers and footers of pages go, not those of articles; of a page with
one `<main>` that holds half of its text or more, only that stays. Headings, lists, tables and code keep their
structure, written as Markdown; links keep their text and images their alternative text.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import front_matter
from ingest.readers.encoding import decode
from ingest.readers.html_text import PageText
from ingest.readers.html_visibility import Visibility
from ingest.readers.stated import address, day, language

Element = Any
"""An lxml element, which has no types."""

_DECLARATION = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
"""Text in XHTML, and a comment in HTML."""
_DECLARED_WITHIN = 4_096
"""Bytes; browsers look for it in the first 1,024."""
_DATES = (
    "article:modified_time",
    "last-modified",
    "dcterms.modified",
    "article:published_time",
    "dcterms.date",
    "date",
)
_BETWEEN_NAMES = re.compile(r"\s+[-–—|·•:»›]+\s+|\s*\|\s*")
_LEAST_OF_MAIN = 0.5
"""Share of a page's text that its <main> must hold to stand for the page."""


def read(data: bytes, name: str) -> Document:
    source = decode(data, _declared_encoding(data))
    return parse(_CDATA.sub(lambda found: escape(found[1]), source) if name.lower().endswith(".xhtml") else source)


def parse(source: str) -> Document:
    """A page, with or without front matter. Raises UnreadableDocument."""
    about, text = front_matter.split(source)
    root = _root(text)
    page = _page_text(root)
    if not page.blocks:
        left_out = " and ".join(page.left_out.sentences())
        raise UnreadableDocument(f"it holds no text{f' besides {left_out}' if left_out else ''}")
    metas = _metas(root)
    return Document(
        title=about.title or _title(root, page.outline.title),
        blocks=tuple(page.blocks),
        url=about.url or _canonical(root),
        updated_at=about.updated_at or next((given for name in _DATES if (given := day(metas.get(name, "")))), None),
        tags=about.tags or _keywords(metas),
        access=about.access,
        language=about.language or language(root.get("lang") or root.get("xml:lang") or ""),
        left_out=page.left_out.sentences(),
    )


def _declared_encoding(data: bytes) -> str | None:
    found = _DECLARATION.search(data[:_DECLARED_WITHIN])
    return (found[1] or found[2]).decode("ascii", "replace") if found else None


def _root(source: str) -> Element:
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(source.encode("utf-8", "replace"), parser=parser)
    if root is None:
        raise UnreadableDocument("it holds no text")
    if any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log):
        raise UnreadableDocument("its elements are nested too deeply")  # what stands below was not read
    return root


def _page_text(root: Element) -> PageText:
    """Of its one <main>, or of the whole page."""
    visibility = Visibility(root)
    whole = PageText(visibility)
    whole.read(root)
    mains = list(root.iter("main"))
    if len(mains) != 1:
        return whole
    main = PageText(visibility)
    main.read(mains[0])
    if _letters(main) == _letters(whole) or _letters(main) < _LEAST_OF_MAIN * _letters(whole):
        return whole
    main.left_out.note("text outside <main>")
    return main


def _letters(page: PageText) -> int:
    return sum(len(block.text) for block in page.blocks)


def _title(root: Element, first_heading: str) -> str:
    """As <title> says; the page's own heading where that only adds the site's name."""
    stated = " ".join((root.findtext("head/title") or "").split())
    return first_heading if first_heading in _BETWEEN_NAMES.split(stated) else stated or first_heading


def _metas(root: Element) -> dict[str, str]:
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("http-equiv") or ""
        metas.setdefault(name.strip().lower(), meta.get("content", "").strip())
    return metas


def _canonical(root: Element) -> str | None:
    for link in root.iter("link"):
        if "canonical" in link.get("rel", "").lower().split():
            return address(link.get("href", "").strip())
    return None


def _keywords(metas: dict[str, str]) -> tuple[str, ...]:
    words = (" ".join(word.split()) for word in metas.get("keywords", "").split(","))
    return tuple(dict.fromkeys(word for word in words if word))

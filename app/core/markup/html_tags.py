"""HTML in Markdown text (CommonMark 0.31.2, sections 6.5 and 6.6), and what becomes of it.

A tag passes when it can neither load, link nor run anything nor begin an HTML block; its text always stays.
The filter depends on the last point: no line of its output is raw HTML, so what it took for code is code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

from app.core.markup.vocabulary import words

MAX_MARKUP = 2048
"""Characters of a tag or comment; a longer one is escaped."""

_SPACE = r"[ \t\n]"
_ATTRIBUTE = (
    rf"{_SPACE}++[A-Za-z_:][\w.:-]*+"
    rf"(?:{_SPACE}*+={_SPACE}*+(?:[^ \t\n\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+"
)
_TAG_BEGIN = re.compile(rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+|/[A-Za-z][A-Za-z0-9-]*+)", re.ASCII)
_TAG_END = re.compile(rf"{_SPACE}*+/?>")
_TAG_GOES_ON = re.compile(rf"{_SPACE}*+(?:/?|={_SPACE}*+(?:'[^']*+|\"[^\"]*+)?)\Z")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+|[\w.!#$%&'*+/=?^`{|}~-]++@[\w.-]++)>")
_AUTOLINK_GOES_ON = re.compile(r"<[A-Za-z0-9][^\s<>]*+\Z")
_LETTER = re.compile(r"[A-Za-z]")
_ENCLOSED = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))

_SLASHED = re.compile(r"<[A-Za-z][^\s<>/]*+/(?!>)[^<>]*+")
_SLASHED_LIVE = re.compile(
    r"[\s/\"'](?:on\w+|style|href|src|srcset|srcdoc|action|formaction|data|poster|background|ping|xlink:href)\s*+=",
    re.IGNORECASE,
)
"""No tag to CommonMark, but one to a browser, for which a slash parts attributes as a space does."""

_ATTRIBUTE_PARTS = re.compile(
    rf"{_SPACE}([A-Za-z_:][\w.:-]*+)(?:{_SPACE}*+={_SPACE}*+(\"[^\"]*+\"|'[^']*+'|[^ \t\n>]++))?+"
)
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*+)")
_HARMLESS_VALUE = re.compile(r"[\w .,%#+-]*+")
_SPEAKING_ATTRIBUTES = re.compile(
    r"on.*|style|href|src|srcset|srcdoc|action|formaction|data|poster|background|ping|xlink.*|id|name|is|slot"
)
_ADDRESSES = words("href src srcset data poster background action formaction ping xlink:href")
_ANCHOR = re.compile(r"</?a(?![A-Za-z0-9-])", re.IGNORECASE)
_BLOCKS = words(
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl"
    " dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend"
    " li link main menu menuitem nav noframes ol optgroup option p param pre script search section source style summary"
    " table tbody td textarea tfoot th thead title tr track ul"
)
_ACTIVE = words(
    "a applet area audio bgsound button canvas embed image img input isindex keygen layer listing map marquee math"
    " meta noscript object picture plaintext portal select slot svg template video xmp"
)
_BLOCK_GOES_ON = re.compile(r"</?(?:[A-Za-z][A-Za-z0-9]{0,10})?/?|<!(?:-|\[[CDAT]{0,5})?")
_BLOCK_BEGIN = re.compile(r"<(?:!--|!\[CDATA\[|![A-Za-z]|\?|/?([A-Za-z][A-Za-z0-9]*)(?:[ \t\r\n>]|/>))")
_SOURCE_NAMES = words("source src doc document ref reference cite citation passage")
_NUMBER_ATTRIBUTES = ("id", "n", "number", "index", "name", "ref", "source")


class Open(Enum):
    """What a `<` is that ends no markup yet."""

    NOTHING = auto()
    UNDECIDED = auto()
    TOO_LONG = auto()
    LIVE = auto()
    """Text to CommonMark, and a tag that would load, link or run something to a browser."""


class Role(Enum):
    HARMLESS = auto()
    SUPERSCRIPT = auto()
    SOURCE = auto()
    """Names a source, as `<source id="1">` does."""
    AUTOLINK = auto()
    BLOCK = auto()
    """Goes, and what stood around it stays apart."""
    ACTIVE = auto()
    """Goes, it would load, link or run something."""


def begins_block(text: str) -> bool | None:
    """Whether a line that begins so begins an HTML block that ends a paragraph; None when not sure yet."""
    if _BLOCK_GOES_ON.fullmatch(text):
        return None
    found = _BLOCK_BEGIN.match(text)
    return bool(found and (not found[1] or found[1].lower() in _BLOCKS))


def is_alone(text: str) -> bool | None:
    """Whether a line that begins so holds one tag and nothing else, which begins an HTML block too."""
    end = end_of_markup(text, 0, ends=text[-1] in "\r\n")
    if not isinstance(end, int):
        return {Open.NOTHING: False, Open.UNDECIDED: None, Open.TOO_LONG: True, Open.LIVE: False}[end]
    if _AUTOLINK.fullmatch(text, 0, end):
        return False
    rest = text[end:].lstrip(" \t")
    return rest[0] in "\r\n" if rest else None


def end_of_markup(text: str, at: int, *, ends: bool) -> int | Open:
    """Where the tag, comment or autolink ends whose `<` stands at `at`. `ends`: no more text follows."""
    window = text[at : at + MAX_MARKUP + 1]
    end = _end(window)
    if isinstance(end, int) and end <= MAX_MARKUP:
        return at + end
    if end in (Open.NOTHING, Open.LIVE):
        return end
    if len(window) > MAX_MARKUP:
        return Open.TOO_LONG
    return Open.NOTHING if ends else Open.UNDECIDED


def _end(window: str) -> int | Open:
    for opener, closer in _ENCLOSED:
        if window.startswith(opener):
            return _end_of_enclosed(window, opener, closer)
    if found := _AUTOLINK.match(window):
        return found.end()
    if begun := _TAG_BEGIN.match(window):
        if ended := _TAG_END.match(window, begun.end()):
            return ended.end()
        if _TAG_GOES_ON.match(window, begun.end()):
            return Open.UNDECIDED
    if slashed := _SLASHED.match(window):
        return _end_of_slashed(window, slashed.end())
    if window in ("<", "</") or _AUTOLINK_GOES_ON.match(window):
        return Open.UNDECIDED
    return Open.NOTHING


def _end_of_slashed(window: str, end: int) -> Open:
    """`<path/to/a/file>` is text; `<svg/onload=...` would run something wherever HTML is let through."""
    if _SLASHED_LIVE.search(window, 0, end):
        return Open.LIVE
    return Open.UNDECIDED if end == len(window) else Open.NOTHING


def _end_of_enclosed(window: str, opener: str, closer: str) -> int | Open:
    if opener == "<!" and not _LETTER.match(window, 2):
        partial = any(other.startswith(window) for other, _ in _ENCLOSED)
        return Open.UNDECIDED if partial else Open.NOTHING
    if opener == "<!--":
        for short in ("<!-->", "<!--->"):
            if window.startswith(short):
                return len(short)
    found = window.find(closer, len(opener))
    return Open.UNDECIDED if found < 0 else found + len(closer)


def role(markup: str) -> Role:
    """What to do with a whole tag, comment or autolink."""
    if _AUTOLINK.fullmatch(markup):
        return Role.AUTOLINK
    found = _NAME.match(markup)
    name = found[1].lower() if found else ""
    if name == "sup":
        return Role.SUPERSCRIPT
    if name in _SOURCE_NAMES and source_number(markup):
        return Role.SOURCE
    if name in _BLOCKS:
        return Role.BLOCK
    if not name or name in _ACTIVE or not _is_harmless(markup):
        return Role.ACTIVE
    return Role.HARMLESS


def is_anchor(markup: str) -> bool:
    return bool(_ANCHOR.match(markup))


def has_address(markup: str) -> bool:
    """Whether a tag would link to something or load it."""
    return markup[1:2].isalpha() and any(name in _ADDRESSES for name, _ in _attributes(markup))


def source_number(markup: str) -> str:
    """The number by which a tag such as `<source id="1">` names a source; empty when it names none."""
    values = dict(_attributes(markup))
    return next((values[name] for name in _NUMBER_ATTRIBUTES if re.search(r"\d", values.get(name, ""))), "")


def _attributes(markup: str) -> Iterator[tuple[str, str]]:
    for name, value in _ATTRIBUTE_PARTS.findall(markup):
        yield name.lower(), value.removesuffix("/>").strip("'\"")


def _is_harmless(markup: str) -> bool:
    return "\n" not in markup and all(
        not _SPEAKING_ATTRIBUTES.fullmatch(name) and _HARMLESS_VALUE.fullmatch(value)
        for name, value in _attributes(markup)
    )

"""What of an HTML page is no text of it: what a visitor does not see, and what stands on every page of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Element = Any
"""An lxml element, which has no types."""

HIDDEN = "hidden text"
BOILERPLATE = "navigation, page headers, footers and asides"
FORM = "buttons and fields of forms"
EMBEDDED = "drawings and embedded objects"
UNSEEN = ""
"""Of what is never shown there is nothing to report."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BY_TAG = {
    **dict.fromkeys(_words("title script style template noscript noframes noembed datalist"), UNSEEN),
    **dict.fromkeys(_words("annotation annotation-xml"), UNSEEN),  # a formula's source, beside the formula
    **dict.fromkeys(_words("button input select textarea"), FORM),
    **dict.fromkeys(_words("iframe object embed applet video audio canvas svg"), EMBEDDED),
    "nav": BOILERPLATE,
}
_ROLES = _words("navigation banner contentinfo complementary search menu menubar")
_BOILERPLATE_NAMES = _words(
    "nav navbar navigation sidebar breadcrumb breadcrumbs footer site-header site-footer page-footer skip-link"
    " cookie-banner"
)
"""Of classes and ids, whole words only."""
_HIDDEN_NAMES = _words("sr-only visually-hidden screen-reader-text")
_NOTES = _words("note notes admonition callout tip hint info important warning caution")
"""Classes of an aside that is part of the text."""
_SECTIONS = _words("article main section")
_ZERO = r":(?:0*\.)?0+(?:[a-z]+|%)?(?=[;!]|$)"
_HIDING = re.compile(
    rf"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|(?:max-)?(?:width|height){_ZERO}|opacity{_ZERO}"
    rf"|font-size{_ZERO}|color:transparent|text-indent:-\d{{3}}|(?:left|right|top|bottom):-\d{{4}}|clip:rect\((?:0|1px,?1px)"
    r"|clip-path:inset\((?:50|100)%)"
)
_SHOWING = re.compile(r"(?:^|;)(?:display:(?!none)|visibility:visible)")
_CSS_NOISE = re.compile(r"/\*.*?(?:\*/|\Z)|\s+", re.DOTALL)
_CSS_BRACE = re.compile(r"[{}]")
_CSS_RULE = re.compile(r"(?<![^{}])([^{}]*)\{([^{}]*)\}")
_CSS_NAME = re.compile(r"[.#][\w-]+")
_CSS_ELEMENT = re.compile(r"([a-z][\w-]*)?((?:[.#][\w-]+)+)")

_Selector = tuple[str, frozenset[str]]
"""The tag, empty for any, and all of `.x` and `#x` that an element must have."""


class Visibility:
    """Knows which elements of one page to leave out, and as what.

    Of style sheets only what the page itself holds is read, and of that only rules for elements of a class or id,
    whatever stands around them, outside `@media`, that no other rule takes back.
    """

    def __init__(self, root: Element) -> None:
        self._hidden = _hidden_by_style(root)
        headings = list(root.iter("h1"))
        headers = {next(heading.iterancestors("header"), None) for heading in headings}
        self._heading = headers.pop() if len(headers) == 1 else None
        """The page header that holds the page's only first headings: that one is text."""

    def fault(self, element: Element) -> str | None:
        """Why an element is left out: one of the constants above; None when it is text."""
        if element.tag in _BY_TAG:
            return _BY_TAG[element.tag]
        if element.tag == "body":  # hidden until a script shows it, or named for its layout
            return None
        names = _names(element)
        if self._is_hidden(element, names):
            return HIDDEN
        return BOILERPLATE if self._is_boilerplate(element, names) else None

    def _is_hidden(self, element: Element, names: frozenset[str]) -> bool:
        return (
            "hidden" in element.attrib
            or element.get("aria-hidden", "").strip().lower() == "true"
            or (element.tag == "dialog" and "open" not in element.attrib)
            or not names.isdisjoint(_HIDDEN_NAMES)
            or "popover" in element.attrib
            or self._is_hidden_by_style(element)
            or _hides(element.get("style", ""))
        )

    def _is_hidden_by_style(self, element: Element) -> bool:
        own = frozenset(_selectors(element)) if self._hidden else frozenset()
        hiding = (selector for name in own for selector in self._hidden.get(name, ()))
        return any(tag in ("", element.tag) and names <= own for tag, names in hiding)

    def _is_boilerplate(self, element: Element, names: frozenset[str]) -> bool:
        role = element.get("role", "").strip().lower()
        if element is self._heading:
            return False
        if _is_sign(element):
            return True
        if element.tag == "aside":
            return role != "note" and names.isdisjoint(_NOTES)
        if element.tag in ("header", "footer"):
            return all(above.tag not in _SECTIONS for above in element.iterancestors())
        if role in _ROLES or not names.isdisjoint(_BOILERPLATE_NAMES):
            return next(element.iter("h1", "main", "article"), None) is None
        return False


def _names(element: Element) -> frozenset[str]:
    return frozenset(f"{element.get('class', '')} {element.get('id', '')}".lower().split())


def _is_sign(element: Element) -> bool:
    """Whether it is a link within the page that says nothing, such as the ¶ behind a heading."""
    if element.tag != "a" or not element.get("href", "").startswith("#") or next(element.iter("img"), None) is not None:
        return False
    return not any(map(str.isalnum, "".join(element.itertext())))


def _selectors(element: Element) -> Iterator[str]:
    yield from (f".{name}" for name in element.get("class", "").lower().split())
    yield f"#{element.get('id', '').lower()}"


def _hidden_by_style(root: Element) -> dict[str, list[_Selector]]:
    """What a style sheet hides and never shows, under each of the names in it."""
    css = _CSS_NOISE.sub(" ", "\n".join(style.text or "" for style in root.iter("style")).lower())
    hidden = {name: _selector(name) for names, body in _top_rules(css) if _hides(body) for name in names.split(",")}
    shown = [set(_CSS_NAME.findall(names)) for names, body in _CSS_RULE.findall(css) if _SHOWING.search(_compact(body))]
    found: dict[str, list[_Selector]] = {}
    for selector in filter(None, hidden.values()):
        if not any(selector[1] <= names for names in shown):
            for name in selector[1]:
                found.setdefault(name, []).append(selector)
    return found


def _selector(written: str) -> _Selector | None:
    """None for more than one element, and for the states of one."""
    match = _CSS_ELEMENT.fullmatch(written.strip())
    return (match[1] or "", frozenset(_CSS_NAME.findall(match[2]))) if match else None


def _hides(style: str) -> bool:
    return _HIDING.search(_compact(style)) is not None


def _top_rules(css: str) -> Iterator[tuple[str, str]]:
    """Selector and body of each rule that stands in no other."""
    depth = start = opened = 0
    for brace in _CSS_BRACE.finditer(css):
        if brace[0] == "{":
            opened = brace.end() if depth == 0 else opened
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield css[start : opened - 1], css[opened : brace.start()]
                start = brace.end()


def _compact(css: str) -> str:
    return _CSS_NOISE.sub("", css.lower())

"""What the styles of a Word document make of a paragraph: a heading, an item of a list, code, hidden text."""

from __future__ import annotations

import re
from typing import Any

from docx.oxml.ns import qn
from msgspec import Struct

Element = Any
"""An lxml element, which has no types."""

_VAL = qn("w:val")
_BODY_TEXT = 9
"""The outline level of what is no heading."""
_HEADING = re.compile(r"heading ([1-9])")
_CODE = re.compile(r".*\b(?:code|preformatted|verbatim|macro text)\b.*")
_CONTENTS = re.compile(r"toc \d|toc heading|contents (?:\d|heading)|table of figures")
_OFF = ("0", "false", "off", "none")


class Style(Struct, frozen=True):
    name: str = ""
    """In lower case; those of Word's own styles are English in every language of Word."""
    level: int | None = None
    is_item: bool = False
    hidden: bool = False

    @property
    def is_title(self) -> bool:
        return self.name == "title"

    @property
    def is_code(self) -> bool:
        return bool(_CODE.fullmatch(self.name))

    @property
    def is_contents(self) -> bool:
        """Of a table of contents."""
        return bool(_CONTENTS.fullmatch(self.name))


class Styles:
    """`styles` is the root of the document's styles part."""

    def __init__(self, styles: Element) -> None:
        self._elements = {style.get(qn("w:styleId")): style for style in styles.findall(qn("w:style"))}
        self._resolved: dict[str | None, Style] = {None: Style()}
        self._default = next((name for name, style in self._elements.items() if _is_default(style)), None)

    def of(self, paragraph: Element) -> Style:
        """The paragraph's style, with what the paragraph itself says on top."""
        said = paragraph.find(qn("w:pPr"))
        if said is None:
            return self._named(self._default)
        named = said.find(qn("w:pStyle"))
        return _on_top(self._named(self._default if named is None else named.get(_VAL)), said)

    def hides(self, run: Element) -> bool:
        said = run.find(qn("w:rPr"))
        if said is None:
            return False
        named = said.find(qn("w:rStyle"))
        hidden = _switch(said.find(qn("w:vanish")))
        return hidden if hidden is not None else named is not None and self._named(named.get(_VAL)).hidden

    def _named(self, style_id: str | None) -> Style:
        if style_id not in self._resolved:
            self._resolved[style_id] = Style()  # a style that is based on itself ends here
            self._resolved[style_id] = self._read(self._elements.get(style_id))
        return self._resolved[style_id]

    def _read(self, style: Element) -> Style:
        if style is None:
            return Style()
        based_on, name = style.find(qn("w:basedOn")), style.find(qn("w:name"))
        base = Style() if based_on is None else self._named(based_on.get(_VAL))
        called = "" if name is None else name.get(_VAL, "").lower()
        heading = _HEADING.fullmatch(called)
        hidden = _switch(style.find(f"{qn('w:rPr')}/{qn('w:vanish')}"))
        own = Style(
            called,
            int(heading[1]) if heading else base.level,
            base.is_item,
            base.hidden if hidden is None else hidden,
        )
        return _on_top(own, style.find(qn("w:pPr")))


def _on_top(style: Style, said: Element) -> Style:
    """The style as the paragraph properties `said` change it."""
    if said is None:
        return style
    level, number = said.find(qn("w:outlineLvl")), said.find(f"{qn('w:numPr')}/{qn('w:numId')}")
    return Style(
        style.name,
        style.level if level is None else _level(level.get(_VAL, "")),
        style.is_item if number is None else number.get(_VAL) != "0",
        style.hidden,
    )


def _level(value: str) -> int | None:
    """Of a heading from 1, as styles count them; an outline counts from 0."""
    return int(value) + 1 if value.isdecimal() and int(value) < _BODY_TEXT else None


def _switch(element: Element) -> bool | None:
    return None if element is None else element.get(_VAL, "1") not in _OFF


def _is_default(style: Element) -> bool:
    return style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default"), "0") not in _OFF

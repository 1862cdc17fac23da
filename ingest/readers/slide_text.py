"""The texts on a PowerPoint slide, in the order in which a screen reader would say them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import Struct
from pptx.oxml.ns import qn

from ingest.readers import ooxml, raised
from ingest.readers.left_out import LeftOut
from ingest.readers.tables import filled_down, markdown_table

Element = Any
"""An lxml element, which has no types."""

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ABOVE = re.compile("0*[1-9]")
"""A share of the line that is no negative one: `30000` or `30%`."""
_TITLES = ("title", "ctrTitle")
_BULLETED = ("body", "obj")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")
_DEEPEST = 8
_ON = ("1", "true")


class SlideText(Struct, frozen=True):
    kind: Literal["title", "list", "paragraph", "table"]
    text: str


class SlideReader:
    """`diagram` gives the XML of a diagram's data by the id of its relationship."""

    def __init__(self, diagram: Callable[[str], bytes], left_out: LeftOut) -> None:
        self._diagram = diagram
        self._left_out = left_out

    def texts(self, shapes: Element) -> Iterator[SlideText]:
        """`shapes` is a slide's tree of shapes, or a group in it."""
        for shape in shapes:
            if shape.tag in (f"{_COMPATIBILITY}AlternateContent", f"{_COMPATIBILITY}Choice"):
                yield from self.texts(shape)
            elif shape.tag in (qn("p:sp"), qn("p:grpSp"), qn("p:graphicFrame"), qn("p:pic")):
                yield from self._shape(shape)

    def _shape(self, shape: Element) -> Iterator[SlideText]:
        placeholder = shape.find(f"*/{qn('p:nvPr')}/{qn('p:ph')}")
        kind = "" if placeholder is None else placeholder.get("type", "obj")
        if shape.find(f"*/{qn('p:cNvPr')}").get("hidden") in ("1", "true"):
            self._left_out.count("hidden shape")
        elif kind in _FURNITURE:
            if _text(shape):
                self._left_out.note("dates, footers and numbers of slides")
        elif shape.tag == qn("p:grpSp"):
            yield from self.texts(shape)
        elif shape.tag == qn("p:pic"):
            self._left_out.count("image")
        elif shape.tag == qn("p:graphicFrame"):
            yield from self._graphic(shape)
        elif kind in _TITLES:
            yield SlideText("title", " ".join(_text(shape).split()))
        else:
            yield from _paragraphs(shape, bulleted=kind in _BULLETED)

    def _graphic(self, frame: Element) -> Iterator[SlideText]:
        for table in frame.iter(qn("a:tbl")):
            rows = filled_down(
                [_cell(cell) for cell in row.iterchildren(qn("a:tc"))] for row in table.iterchildren(qn("a:tr"))
            )
            if any(any(row) for row in rows):
                yield SlideText("table", markdown_table(rows))
        for diagram in frame.iter(_DIAGRAM):
            data = ooxml.parse(self._diagram(diagram.get(qn("r:dm"), "")))
            yield from (SlideText("list", f"- {text}") for point in data.iter(qn("a:p")) if (text := _line(point)))
        for tag, thing in ((qn("c:chart"), "chart"), (qn("p:oleObj"), "embedded object")):
            self._left_out.count(thing, any(True for _ in frame.iter(tag)))


def _paragraphs(shape: Element, *, bulleted: bool) -> Iterator[SlideText]:
    """In the body of a slide paragraphs are items unless they say otherwise; elsewhere only those that say so."""
    paragraphs = [paragraph for paragraph in shape.iter(qn("a:p")) if _line(paragraph)]
    for paragraph in paragraphs:
        if _is_item(paragraph, otherwise=bulleted and len(paragraphs) > 1):
            yield SlideText("list", f"{'  ' * _depth(paragraph)}- {_line(paragraph)}")
        else:
            yield SlideText("paragraph", _line(paragraph))


def _is_item(paragraph: Element, *, otherwise: bool) -> bool:
    said = paragraph.find(qn("a:pPr"))
    if said is None:
        return otherwise
    marked = any(said.find(qn(tag)) is not None for tag in ("a:buChar", "a:buAutoNum", "a:buBlip"))
    return marked or (otherwise and said.find(qn("a:buNone")) is None)


def _depth(paragraph: Element) -> int:
    said = paragraph.find(qn("a:pPr"))
    level = "" if said is None else said.get("lvl", "")
    return min(int(level), _DEEPEST) if level.isdecimal() else 0


def _cell(cell: Element) -> str | None:
    """A cell that another one spans says nothing of its own, whatever it holds: None where that one is above."""
    if cell.get("hMerge") in _ON:
        return ""
    return None if cell.get("vMerge") in _ON else " ".join(_text(cell).split())


def _text(element: Element) -> str:
    return "\n".join(_line(paragraph) for paragraph in element.iter(qn("a:p"))).strip()


def _line(paragraph: Element) -> str:
    """A paragraph's text; a break inside it stays one."""
    texts = {qn("a:t"), f"{_MATH}t"}
    return raised.joined(
        ("\n" if part.tag == qn("a:br") else part.text or "", _is_raised(part))
        for part in paragraph.iter(*texts, qn("a:br"))
        if not any(True for _ in part.iterancestors(f"{_COMPATIBILITY}Fallback"))
    ).strip()


def _is_raised(part: Element) -> bool:
    """The text of a run that its own format raises, by a share of the line, or the exponent of a formula."""
    if part.tag == f"{_MATH}t":
        return any(True for _ in part.iterancestors(f"{_MATH}sup"))
    said = part.getparent().find(qn("a:rPr"))
    return said is not None and _ABOVE.match(said.get("baseline", "")) is not None

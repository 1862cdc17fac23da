"""From the elements of an HTML page to blocks: one walk, in the order of the source."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from ingest.document import Block, Kind
from ingest.readers import raised
from ingest.readers.fences import fenced
from ingest.readers.html_table import Rows, is_data
from ingest.readers.html_visibility import Visibility
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline
from ingest.readers.tables import markdown_table

Element = Any
"""An lxml element, which has no types."""

_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "fieldset", "form"}
    | {"figcaption", "figure", "footer", "header", "hgroup", "hr", "legend", "main", "nav", "p", "search", "section"}
    | {"summary", "caption", "tbody", "td", "tfoot", "th", "thead", "tr"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_CELLS = frozenset({"td", "th"})
_FRAMES = _LISTS | _ITEMS | _HEADINGS.keys()
_SPACE = re.compile(r"[ \t\n\r\f]+")
_SPACES = re.compile(r" {2,}")
_LINE_END = re.compile(r" *\n *")
_SOFT_HYPHEN = "\u00ad"
_LANGUAGE = re.compile(r"(?:^|\s)(?:(?:language|lang|highlight-source)-|sourceCode )([\w+#-]+)")
"""As the classes of highlighters name it, pandoc's among them."""


class _Frame:
    """A heading, list, item, table or cell that the walk is in, and the texts of its parts so far."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.texts: list[str] = []
        self.rows = Rows() if element.tag == "table" else None
        self.number = _number(element.get("start")) or 1


class PageText:
    """Its `blocks`, and what was `left_out` on the way."""

    def __init__(self, visibility: Visibility) -> None:
        self.blocks: list[Block] = []
        self.outline = Outline()
        self.left_out = LeftOut()
        self._visibility = visibility
        self._frames: list[_Frame] = []
        self._parts: list[str] = []
        """Of the paragraph or code that is being read."""
        self._code: Element = None
        """The `pre` that the walk is in."""

    def read(self, root: Element) -> None:
        """Take in everything visible below `root`."""
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped: Element = None
        for event, element in walk:
            if event == "end":
                if element is not skipped:
                    self._end(element)
                if element is not root:
                    self._say(element.tail)
            elif element is root or self._is_text(element):
                self._start(element)
                self._say(element.text)
            else:
                skipped = element
                walk.skip_subtree()
        self._finish_paragraph()
        self.blocks += self.outline.end()

    def _is_text(self, element: Element) -> bool:
        fault = self._visibility.fault(element)
        if fault and "".join(element.itertext()).strip():
            self.left_out.note(fault)
        return fault is None

    def _say(self, text: str | None) -> None:
        if text:
            self._parts.append(text if self._code is not None else _SPACE.sub(" ", text))

    def _start(self, element: Element) -> None:
        tag = element.tag
        if tag == "br":
            self._parts.append("\n")
        elif tag == "img":
            self._say_image(element)
        elif self._code is not None:
            self._end_line(tag)
        elif tag == "pre":
            self._finish_paragraph()
            self._code = element
        elif _is_raised(element) and self._parts:
            self._parts.append(raised.mark(self._parts[-1], "".join(element.itertext())))
        elif tag in _FRAMES or (tag == "table" and is_data(element)) or (tag in _CELLS and self._rows is not None):
            self._finish_paragraph()
            self._frames.append(_Frame(element))
        elif tag in _BLOCKS:
            self._finish_paragraph()
            if tag == "tr" and self._rows is not None:
                self._rows.start_row()

    def _end(self, element: Element) -> None:
        if element is self._code:
            self._finish_code()
        elif self._code is not None:
            self._end_line(element.tag)
        elif self._frames and element is self._frames[-1].element:
            self._finish_paragraph()
            self._finish_frame(self._frames.pop())
        elif element.tag in _BLOCKS:
            self._finish_paragraph()

    def _say_image(self, image: Element) -> None:
        alternative = image.get("alt")
        if alternative is None:
            self.left_out.count("image")
        self._say(f" {alternative or ''} ")

    def _end_line(self, tag: str) -> None:
        """In code, where some highlighters wrap each line into a block."""
        if tag in _BLOCKS and self._parts and not self._parts[-1].endswith("\n"):
            self._parts.append("\n")

    def _finish_code(self) -> None:
        code = self._taken().strip("\n").rstrip()
        classes = " ".join(each.get("class", "") for each in (self._code, *self._code.iter("code")))
        self._code = None
        if code:
            language = _LANGUAGE.search(classes)
            self._emit(fenced(code, language[1] if language else ""), "code")

    def _finish_paragraph(self) -> None:
        lines = _LINE_END.sub("\n", _SPACES.sub(" ", self._taken())).strip(" \n")
        self._emit(lines, "paragraph")

    def _taken(self) -> str:
        text = "".join(self._parts).replace(_SOFT_HYPHEN, "")
        self._parts.clear()
        return text

    def _finish_frame(self, frame: _Frame) -> None:
        tag = frame.element.tag
        if frame.rows is not None:
            rows = frame.rows.finish()
            self._emit(markdown_table(rows) if rows else "", "table")
        elif tag in _CELLS and self._rows is not None:
            self._rows.add(" ".join(frame.texts), frame.element)
        elif tag in _ITEMS:
            self._finish_item(frame)
        elif tag in _LISTS:
            self._emit("\n".join(frame.texts), "list")
        else:
            self._finish_heading(frame)

    def _finish_item(self, item: _Frame) -> None:
        mark = "  " if item.element.tag == "dd" else "- "
        if self._frames and self._frames[-1].element.tag == "ol":
            number = _number(item.element.get("value")) or self._frames[-1].number
            mark = f"{number}. "
            self._frames[-1].number = number + 1
        text = "\n".join(item.texts)
        if text:
            self._emit(mark + text.replace("\n", "\n" + " " * len(mark)), "list")

    def _finish_heading(self, frame: _Frame) -> None:
        name = " ".join(" ".join(frame.texts).split())
        if self._frames:
            self._emit(name, "paragraph")
        else:
            self.blocks += self.outline.enter(_HEADINGS[frame.element.tag], name, name)

    def _emit(self, text: str, kind: Kind) -> None:
        """To the frame around it. What stands in a table outside its cells, such as a caption, comes before it."""
        around = next((frame for frame in reversed(self._frames) if frame.rows is None), None)
        if around is None:
            self.blocks += self.outline.text(text, kind)
        elif text.strip():
            around.texts.append(text)

    @property
    def _rows(self) -> Rows | None:
        """Of the data table that the walk is in, outside its cells."""
        return self._frames[-1].rows if self._frames else None


def _is_raised(element: Element) -> bool:
    around = element.getparent()
    return element.tag == "sup" or (around is not None and around.tag == "msup" and element is around[-1])


def _number(stated: str | None) -> int | None:
    """Of an item in a list."""
    return int(stated) if stated and stated.isdecimal() and len(stated) < 10 else None

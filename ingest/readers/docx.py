"""Word documents: paragraphs, lists and tables in order, under the headings that their styles make.

Lists are said with `-` even where Word shows numbers: it counts them anew with every item that is put in, and each
passage below would change with them. Footnotes and text boxes follow the paragraph or table that they belong to. Left
out are hidden and deleted text, comments, page headers and footers, the table of contents (the headings say it) and
pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal

import docx
from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from msgspec import Struct

from ingest.document import Block, Document
from ingest.readers import fences, ooxml
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline
from ingest.readers.tables import filled_down, markdown_table
from ingest.readers.word_styles import Style, Styles
from ingest.readers.word_text import WordText, related

Element = Any
"""An lxml element, which has no types."""

_WIDEST_SPAN = 64
"""Columns: a table in Word has at most 63."""


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when the file is encrypted, damaged or no Word document, or holds no text."""
    with ooxml.opened(data, "Word") as file:
        about = ooxml.properties(file)
        reader = _Reader(docx.Document(file))
        blocks = tuple(reader.blocks())
    return ooxml.document(blocks, reader.title or about.title or reader.first_heading, about, reader.left_out)


class _Part(Struct, frozen=True):
    """A paragraph, list item, piece of code, table or heading."""

    kind: Literal["paragraph", "list", "code", "table", "heading"]
    text: str
    level: int = 0


class _Reader:
    def __init__(self, document: WordDocument) -> None:
        self.left_out = LeftOut()
        self.title = ""
        """What stands in the style Title."""
        self._document = document
        self._styles = Styles(document.styles.element)
        self._text = WordText(document.part, self._styles, self.left_out)
        self._outline = Outline()

    @property
    def first_heading(self) -> str:
        return self._outline.title

    def blocks(self) -> Iterator[Block]:
        for kind, parts in groupby(self._parts(self._document.element.body), key=lambda part: part.kind):
            if kind == "list":
                yield from self._outline.text("\n".join(part.text for part in parts), "list")
            elif kind == "code":
                yield from self._outline.text(fences.fenced("\n".join(part.text for part in parts)), "code")
            else:
                yield from self._each(parts)
        yield from self._outline.end()
        self._look_elsewhere()

    def _each(self, parts: Iterable[_Part]) -> Iterator[Block]:
        for part in parts:
            if part.kind == "heading":
                yield from self._outline.enter(part.level, part.text, part.text)
            else:
                yield from self._outline.text(part.text, part.kind)

    def _parts(self, container: Element) -> Iterator[_Part]:
        for child in container:
            if child.tag == qn("w:p"):
                yield from self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                yield from self._table(child)
            elif child.tag == qn("w:altChunk"):
                self.left_out.count("embedded document")
            elif _is_contents(child):
                self.left_out.note("the table of contents")
            elif isinstance(child.tag, str) and child.tag not in (qn("w:sdtPr"), qn("w:sectPr")):
                yield from self._parts(child)
            yield from self._asides()

    def _paragraph(self, paragraph: Element) -> Iterator[_Part]:
        style = self._styles.of(paragraph)
        text = self._text.of(paragraph).strip("\n").rstrip()
        if not text.strip():
            return
        if style.is_contents:
            self.left_out.note("the table of contents")
        elif style.hidden:
            self.left_out.note("text marked as hidden")
        else:
            yield self._styled(text, style, paragraph)

    def _styled(self, text: str, style: Style, paragraph: Element) -> _Part:
        line = " ".join(text.split())
        if style.is_title and not self.title:
            self.title = line
        if style.is_title or style.level:
            return _Part("heading", line, style.level or 0)
        if style.is_item:
            return _Part("list", f"{'  ' * _depth(paragraph)}- {text}")
        return _Part("code" if style.is_code else "paragraph", text)

    def _asides(self) -> Iterator[_Part]:
        """The notes and text boxes of what was read last. Boxes may hold boxes."""
        while self._text.notes or self._text.boxes:
            notes, boxes = self._text.notes[:], self._text.boxes[:]
            self._text.notes.clear()
            self._text.boxes.clear()
            yield from (_Part("paragraph", note) for note in notes)
            for box in boxes:
                yield from self._parts(box)

    def _table(self, table: Element) -> Iterator[_Part]:
        """As Markdown; one of a single column is a frame around its paragraphs."""
        rows = [row for row in _within(table, qn("w:tr")) if not self._is_deleted(row, "w:trPr", "w:del")]
        cells = [list(_within(row, qn("w:tc"))) for row in rows]
        if max(map(len, cells), default=0) <= 1:
            for cell in (cell for row in cells for cell in row):
                yield from self._parts(cell)
            return
        grid = filled_down([text for cell in row for text in self._cell(cell)] for row in cells)
        if any(any(row) for row in grid):
            yield _Part("table", markdown_table(grid))

    def _cell(self, cell: Element) -> list[str | None]:
        """The cell's text, None where it goes on from above, and an empty one for each further column that it spans."""
        span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
        merged = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
        goes_on = merged is not None and merged.get(qn("w:val"), "continue") == "continue"
        text: str | None = ""
        if not self._is_deleted(cell, "w:tcPr", "w:cellDel"):
            text = None if goes_on else " ".join(filter(None, map(self._visible, _within(cell, qn("w:p")))))
        width = 1 if span is None else int(span.get(qn("w:val"), "1"))
        return [text, *[""] * (min(width, _WIDEST_SPAN) - 1)]

    def _is_deleted(self, part: Element, properties: str, mark: str) -> bool:
        """Whether a row or a cell is, as a change that is still to be accepted."""
        deleted = part.find(f"{qn(properties)}/{qn(mark)}") is not None
        self.left_out.count("deleted change", deleted)
        return deleted

    def _visible(self, paragraph: Element) -> str:
        return " ".join(part.text for part in self._paragraph(paragraph))

    def _look_elsewhere(self) -> None:
        """What stands in parts of their own, of which nothing is taken in."""
        part = self._document.part
        for root in related(part, RELATIONSHIP_TYPE.COMMENTS):
            self.left_out.count("comment", len(root))
        for root in related(part, RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
            if "".join(root.itertext(qn("w:t"))).strip():
                self.left_out.note("page headers and footers")


def _within(element: Element, tag: str) -> Iterator[Element]:
    """The outermost elements of a tag, content controls and nested tables looked through."""
    for child in element:
        if child.tag == tag:
            yield child
        else:
            yield from _within(child, tag)


def _is_contents(element: Element) -> bool:
    gallery = element.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
    return gallery is not None and gallery.get(qn("w:val")) == "Table of Contents"


def _depth(paragraph: Element) -> int:
    """How deep an item is nested, from 0; Word knows nine levels."""
    level = paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:ilvl')}")
    value = "" if level is None else level.get(qn("w:val"), "")
    return min(int(value), 8) if value.isdecimal() else 0

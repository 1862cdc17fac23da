"""The text of a Word paragraph as a reader of the document sees it, and what hangs on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from docx.parts.document import DocumentPart

from ingest.readers import ooxml, raised
from ingest.readers.left_out import LeftOut
from ingest.readers.word_styles import Styles

Element = Any
"""An lxml element, which has no types."""

_WRITTEN = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_SILENT = frozenset(
    {
        qn("w:pPr"),
        qn("w:rPr"),
        qn("w:sdtPr"),
        qn("w:instrText"),
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",  # says the same as its Choice
    }
)
_DELETED = frozenset({qn("w:del"), qn("w:moveFrom")})
_UNREAD = {
    qn("pic:pic"): "image",
    "{urn:schemas-microsoft-com:vml}imagedata": "image",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart": "chart",
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds": "diagram",
    "{urn:schemas-microsoft-com:office:office}OLEObject": "embedded object",
}
_NOTES = {
    qn("w:footnoteReference"): (RELATIONSHIP_TYPE.FOOTNOTES, "Footnote"),
    qn("w:endnoteReference"): (RELATIONSHIP_TYPE.ENDNOTES, "Endnote"),
}
_PRIVATE_USE = range(0xE000, 0xF900)
_WINGDINGS = dict(zip((0xF06F, 0xF0A8, 0xF0DF, 0xF0E0, 0xF0FB, 0xF0FC, 0xF0FD, 0xF0FE), "☐☐←→✗✓☒☑", strict=True))
"""Of Word's symbols those that answer yes or no, or point somewhere."""
_LETTERS = _WINGDINGS | {symbol & 0xFF: said for symbol, said in _WINGDINGS.items()}


class WordText:
    """Reads paragraphs. `notes` and `boxes` gather what hangs on those read since they were emptied last."""

    def __init__(self, part: DocumentPart, styles: Styles, left_out: LeftOut) -> None:
        self._part = part
        self._styles = styles
        self._left_out = left_out
        self._known_notes = {tag: self._notes(kind) for tag, (kind, _) in _NOTES.items()}
        self.notes: list[str] = []
        self.boxes: list[Element] = []

    def of(self, element: Element) -> str:
        """The visible text of a paragraph, or of what stands in one."""
        tag = element.tag
        if tag in (qn("w:t"), qn("m:t")):
            return _written(element)
        if tag in _WRITTEN:
            return _WRITTEN[tag]
        if tag == qn("w:sym"):
            return self._symbol(element.get(qn("w:font"), ""), int(element.get(qn("w:char"), "0"), 16))
        if tag in _SILENT or not isinstance(tag, str) or self._is_withheld(element):
            return ""
        if tag in _NOTES:
            self._refer(element)
        elif tag == qn("w:txbxContent"):
            self.boxes.append(element)
            return ""
        elif tag in _UNREAD:
            self._left_out.count(_UNREAD[tag])
        return raised.joined((self.of(child), _is_raised(child)) for child in element)

    def _is_withheld(self, element: Element) -> bool:
        if element.tag in _DELETED:
            self._left_out.count("deleted change")
            return True
        if element.tag == qn("w:r") and self._styles.hides(element):
            self._left_out.note("text marked as hidden")
            return True
        return False

    def _refer(self, reference: Element) -> None:
        note = self._known_notes[reference.tag].get(reference.get(qn("w:id")))
        text = "" if note is None else " ".join(self.of(note).split())
        if text:
            self.notes.append(f"{_NOTES[reference.tag][1]}: {text}")

    def _symbol(self, font: str, character: int) -> str:
        """A character that the font alone defines says nothing without it."""
        wingdings = font.lower() == "wingdings"
        if not wingdings and character not in _PRIVATE_USE:
            return chr(character) if character else ""
        known = _WINGDINGS.get(character | 0xF000, "") if wingdings else ""
        self._left_out.count("symbol", not known)
        return known

    def _notes(self, kind: str) -> dict[str, Element]:
        return {
            note.get(qn("w:id")): note
            for root in related(self._part, kind)
            for note in root.iterchildren(qn("w:footnote"), qn("w:endnote"))
        }


def related(part: DocumentPart, *kinds: str) -> Iterator[Element]:
    """The XML roots of the document's parts of some kinds."""
    for relationship in part.rels.values():
        if relationship.reltype in kinds and not relationship.is_external:
            yield ooxml.parse(relationship.target_part.blob)


def _is_raised(part: Element) -> bool:
    """A run that its own format raises, or the exponent of a formula."""
    if part.tag == qn("m:sup"):
        return True
    said = part.find(f"{qn('w:rPr')}/{qn('w:vertAlign')}") if part.tag == qn("w:r") else None
    return said is not None and said.get(qn("w:val")) == "superscript"


def _written(text: Element) -> str:
    """Symbols may be written as text too, in a font in which letters are some."""
    named = text.getparent().find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
    font = "" if named is None else named.get(qn("w:ascii"), "")
    said: str = text.text or ""
    return said.translate(_LETTERS) if font.lower() == "wingdings" else said

"""PDF: paragraphs with their pages, under headings, without what repeats on every page.

Tables are no structure of a PDF: their rows are lines of text here. What is in pictures is not read.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from msgspec import structs

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline
from ingest.readers.pdf_headings import Bookmark, Heading, headings
from ingest.readers.pdf_lines import Line, Page, lines_of
from ingest.readers.pdf_margins import without_margins
from ingest.readers.pdf_paragraphs import Hyphens, paragraphs
from ingest.readers.stated import day, language

Pdf = Any
"""A PdfDocument of pypdfium2, which has no types."""

_ONE_AT_A_TIME = threading.Lock()
"""PDFium is not thread-safe."""
_FAULTS = {
    pdfium.FPDF_ERR_PASSWORD: "it is encrypted: save it without a password",
    pdfium.FPDF_ERR_SECURITY: "it is encrypted in a way that is not known: save it without a password",
}
_DAMAGED = "it is damaged, or no PDF: open it in a PDF viewer and save it again"
_NO_TEXT = "it holds no text (scanned?): run text recognition (OCR) on it"
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft (?:word|powerpoint|excel)|powerpoint|(?:document|presentation|slide)\s*\d*$|about:|https?:)"
    r"|.*\.(?:docx?|pptx?|xlsx?|od[tps]|rtf|pdf|txt|html?|tex|dvi|ps|indd)$|\W*$",
    re.IGNORECASE,
)
"""What programs write where their user has given no title, names of files above all."""
_ABOUT = ("Title", "Keywords", "ModDate", "CreationDate")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")
_LARGEST_COVER = 3
"""Headings that a title may be made of."""
_ANNOTATIONS = {
    pdfium.FPDF_ANNOT_WIDGET: "what is filled into its form",
    pdfium.FPDF_ANNOT_FREETEXT: "text that was typed onto its pages",
    pdfium.FPDF_ANNOT_TEXT: "comments",
    pdfium.FPDF_ANNOT_HIGHLIGHT: "comments",
}
_MOST_BOOKMARKS = 10_000
_LONGEST_TAG = 64
"""UTF-16 units of a language tag."""
_MOST_UNREADABLE = 0.3
"""Share of a page's characters that may be in fonts that don't tell what their shapes mean."""


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when it is encrypted, damaged or holds no text."""
    with _ONE_AT_A_TIME:
        try:
            pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as exc:
            raise UnreadableDocument(_FAULTS.get(exc.err_code, _DAMAGED)) from exc
        try:
            return _document(pdf)
        finally:
            pdf.close()


def _document(pdf: Pdf) -> Document:
    left_out = LeftOut()
    pages = list(_pages(pdf, left_out))
    lines = [line for page in without_margins(pages) for line in page]
    if len(lines) < sum(map(len, pages)):
        left_out.note("repeating page headers, footers and page numbers")
    left_out.count("attached file", pdf.count_attachments())
    outline = Outline()
    found = headings(lines, list(_bookmarks(pdf)))
    blocks = tuple(_blocks(lines, found, outline))
    about = {key: _stated(partial(pdf.get_metadata_value, key)) for key in _ABOUT}
    return Document(
        title=_title(about["Title"]) or _cover(lines, found) or outline.title,
        blocks=blocks,
        updated_at=_day(about["ModDate"]) or _day(about["CreationDate"]),
        tags=tuple(dict.fromkeys(word for each in re.split("[,;]", about["Keywords"]) if (word := each.strip()))),
        language=_language(pdf),
        left_out=left_out.sentences(),
    )


def _language(pdf: Pdf) -> str | None:
    """As the catalogue states it."""
    tag = (ctypes.c_ushort * _LONGEST_TAG)()  # stays empty when what is stated is longer
    pdfium.FPDFCatalog_GetLanguage(pdf, tag, ctypes.sizeof(tag))
    return language(bytes(tag).decode("utf-16-le", "replace").rstrip("\0"))


def _pages(pdf: Pdf, left_out: LeftOut) -> Iterator[list[Line]]:
    """The lines of each page. Raises UnreadableDocument when no page has any."""
    some = False
    damaged = empty = 0
    for index in range(len(pdf)):
        try:
            page = pdf[index]
        except pypdfium2.PdfiumError:
            damaged += 1
            continue
        lines = [] if _is_unreadable(drawn := lines_of(page, index + 1)) else drawn
        some = some or bool(lines)
        empty += not lines and pdfium.FPDFPage_CountObjects(page) > 0
        _count_left_out(page, bool(lines), left_out)
        page.close()
        yield lines
    if not some:
        raise UnreadableDocument(_NO_TEXT if empty else _DAMAGED if damaged or not len(pdf) else "it is empty")
    left_out.count("damaged page", damaged)
    if empty:
        left_out.note(f"{empty} page{'s' if empty > 1 else ''} without text (scanned?)")


def _count_left_out(page: Page, has_text: bool, left_out: LeftOut) -> None:
    if has_text:
        images = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=2)
        left_out.count("image", sum(1 for _ in images))
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        says = pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0) > len("\0".encode("utf-16-le"))
        if kind in _ANNOTATIONS and (says or kind == pdfium.FPDF_ANNOT_WIDGET):
            left_out.note(_ANNOTATIONS[kind])
        pdfium.FPDFPage_CloseAnnot(annotation)


def _is_unreadable(lines: Sequence[Line]) -> bool:
    unreadable = sum(len(line.text) for line in lines if not line.is_readable)
    return unreadable > _MOST_UNREADABLE * sum(len(line.text) for line in lines)


def _blocks(lines: Sequence[Line], found: Mapping[int, Heading], outline: Outline) -> Iterator[Block]:
    hyphens = Hyphens(lines)
    at = heading_page = 0
    for start in [*sorted(found), len(lines)]:
        for page, together in groupby(lines[at:start], key=lambda line: line.page):
            for text, kind in paragraphs(list(together), hyphens):
                yield from (structs.replace(block, page=page) for block in outline.text(text, kind))
        if start < len(lines):
            heading = found[start]
            bare = outline.enter(heading.level, heading.name, heading.name)
            yield from (structs.replace(block, page=heading_page) for block in bare)
            at, heading_page = start + heading.lines, lines[start].page
    yield from (structs.replace(block, page=heading_page) for block in outline.end())


def _bookmarks(pdf: Pdf) -> Iterator[Bookmark]:
    for bookmark in islice(pdf.get_toc(), _MOST_BOOKMARKS):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        if page is not None:
            yield Bookmark(bookmark.level + 1, _stated(bookmark.get_title), page + 1)


def _cover(lines: Sequence[Line], found: Mapping[int, Heading]) -> str:
    """The title on a first page that holds nothing else, in type of several sizes it may be."""
    first = sum(1 for line in lines if line.page == lines[0].page)
    names: list[str] = []
    at = 0
    while at < first and (heading := found.get(at)):
        names.append(heading.name)
        at += heading.lines
    return " ".join(names) if at == first and len(names) <= _LARGEST_COVER else ""


def _stated(get: Callable[[], str]) -> str:
    """What a file says of itself; nothing, where that was cut within a character."""
    try:
        return get()
    except UnicodeDecodeError:
        return ""


def _title(stated: str) -> str:
    title = " ".join(stated.split())
    return "" if _NO_TITLE.match(title) else title


def _day(stated: str) -> str | None:
    """Of a PDF's date, such as `D:20230306135820-08'00'`."""
    date = _DATE.match(stated)
    return day("-".join(date.groups())) if date else None

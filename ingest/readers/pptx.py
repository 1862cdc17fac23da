"""PowerPoint presentations: a section for each slide, under its title, with its number as the page.

Speaker notes follow the slide's texts and say what they are. Left out are hidden slides, pictures, charts, and what
repeats on every slide.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import pptx
from msgspec import structs
from pptx.slide import Slide

from ingest.document import Block, Document
from ingest.readers import ooxml
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline
from ingest.readers.slide_text import SlideReader, SlideText


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when the file is encrypted, damaged or no presentation, or holds no text."""
    outline, left_out = Outline(), LeftOut()
    with ooxml.opened(data, "PowerPoint") as file:
        about = ooxml.properties(file)
        blocks = tuple(_blocks(list(pptx.Presentation(file).slides), outline, left_out))
    return ooxml.document(blocks, about.title or outline.title, about, left_out)


def _blocks(slides: list[Slide], outline: Outline, left_out: LeftOut) -> Iterator[Block]:
    for number, slide in enumerate(slides, start=1):
        if slide.element.get("show") in ("0", "false"):
            left_out.count("hidden slide")
        else:
            yield from (structs.replace(block, page=number) for block in _slide(slide, outline, left_out))


def _slide(slide: Slide, outline: Outline, left_out: LeftOut) -> Iterator[Block]:
    reader = SlideReader(lambda relationship: slide.part.related_part(relationship).blob, left_out)
    texts = list(reader.texts(slide.shapes.element))
    title = next((text.text for text in texts if text.kind == "title"), "")
    yield from outline.enter(1, title, title)
    for kind, together in groupby(texts, key=lambda text: text.kind):
        for text in _joined(together) if kind == "list" else together:
            if kind != "title":
                yield from outline.text(text.text, kind)
            elif text.text != title:
                yield from outline.text(text.text, "paragraph")
    yield from outline.text(_notes(slide), "paragraph")
    yield from outline.end()
    if any(relationship.reltype.endswith("/comments") for relationship in slide.part.rels.values()):
        left_out.note("comments")


def _joined(items: Iterator[SlideText]) -> Iterator[SlideText]:
    yield SlideText("list", "\n".join(item.text for item in items))


def _notes(slide: Slide) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = frame.text.replace("\v", "\n").strip() if frame else ""
    return f"Speaker notes: {said}" if said else ""

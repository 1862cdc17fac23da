"""Plain text: paragraphs between blank lines, and lines underlined with = or - as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.document import Block, Document
from ingest.readers.encoding import decode
from ingest.readers.outline import Outline

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_UNDERLINE = re.compile(r"(={3,}|-{3,})[ \t]*")
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s")


def read(data: bytes, name: str) -> Document:
    return parse(decode(data))


def parse(source: str) -> Document:
    """The document that plain text is. It has no front matter: everyone may see it."""
    outline = Outline()
    blocks = tuple(_blocks(source, outline))
    return Document(title=outline.title, blocks=blocks)


def _blocks(source: str, outline: Outline) -> Iterator[Block]:
    for paragraph in _BLANK_LINES.split(source):
        lines = paragraph.strip("\n").split("\n")
        if len(lines) > 1 and (name := lines[0].strip()) and (rule := _UNDERLINE.fullmatch(lines[1])):
            yield from outline.enter(1 if rule[1][0] == "=" else 2, name, name)
            lines = lines[2:]
        text = "\n".join(lines)
        yield from outline.text(text, "list" if _ITEM.match(text) else "paragraph")
    yield from outline.end()

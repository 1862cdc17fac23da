"""Plain text: paragraphs between blank lines, and lines underlined with = or - as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.document import Block, Document

_UNDERLINE = re.compile(r"(={3,}|-{3,})[ \t]*")
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s")


def read(source: str) -> Document:
    sections = _Sections()
    blocks = tuple(sections.blocks(source))
    return Document(title=sections.title, blocks=blocks)


class _Sections:
    """Walks the paragraphs and keeps the headings that they stand under."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._bare = False
        self.title = ""

    def blocks(self, source: str) -> Iterator[Block]:
        for paragraph in re.split(r"\n(?:[ \t]*\n)+", source):
            lines = paragraph.strip("\n").split("\n")
            if len(lines) > 1 and lines[0].strip() and (rule := _UNDERLINE.fullmatch(lines[1])):
                yield from self._enter(1 if rule[1][0] == "=" else 2, lines[0].strip())
                lines = lines[2:]
            if text := "\n".join(lines).rstrip():
                self._bare = False
                yield Block(text, self._heading(), "list" if _ITEM.match(text) else "paragraph")
        yield from self._leave_bare()

    def _enter(self, level: int, name: str) -> Iterator[Block]:
        if self._path and level <= self._path[-1][0]:
            yield from self._leave_bare()
        self._path = [above for above in self._path if above[0] < level] + [(level, name)]
        self._bare = True
        if level == 1 and not self.title:
            self.title = name

    def _leave_bare(self) -> Iterator[Block]:
        """A heading with nothing under it is text, or it would be lost."""
        if self._bare:
            yield Block(self._path[-1][1], self._heading()[:-1])
        self._bare = False

    def _heading(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._path)

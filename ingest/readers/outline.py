"""The headings that a reader has come under, for every format that has headings."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ingest.document import Block, Kind


class _Heading(Struct, frozen=True):
    level: int
    name: str
    section: int


class Outline:
    """Told of headings and texts in order, it gives the document's blocks. No heading is lost in this.

    A heading is said by the blocks under it. One that has none becomes a block itself, under its parent.
    """

    def __init__(self) -> None:
        self._path: list[_Heading] = []
        self._sections = 0
        self._bare: Block | None = None
        self.title = ""
        """The first heading of level 1."""

    def enter(self, level: int, name: str, source: str, *, is_text: bool = False) -> Iterator[Block]:
        """Go under a heading. `source` is how it is written; with `is_text` it is said too, as its name lacks some."""
        if self._path and level <= self._path[-1].level:
            yield from self.end()
        self._path = [above for above in self._path if above.level < level]
        bare = self._block(source, "paragraph")
        self._sections += 1
        self._path.append(_Heading(level, name, self._sections))
        if is_text:
            yield from self.text(source, "paragraph")
        elif name:
            self._bare = bare
        if level == 1 and not self.title:
            self.title = name

    def text(self, text: str, kind: Kind) -> Iterator[Block]:
        if text.strip():
            self._bare = None
            yield self._block(text.strip("\n").rstrip(), kind)

    def end(self) -> Iterator[Block]:
        """Leave the headings; what stands under none of the next ones is said now."""
        if self._bare is not None:
            yield self._bare
        self._bare = None

    def _block(self, text: str, kind: Kind) -> Block:
        heading = tuple(above.name for above in self._path if above.name)
        return Block(text, heading, kind, section=self._path[-1].section if self._path else 0)

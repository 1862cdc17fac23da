"""What a reader makes of a file, and what the chunker makes of that."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal["paragraph", "list", "code", "table", "other"]


class Block(Struct, frozen=True):
    """A stretch of a document's source that belongs together, under the headings above it."""

    text: str
    heading: tuple[str, ...] = ()
    kind: Kind = "paragraph"
    page: int | None = None
    section: int = 0
    """Number of the heading it stands under, 0 before the first: neighbouring sections may bear the same name."""
    head: str | None = None
    """Of fenced code: the lines, such as a signature, that each part has if it must be split. None: its first line. Of
    other code and of a table it is what the text begins with; None: a line of code, two of a table."""


class Document(Struct, frozen=True, kw_only=True):
    title: str
    blocks: tuple[Block, ...]
    url: str | None = None
    updated_at: str | None = None
    """ISO 8601 date that the document states."""
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] | None = None
    """Groups that may see it; empty means nobody, and None that the document says nothing of it."""
    language: str | None = None
    """ISO 639-1 code of the language that it says it is written in."""
    left_out: tuple[str, ...] = ()
    """What the reader did not take in, such as "2 pages without text (scanned?)"."""


class Piece(Struct, frozen=True):
    """A passage-to-be: consecutive blocks, or a part of one, under the same headings."""

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None

"""Markdown: blocks by the parser's line numbers, their text as it stands in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.document import Block, Document, Kind
from ingest.readers import front_matter

_PARSER = MarkdownIt("commonmark").enable("table")
_KINDS: dict[str, Kind] = {
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}
_CODE_SPAN_OR_COMMENT = re.compile(r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|<!--.*?-->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def read(source: str) -> Document:
    """Raises UnreadableDocument when the front matter can't be read."""
    about, text = front_matter.split(source)
    sections = _Sections(text)
    blocks = tuple(sections.blocks())
    return Document(
        title=about.title or sections.first_title,
        blocks=blocks,
        url=about.url,
        updated_at=about.updated_at,
        tags=about.tags,
        access=about.access,
    )


class _Sections:
    """Walks the top-level blocks and keeps the headings that they stand under."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._tokens = _PARSER.parse(text)
        self._path: list[tuple[int, str]] = []
        self._bare: Block | None = None
        self.first_title = ""

    def blocks(self) -> Iterator[Block]:
        end = 0
        for index, token in enumerate(self._tokens):
            if token.level or token.map is None:
                continue
            start, stop = token.map
            yield from self._block(end, start, "other")  # link definitions, which are no tokens
            end = stop
            if token.type == "heading_open":
                yield from self._enter(int(token.tag[1]), _plain(self._tokens[index + 1]), start, stop)
            elif token.type != "hr":
                yield from self._block(start, stop, _KINDS.get(token.type, "other"))
        yield from self._block(end, len(self._lines), "other")
        yield from self._leave_bare()

    def _enter(self, level: int, name: str, start: int, stop: int) -> Iterator[Block]:
        """Go under a heading. The one before, if nothing stands under it, becomes text so that it is not lost."""
        parent_level = self._path[-1][0] if self._path else 0
        if level <= parent_level:
            yield from self._leave_bare()
        self._path = [above for above in self._path if above[0] < level]
        heading = self._heading()
        self._path.append((level, name))
        self._bare = Block("\n".join(self._lines[start:stop]).strip(), heading)
        if level == 1 and not self.first_title:
            self.first_title = name

    def _leave_bare(self) -> Iterator[Block]:
        if self._bare is not None and self._bare.text:
            yield self._bare
        self._bare = None

    def _block(self, start: int, stop: int, kind: Kind) -> Iterator[Block]:
        text = "\n".join(self._lines[start:stop])
        if kind != "code":
            text = _without_comments(text)
        if text.strip():
            self._bare = None
            yield Block(text.strip("\n").rstrip(), self._heading(), kind)

    def _heading(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._path if name)


def _plain(inline: Token) -> str:
    """A heading's text without its markup."""
    children: Sequence[Token] = inline.children or ()
    shown = [child for child in children if child.type != "html_inline"]
    return " ".join("".join(" " if child.type.endswith("break") else child.content for child in shown).split())


def _without_comments(text: str) -> str:
    if text.lstrip().startswith("<!--"):  # such a block is HTML up to the comment's end, or the document's
        return _COMMENT.sub("", text)
    return _CODE_SPAN_OR_COMMENT.sub(lambda match: match["code"] or "", text)

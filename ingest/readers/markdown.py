"""Markdown: blocks by the parser's line numbers, their text as it stands in the source.

Left out are comments, rules (`---`) and the marks of headings; everything else is in some block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.document import Block, Document, Kind
from ingest.readers import front_matter
from ingest.readers.comments import visible_lines
from ingest.readers.encoding import decode
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline

_INLINE = MarkdownIt("commonmark")
_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.disable(["inline", "text_join"])  # only headings need it, and hostile lines take it minutes
_LONGEST_HEADING = 1_000
"""Characters; a longer one keeps its markup."""
_KINDS: dict[str, Kind] = {
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}
_MORE_THAN_TEXT = frozenset({"link_open", "image", "html_inline"})
_COMMENT = re.compile(r"<!--.*-->", re.DOTALL)
_REMARK = re.compile(
    r"""^ {0,3}\[[^\]\n]*\]:[ \t]*(?:\#|<\#?>)[ \t]+(?:\([^\n]*\)|"[^\n]*"|'[^\n]*')[ \t]*$""", re.MULTILINE
)
"""The definition of a link that leads nowhere: a comment, which no HTML shows."""


def read(data: bytes, name: str) -> Document:
    return parse(decode(data))


def parse(source: str) -> Document:
    """Raises UnreadableDocument when the front matter can't be read."""
    about, text = front_matter.split(source)
    outline, left_out = Outline(), LeftOut()
    found = (*blocks(text, outline, left_out), *outline.end())
    return Document(
        title=about.title or outline.title,
        blocks=found,
        url=about.url,
        updated_at=about.updated_at,
        tags=about.tags,
        access=about.access,
        language=about.language,
        left_out=left_out.sentences(),
    )


def blocks(source: str, outline: Outline, left_out: LeftOut) -> Iterator[Block]:
    """The blocks of a text without front matter; `outline` may have come under headings already."""
    references: dict[str, Any] = {}
    tokens = _BLOCKS.parse(source, references)
    lines = visible_lines(source, tokens)

    def between(start: int, stop: int) -> str:
        return "\n".join(line for line in lines[start:stop] if line is not None)

    if between(0, len(lines)) != source:
        left_out.note("comments")
    end = 0
    for index, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        start, stop = token.map
        yield from outline.text(_definitions(between(end, start), left_out), "other")
        end = stop
        if token.type == "heading_open":
            children = _children(tokens[index + 1].content, references)
            is_text = any(child.type in _MORE_THAN_TEXT for child in children)
            name = _plain(children)
            yield from outline.enter(int(token.tag[1]), name, between(start, stop).strip(), is_text=is_text)
        elif token.type != "hr":
            yield from outline.text(between(start, stop), _KINDS.get(token.type, "other"))
    yield from outline.text(_definitions(between(end, len(lines)), left_out), "other")


def _definitions(between: str, left_out: LeftOut) -> str:
    """Of links, which are no tokens, without comments in their form."""
    shown, remarks = _REMARK.subn("", between)
    if remarks:
        left_out.note("comments")
    return shown


def _children(content: str, references: dict[str, Any]) -> Sequence[Token]:
    """The inline tokens of a heading, less comments."""
    if len(content) > _LONGEST_HEADING:
        return [Token("text", "", 0, content=content)]
    children = _INLINE.parseInline(content, references)[0].children or ()
    return [child for child in children if child.type != "html_inline" or not _COMMENT.fullmatch(child.content)]


def _plain(children: Sequence[Token]) -> str:
    """A heading's text without its markup."""
    shown = [child for child in children if child.type != "html_inline"]
    return " ".join("".join(" " if child.type.endswith("break") else child.content for child in shown).split())

"""reStructuredText: blocks as they are written in the source, under the titles that docutils finds.

docutils knows no end of a block, and its beginning only by half. So blocks are told by blank lines and indentation.
Left out are comments, transitions, fields that say something of the document, and directives that show nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from msgspec import structs

from ingest.document import Block, Document
from ingest.readers import rst_structure
from ingest.readers.encoding import decode
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline
from ingest.readers.rst_blocks import Line, blocks_of, head_of
from ingest.readers.rst_structure import Title
from ingest.readers.stated import address, day

_FIELD = re.compile(r":(?P<name>[\w -]+):(?:\s+(?P<value>.*))?")
_DATES = ("updated", "updated_at", "last_modified", "modified", "date")
_READ = frozenset({"title", "url", "access", "tags", "keywords", *_DATES})


def read(data: bytes, name: str) -> Document:
    return parse(decode(data))


def parse(source: str) -> Document:
    """Raises UnreadableDocument when it is nested too deeply."""
    lines = source.split("\n")
    tree = rst_structure.parse(lines)
    titles = list(rst_structure.titles(tree, lines))
    comments = set(rst_structure.comments(tree, lines))
    fields, taken = _fields(lines, titles[0] if titles else None)
    outline, left_out = Outline(), LeftOut()
    if any(lines[number].strip(" .") for number in comments):
        left_out.note("comments")
    kept = [(number, line) for number, line in enumerate(lines) if number not in taken]
    blocks = tuple(_blocks(kept, titles, comments, outline, left_out))
    return Document(
        title=fields.get("title") or outline.title,
        blocks=blocks,
        url=address(fields.get("url", "")),
        updated_at=next((given for name in _DATES if (given := day(fields.get(name, "")))), None),
        tags=_words(fields.get("tags") or fields.get("keywords", "")),
        access=_words(fields["access"]) if "access" in fields else None,
        left_out=left_out.sentences(),
    )


def _fields(lines: Sequence[str], first: Title | None) -> tuple[dict[str, str], set[int]]:
    """What the field list at the top says of the document, and the numbers of the lines that do.

    It stands before everything else, or right under the first title.
    """
    fields: dict[str, str] = {}
    taken: set[int] = set()
    name = ""
    for number in _top(lines, first):
        if field := _FIELD.fullmatch(lines[number]):
            name = field["name"].lower()
            if name in _READ:
                fields[name] = (field["value"] or "").strip()
        elif name in _READ:
            fields[name] = f"{fields[name]} {lines[number].strip()}".strip()
        if name in _READ:
            taken.add(number)
    return fields, taken


def _top(lines: Sequence[str], first: Title | None) -> Iterator[int]:
    """The numbers of the lines of that list, which may have blank ones in it; none where a text stands before it."""
    title = range(first.start, first.stop) if first else range(0)
    inside = False
    for number, line in enumerate(lines):
        if number in title or not line.strip() or (not inside and line.startswith((".. ", " "))):
            continue
        inside = bool(_FIELD.fullmatch(line)) or (inside and line[:1].isspace())
        if not inside:
            return
        yield number


def _blocks(
    lines: Sequence[Line], titles: Iterable[Title], comments: set[int], outline: Outline, left_out: LeftOut
) -> Iterator[Block]:
    at = 0
    for title in titles:
        before = bisect_left(lines, title.start, lo=at, key=itemgetter(0))
        for text, kind in blocks_of(lines[at:before], comments, left_out):
            yield from _with_head(outline.text(text, kind))
        yield from outline.enter(title.level, title.name, title.source, is_text="<" in title.source)
        at = bisect_left(lines, title.stop, lo=before, key=itemgetter(0))
    for text, kind in blocks_of(lines[at:], comments, left_out):
        yield from _with_head(outline.text(text, kind))
    yield from outline.end()


def _with_head(blocks: Iterable[Block]) -> Iterator[Block]:
    return (structs.replace(block, head=head_of(block.text)) for block in blocks)


def _words(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for each in value.split(",") if (word := each.strip())))

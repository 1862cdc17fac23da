"""The blocks of a stretch of reStructuredText without titles, each as it is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ingest.document import Kind
from ingest.readers.left_out import LeftOut

Line = tuple[int, str]
"""Its number in the document, and its text."""

_DIRECTIVE = re.compile(r"(?P<before>(?:^|.*\s))\.\.\s+(?:\|[^|]+\|\s+)?(?P<name>[\w:+.-]+?)\s?::(?:\s|$)")
_CODE = frozenset({"code-block", "code", "sourcecode", "parsed-literal", "doctest", "prompt", "math"})
_TABLES = frozenset({"table", "csv-table", "list-table", "flat-table"})
_FILES = frozenset({"include", "literalinclude"})
_SAYING_NOTHING = {
    "raw": "raw markup",
    **dict.fromkeys(("toctree", "contents"), "tables of contents"),
    **dict.fromkeys(("header", "footer"), "page headers and footers"),
    **dict.fromkeys(("todo", "todolist"), "notes on what is to do"),
    **dict.fromkeys(("meta", "index", "sectnum", "section-numbering", "role", "default-role", "highlight"), ""),
    **dict.fromkeys(("currentmodule", "py:currentmodule", "tabularcolumns", "testsetup", "testcleanup"), ""),
}
"""Directives whose text no reader of the page sees, or sees somewhere else; and what to call it."""
_HEADER_ROWS = re.compile(r"\s+:header-rows:\s*(\d)\s*")
_TRANSITION = re.compile(r"([!-/:-@\[-`{-~])\1{3,}\s*")
_SIMPLE_TABLE = re.compile(r"=+(?:[ ]+=+)+\s*")
_GRID_TABLE = re.compile(r"\+[-=+]+\+\s*")
_BULLET = re.compile(r"([-*+•‣⁃])\s")
_NUMBER = re.compile(r"\(?(?:\d{1,9}|#|[a-z]|[ivxl]+)[.)]\s", re.IGNORECASE)
_FIELD = re.compile(r":[^:\s][^:]*:(?:\s|$)")


def blocks_of(lines: Sequence[Line], comments: Collection[int], left_out: LeftOut) -> Iterator[tuple[str, Kind]]:
    """Text and kind of each block, in order; `comments` are the numbers of the lines where one begins."""
    for block in _joined(list(_chunks(lines))):
        kind = _kind(block[0][1])
        if kind != "code" or block[0][0] in comments:
            block = list(_visible(block, comments, left_out))
        text = "\n".join(line for _, line in block)
        if not _TRANSITION.fullmatch(text):
            yield text, kind


def head_of(text: str) -> str | None:
    """What each part of a directive of code or a table begins with if it must be split: its options, and the first line
    of the code or the header of the table. None for another block."""
    directive = _DIRECTIVE.match(text) if text.startswith("..") else None
    if directive is None or directive["name"] not in _CODE | _TABLES:
        return None
    lines = [f"{line}\n" for line in text.split("\n")]
    blank = next((at for at, line in enumerate(lines) if not line.strip()), 0)
    begin = next((at for at in range(blank + 1, len(lines)) if lines[at].strip()), len(lines))
    return "".join(lines[: _after_header(directive["name"], lines, begin)])


def _after_header(name: str, lines: Sequence[str], begin: int) -> int:
    """The line behind the header of a directive's content, which begins at `begin`."""
    if name in _CODE:
        return begin + 1
    if name == "table":
        return begin + 2
    stated = next((int(told[1]) for line in lines[:begin] if (told := _HEADER_ROWS.fullmatch(line))), 0)
    margin = len(lines[begin]) - len(lines[begin].lstrip()) if begin < len(lines) else 0
    rows = [at for at in range(begin, len(lines)) if lines[at].strip() and not lines[at][: margin + 1].isspace()]
    return rows[stated] if stated < len(rows) else begin


def _chunks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Split before each line without indentation that follows a blank line or belongs to no markup begun by `..`."""
    chunk: list[Line] = []
    for line in lines:
        if chunk and _begins(chunk, line[1]):
            yield chunk
            chunk = []
        if chunk or line[1].strip():
            chunk.append(line)
    if chunk:
        yield chunk


def _begins(chunk: Sequence[Line], line: str) -> bool:
    if not line.strip():
        return False
    after_blank = not chunk[-1][1].strip()
    if line[0].isspace():
        return after_blank and _announces_code(chunk)
    return after_blank or chunk[0][1].startswith("..")


def _announces_code(chunk: Sequence[Line]) -> bool:
    """Whether what follows a paragraph is its literal block."""
    first = chunk[0][1]
    if first.startswith("..") or first[0].isspace() or _BULLET.match(first):
        return False
    last = next(line for _, line in reversed(chunk) if line.strip())
    return last.rstrip().endswith("::") and not last[0].isspace()


def _joined(chunks: Sequence[list[Line]]) -> Iterator[list[Line]]:
    """The items of a list, and the rows of a simple table, may have blank lines between them."""
    table_ends = _table_ends(chunks)
    index = 0
    while index < len(chunks):
        stop = _end(chunks, index, table_ends)
        yield [line for chunk in chunks[index:stop] for line in chunk]
        index = stop


def _end(chunks: Sequence[list[Line]], index: int, table_ends: Sequence[int]) -> int:
    first = chunks[index][0][1]
    if _SIMPLE_TABLE.fullmatch(first):
        return (table_ends[index] or index) + 1
    stop = index + 1
    if mark := _list_mark(first):
        while stop < len(chunks) and _list_mark(chunks[stop][0][1]) == mark:
            stop += 1
    return stop


def _table_ends(chunks: Sequence[list[Line]]) -> list[int]:
    """For each chunk the one that ends a table begun in it; 0 where none does."""
    ends = [0] * len(chunks)
    following = 0
    for index in range(len(chunks) - 1, -1, -1):
        written = [line for _, line in chunks[index] if line.strip()]
        closes = _SIMPLE_TABLE.fullmatch(written[-1]) is not None
        ends[index] = index if closes and len(written) > 1 else following
        following = index if closes else following
    return ends


def _list_mark(line: str) -> str:
    if bullet := _BULLET.match(line):
        return bullet[1]
    if _NUMBER.match(line):
        return "1"
    return ":" if _FIELD.match(line) else ""


def _kind(line: str) -> Kind:
    directive = _DIRECTIVE.match(line) if line.startswith("..") else None
    name = directive["name"] if directive else ""
    if name in _CODE or line.startswith(">>> ") or line[0].isspace():
        return "code"
    if name in _TABLES or _GRID_TABLE.fullmatch(line) or _SIMPLE_TABLE.fullmatch(line):
        return "table"
    if _list_mark(line):
        return "list"
    return "other" if line.startswith(("..", "|")) else "paragraph"


def _visible(block: Sequence[Line], comments: Collection[int], left_out: LeftOut) -> Iterator[Line]:
    """Without comments and directives that say nothing, each with all that is indented under it."""
    hidden_from: int | None = None
    for at, (number, line) in enumerate(block):
        indentation = len(line) - len(line.lstrip())
        if hidden_from is not None and (not line.strip() or indentation > hidden_from):
            continue
        hidden_from = _hidden_from(line, number in comments, left_out)
        if hidden_from is None:
            yield number, line
        elif line.strip() == ".." and not _is_written(block[at + 1 : at + 2]):
            hidden_from = None  # an empty comment: it only ends what stands before it
        elif line[:hidden_from].strip() not in ("", "-", "*", "+"):
            yield number, line[:hidden_from].rstrip()


def _is_written(lines: Sequence[Line]) -> bool:
    return any(line.strip() for _, line in lines)


def _hidden_from(line: str, is_comment: bool, left_out: LeftOut) -> int | None:
    """The column where what is to hide begins."""
    if is_comment:
        return line.index("..")
    directive = _DIRECTIVE.match(line)
    if directive is None:
        return None
    if directive["name"] in _FILES:
        left_out.count("included file")
    elif (said := _SAYING_NOTHING.get(directive["name"])) is None:
        return None
    elif said:
        left_out.note(said)
    return directive.end("before")

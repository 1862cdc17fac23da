"""What docutils says of a reStructuredText source: where its titles and its comments stand."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import frontend, nodes, utils  # type: ignore[import-untyped]
from docutils.parsers.rst import Parser  # type: ignore[import-untyped]
from docutils.parsers.rst.states import Inliner  # type: ignore[import-untyped]
from msgspec import Struct

from ingest.errors import UnreadableDocument

_OTHER_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
"""docutils would count lines by these too."""
_MARKUP = re.compile(r"[`*|_\\:]")
_ROLE = re.compile(r":[\w:.+-]+:`([^`<]*)(?:<[^`>]*>)?`")
_EXPLICIT = re.compile(r"(?:^|\s)\.\.(?:\s+(.*))?$")
_SILENT = 6
"""A level that no message has."""


class Title(Struct, frozen=True):
    level: int
    name: str
    """Without its markup."""
    source: str
    """As it is written."""
    start: int
    stop: int
    """Its lines, underline and overline included."""


def parse(lines: Sequence[str]) -> Any:
    """The document tree; docutils opens no file, no address, and says nothing. Raises UnreadableDocument."""
    inliner = Inliner()
    inliner.parse = lambda text, *_: ([nodes.Text(text)], [])  # markup in lines is of no use here, and takes long
    return _parsed("\n".join(line.translate(_OTHER_LINE_ENDS) for line in lines), inliner)


def titles(tree: Any, lines: Sequence[str]) -> Iterator[Title]:
    """In order. A section's level is its depth, from 1."""
    end = 0
    for section in tree.findall(nodes.section):
        title = section[0]
        stop = title.line  # its underline, counted from 1
        start = stop - 2
        if start - 1 >= end and _is_overline(lines[start - 1], lines[stop - 1]):
            start -= 1
        source = lines[stop - 2].strip()
        yield Title(_depth(section), _plain(source), source, start, stop)
        end = stop


def comments(tree: Any, lines: Sequence[str]) -> Iterator[int]:
    """The index of the first line of each comment.

    docutils knows where a comment ends, but not of one inside a list or a directive: that is the next that reads so.
    """
    at = 0
    for comment in tree.findall(nodes.comment):
        opening = _folded(comment.astext().partition("\n")[0])
        near = range(min(comment.line, len(lines)) - 1, at - 1, -1) if comment.line else range(at, len(lines))
        found = next((index for index in near if _opens_with(lines, index, opening)), None)
        if found is not None:
            yield found
            at = found + 1


def _opens_with(lines: Sequence[str], index: int, opening: str) -> bool:
    mark = _EXPLICIT.search(lines[index])
    if mark is None:
        return False
    return _folded(mark[1] or "".join(lines[index + 1 : index + 2])) == opening


def _folded(text: str) -> str:
    return " ".join(text.split())


def _parsed(source: str, inliner: Inliner) -> Any:
    settings = frontend.get_default_settings(Parser)
    settings.report_level = settings.halt_level = _SILENT
    settings.warning_stream = io.StringIO()
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.line_length_limit = len(source)
    tree = utils.new_document("", settings)
    try:
        Parser(inliner=inliner).parse(source, tree)
    except RecursionError as exc:
        raise UnreadableDocument("its parts are nested too deeply") from exc
    return tree


def _is_overline(line: str, underline: str) -> bool:
    return line.strip() != "" and set(line.strip()) == set(underline.strip())


def _depth(section: Any) -> int:
    depth = 0
    while isinstance(section, nodes.section):
        section, depth = section.parent, depth + 1
    return depth


def _plain(title: str) -> str:
    if _MARKUP.search(title):
        parsed = _parsed(_ROLE.sub(r"\1", title), Inliner())
        if len(parsed) and isinstance(parsed[0], nodes.paragraph):  # else it would be more than a line elsewhere
            title = parsed[0].astext()
    return _folded(title)

"""HTML comments in Markdown: text that its author hid, and that must not be found or quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

_LEAVES = frozenset({"inline", "html_block", "fence", "code_block"})
_CODE = frozenset({"fence", "code_block"})
_IN_HTML = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_MARK = re.compile(r"(?<!\\)(?P<whole><!---?>)|(?<!\\)<!--|-->|`++")


def visible_lines(source: str, tokens: Sequence[Token]) -> list[str | None]:
    """The lines of `source` without comments; code keeps its own. A line is None where a comment joins it to others.

    `tokens` are those of `source`, in order. In a block of HTML, an unclosed comment reaches to the block's end.
    """
    lines: list[str | None] = list(source.split("\n"))
    if "<!--" not in source:
        return lines
    at = 0
    for token in tokens:
        if token.type in _LEAVES and token.map and token.map[0] >= at:
            start, stop = token.map
            _hide(lines, at, start, "inline")  # between the leaves, or nested too deeply for the parser
            _hide(lines, start, stop, token.type)
            at = stop
    _hide(lines, at, len(lines), "inline")
    return lines


def _hide(lines: list[str | None], start: int, stop: int, type_: str) -> None:
    text = "\n".join(line or "" for line in lines[start:stop])
    if type_ in _CODE or "<!--" not in text:
        return
    shown = _IN_HTML.sub("", text) if type_ == "html_block" else _without_comments(text)
    lines[start:stop] = [shown, *[None] * (stop - start - 1)]


def _without_comments(text: str) -> str:
    """Of a paragraph: what is in a code span is no comment, and neither is what is never closed."""
    marks = list(_MARK.finditer(text))
    ends = _ends(marks)
    shown, at, index = [], 0, 0
    while index < len(marks):
        end = ends[index]
        if end is not None:
            if marks[index][0].startswith("<"):
                shown.append(text[at : marks[index].start()])
                at = marks[end].end()
            index = end
        index += 1
    return "".join([*shown, text[at:]])


def _ends(marks: Sequence[re.Match[str]]) -> list[int | None]:
    """For each mark the one that ends what it begins, if any. From behind, so that no search repeats another."""
    ends: list[int | None] = [None] * len(marks)
    following: dict[str, int] = {}
    for index in range(len(marks) - 1, -1, -1):
        mark = marks[index]
        if mark["whole"]:
            ends[index] = index
        elif mark[0] != "-->":
            ends[index] = following.get("-->" if mark[0] == "<!--" else mark[0])
        following[mark[0]] = index
    return ends

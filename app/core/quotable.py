"""Cuts a passage into what can be quoted: sentences, list items, table rows, code blocks.

A small reading of Markdown, line by line. Headings are left out: they say what a text is about and answer
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from textwrap import dedent
from typing import Literal, NamedTuple

from app.core.sentences import sentence_spans

Span = tuple[int, int]


class Block(NamedTuple):
    """A paragraph, list, table or code block."""

    kind: Literal["text", "list", "table", "code"]
    parts: list[Span]
    """Sentences, items or rows, in order; the one part of a code block is all of it."""
    lead: Span | None = None
    """To be read first: the sentence that introduces a list, the header of a table."""


class _Line(NamedTuple):
    kind: Literal["blank", "heading", "fence", "row", "item", "text"]
    start: int
    end: int
    """Line break included."""
    indented: bool = False


_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_BLANK = re.compile(r"\s*\Z")
_FENCE = re.compile(r"[ \t]*+(?P<fence>`{3,}+(?=[^`]*\Z)|~{3,}+)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|\Z)|\s*(?:[-=_*][ \t]*+){3,}+\s*\Z|\s*(\*\*|__)[^*_]{1,80}\1:?\s*\Z")
_INDENT = re.compile(r" {2}|\t")
_ROW = re.compile(r"\s*\|")
_ITEM = re.compile(r"\s*(?:[-*+•]|[0-9]{1,3}[.)]|[A-Za-z]\))\s")
_RULE = re.compile(r"[\s|:-]+")
_RULE_OF_BARE_ROWS = re.compile(r"\s*:?-+:?(?:\s*\|\s*:?-+:?)+\s*\Z")
"""The second line of a table whose rows have no bars at their ends."""
_SAYS_SOMETHING = re.compile(r"[0-9:：。！？@\n]|[.!?;…][\"'”’)\]*_`]*\Z")
_POINTS_BACK = re.compile(
    r"\W*(?:(?:it|its|they|their|them|this|that|these|those|he|she|his|her|such|both|also|however|then|therefore|thus"
    r"|hence|consequently|as a result|otherwise"
    r"|er|sie|dies|diese[rsmn]?|deshalb|daher|darum|dabei|dafür|dazu|damit|dadurch|außerdem|jedoch|allerdings|sonst"
    r"|est[oae]s?|ellos?|ellas?|además|por eso|sin embargo|ils?|elles?|cela|ceci|cette|ces?|donc|cependant)\b"
    r"|[它他她这那其]|因此|所以|但是|然而|否则)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*(?:(?:then|next|after (?:that|this|which)|afterwards?|finally|lastly|once|when (?:done|finished)"
    r"|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|dann|danach|anschließend|schließlich|zuletzt|zweitens|drittens"
    r"|luego|después|por último|finalmente|puis|ensuite|enfin)\b|然后|接着|最后|之后)",
    re.IGNORECASE,
)
"""How a sentence begins that tells the next step."""
_COLON = re.compile(r"[:：][*_]*\s*\Z")
_NOT_SPACE = re.compile(r"\S")
_HEADING_WORDS = 8


def blocks(text: str) -> list[Block]:
    """What there is to quote in `text`, in order."""
    found: list[Block] = []
    for group in _groups(_lines(text)):
        block = _block(text, group)
        if block.parts:
            found.append(_introduced(text, block, found))
    return [block for block in found if block.parts]


def _lines(text: str) -> Iterator[_Line]:
    """The lines of `text`, a fenced block as one."""
    fence, opened = "", 0
    for match in _LINE.finditer(text):
        start, end = match.span()
        mark = _FENCE.match(match.group())
        if fence:
            if mark and mark["fence"].startswith(fence) and not match.group()[mark.end() :].strip():
                yield _Line("fence", opened, end, bool(_INDENT.match(text, opened)))
                fence = ""
        elif mark:
            fence, opened = mark["fence"], start
        else:
            yield _Line(_kind(match.group()), start, end, bool(_INDENT.match(match.group())))
    if fence:
        yield _Line("fence", opened, len(text))


def _kind(line: str) -> Literal["blank", "heading", "row", "item", "text"]:
    if _BLANK.match(line):
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if _ROW.match(line):
        return "row"
    return "item" if _ITEM.match(line) else "text"


def _groups(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    """Runs of lines that make one block. Blank lines and headings only separate them."""
    group: list[_Line] = []
    after_blank = False
    for line in lines:
        if line.kind == "blank":
            after_blank = True
            continue
        if group and not _continues(group[0], line, after_blank):
            yield group
            group = []
        if line.kind != "heading":
            group.append(line)
        after_blank = False
    if group:
        yield group


def _continues(first: _Line, line: _Line, after_blank: bool) -> bool:
    if first.kind == "item":  # blank lines may stand between the items of a list, and inside one
        return line.kind == "item" or (line.kind in ("text", "fence") and (line.indented or not after_blank))
    return first.kind == line.kind and line.kind in ("row", "text") and not after_blank


def _block(text: str, group: list[_Line]) -> Block:
    start, end = group[0].start, group[-1].end
    kind = group[0].kind
    if kind == "fence":
        return Block("code", [(start, end)])
    if kind == "row" or (kind == "text" and len(group) > 1 and _RULE_OF_BARE_ROWS.match(text, *group[1][1:3])):
        return _table(text, group)
    if kind == "item":
        starts = [line.start for line in group if line.kind == "item"]
        return Block("list", list(zip(starts, [*starts[1:], end], strict=True)))
    return _paragraph(text, start, end)


def _table(text: str, group: list[_Line]) -> Block:
    rows = [(line.start, line.end) for line in group]
    if len(rows) > 1 and _RULE.fullmatch(text, *rows[1]):
        return Block("table", rows[2:], (rows[0][0], rows[1][1]))
    return Block("table", rows)


def _paragraph(text: str, start: int, end: int) -> Block:
    if _reads_like_a_heading(text[start:end].strip()) and _NOT_SPACE.search(text, end):
        return Block("text", [])
    return Block("text", [(start + first, start + last) for first, last in sentence_spans(text[start:end])])


def _reads_like_a_heading(paragraph: str) -> bool:
    return len(paragraph.split()) <= _HEADING_WORDS and not _SAYS_SOMETHING.search(paragraph)


def _introduced(text: str, block: Block, before: list[Block]) -> Block:
    """`block` led by the sentence right before it, when that one ends in a colon."""
    if block.kind == "text" or not before or before[-1].kind != "text" or not before[-1].parts:
        return block
    start, end = before[-1].parts[-1]
    first, after = block.lead or block.parts[0]
    if text[end:first].strip() or not _COLON.search(text[start:end]):
        return block
    before[-1].parts.pop()
    return block._replace(lead=(start, after if block.lead else end))


def excerpts(text: str, block: Block, chosen: Collection[int], whole: int, steps: bool = False) -> list[str]:
    """The chosen parts of a block as they can be quoted, each in its surroundings.

    A list or a table is quoted whole up to `whole` characters; of a longer list an item comes with those above
    and below it in the hierarchy. Lists, tables and code come with their lead, and a sentence that points back with
    the one before it; when `steps` are asked for, also a sentence with those after it that tell the next ones.
    """
    if block.kind == "text":
        return _runs_of_sentences(text, block, _with_next_steps(text, block, chosen) if steps else chosen)
    wanted = set(chosen)
    if block.parts[-1][1] - block.parts[0][0] <= whole:
        wanted.update(range(len(block.parts)))
    elif block.kind == "list":
        wanted |= _family(text, block, chosen)
    lead = text[block.lead[0] : block.parts[0][0]] if block.lead else ""
    body = "".join(text[slice(*block.parts[index])] for index in sorted(wanted))
    return [f"{lead.lstrip()}{dedent(body).strip()}"]


def _runs_of_sentences(text: str, block: Block, chosen: Collection[int]) -> list[str]:
    wanted = {*chosen, *(index - 1 for index in chosen if index and _POINTS_BACK.match(text, block.parts[index][0]))}
    runs: list[Span] = []
    for index in sorted(wanted):
        start, end = block.parts[index]
        if runs and runs[-1][1] == start:
            start = runs.pop()[0]
        runs.append((start, end))
    return [text[slice(*run)].strip() for run in runs]


def _with_next_steps(text: str, block: Block, chosen: Collection[int]) -> set[int]:
    wanted = set(chosen)
    for index in range(1, len(block.parts)):
        if index - 1 in wanted and _GOES_ON.match(text, block.parts[index][0]):
            wanted.add(index)
    return wanted


def _family(text: str, block: Block, chosen: Collection[int]) -> set[int]:
    """The items that the chosen ones are nested in, and those nested in them."""
    items = [text[slice(*part)] for part in block.parts]
    depths = [len(item) - len(item.lstrip()) for item in items]
    family: set[int] = set()
    for index in chosen:
        depth = depths[index]
        for above in range(index - 1, -1, -1):
            if depths[above] < depth:
                family.add(above)
                depth = depths[above]
        for below in range(index + 1, len(depths)):
            if depths[below] <= depths[index]:
                break
            family.add(below)
    return family

"""The lines of a PDF page, in reading order.

A PDF holds characters at places. PDFium groups neighbours into lines in the order in which the page draws them, which
most programs do column by column. What stands side by side is joined here, so that a row of a table is a line.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from msgspec import Struct, structs

from ingest.readers.encoding import paired

Page = Any
"""A PdfPage of pypdfium2, which has no types."""

_WORD_GAP = 0.12
"""Of the font's size: a wider gap between two pieces of a line is a space."""
_CELL_GAP = 1.5
"""Times the size: a gap so wide may part two cells of a row."""
CELL_GAP = "  "
"""How it is written."""
_OVERLAP = 0.5
"""Share of its height by which a piece must stand beside another to be of its line."""
_OVER = 0.3
"""Share of the narrower line's width by which another must stand over it to come first."""
_MOST_LINES = 1_000
"""A page of more is left in the order in which it is drawn: to order n lines takes n² steps."""
_PIECE = re.compile(r"[^\r\n\x02\ufffe]*[\x02\ufffe]|[^\r\n\x02\ufffe]+")
"""Of one line: PDFium marks a hyphen at a line's end, and does not say then that the line ends."""
_SPACES = re.compile(r" +")
_RIGHT_TO_LEFT = re.compile(
    "[\u05d0-\u05ea\u0620-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u06fc\u06ff\u0750-\u077f"
    "\u08a0-\u08c9\ufb1f-\ufdff\ufe70-\ufefc]{2,}"
)
"""Letters of Hebrew, of Arabic, and of what is written with theirs; their vowel signs part a word."""
_LEADERS = re.compile(r"\s?(?:\.\s?){4,}")
_SPELLED_OUT = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
    0x02: "-",
    0xFFFE: "-",
    0xAD: "-",
}


class Line(Struct, frozen=True):
    """Its place is in points, from the lower left corner of the page as it is read."""

    text: str
    page: int
    """From 1."""
    left: float
    bottom: float
    right: float
    top: float
    size: float
    """Of its font, in points."""
    cells: tuple[tuple[float, float], ...]
    """Left and right of its parts, where gaps as wide as between cells of a table part it."""
    from_edge: float
    """Distance from the nearer of the page's upper and lower edge, as a share of its height."""
    is_readable: bool
    """Whether its font tells which letters its shapes are."""


def lines_of(page: Page, number: int) -> list[Line]:
    """The lines of a page that hold text."""
    _, low, _, high = page.get_bbox()
    textpage = page.get_textpage()
    try:
        pieces = [_piece(textpage, number, (low, high), *span) for span in _spans(textpage)]
    finally:
        textpage.close()
    return [_cleaned(line) for line in _ordered(_joined(pieces))]


def _spans(textpage: Any) -> Iterator[tuple[str, int, int]]:
    """Text of each piece, and the indices of its first and last character that is no space. Of a character beyond
    U+FFFF, both surrogates count."""
    count = textpage.count_chars()
    text = textpage.get_text_range() if count else ""
    if len(text) != count:  # some of its characters take two places, or none
        text = "".join(chr(pdfium.FPDFText_GetUnicode(textpage, index) or 0xFFFD) for index in range(count))
    for match in _PIECE.finditer(text):
        piece = match[0].strip()
        first = match.start() + match[0].index(piece)
        if piece:
            yield piece, first, first + len(piece) - 1


def _piece(textpage: Any, page: int, edges: tuple[float, float], text: str, first: int, last: int) -> Line:
    turns = round(pdfium.FPDFText_GetCharAngle(textpage, first) / (math.pi / 2)) % 4
    boxes = [_box(textpage, index, turns) for index in (first, last)]
    samples = (first, (first + last) // 2, last)
    size = sorted(_size(textpage, index) for index in samples)[1]
    unknown = sum(pdfium.FPDFText_HasUnicodeMapError(textpage, index) == 1 for index in samples)
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    bottom, top = min(box[1] for box in boxes), max(box[3] for box in boxes)
    low, high = edges
    text = _RIGHT_TO_LEFT.sub(lambda letters: _from_the_right(textpage, letters, first, turns), text)
    sides = [left]
    words = [text]
    for space in _SPACES.finditer(text):
        before, after = (_box(textpage, first + index, turns) for index in (space.start() - 1, space.end()))
        if after[0] - before[2] > _CELL_GAP * size:
            sides += [before[2], after[0]]
            words[-1:] = [words[-1][: space.start() - len(text)], text[space.end() :]]
    sides.append(right)
    return Line(
        text=CELL_GAP.join(words),
        page=page,
        left=left,
        bottom=bottom,
        right=right,
        top=top,
        size=size,
        cells=tuple(zip(sides[::2], sides[1::2], strict=True)),
        is_readable=unknown < 2,
        from_edge=min(bottom - low, high - top) / max(high - low, 1.0),
    )


def _from_the_right(textpage: Any, letters: re.Match[str], first: int, turns: int) -> str:
    """As they are read: PDFium gives some as they are drawn, from the left, above all those that Chromium drew. `first`
    is the index of the first character of the text in which they were found."""
    lefts = [_box(textpage, first + at, turns)[0] for at in range(*letters.span())]
    if lefts[0] >= lefts[-1]:
        return letters[0]
    ligatures = groupby(zip(lefts, letters[0], strict=True), key=itemgetter(0))  # their letters are in order
    return "".join(reversed(["".join(letter for _, letter in together) for _, together in ligatures]))


def _box(textpage: Any, index: int, turns: int) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a character, as if its line ran from left to right."""
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(textpage, index, rectangle)
    left, bottom, right, top = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
    for _ in range(turns):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top


def _size(textpage: Any, index: int) -> float:
    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(textpage, index)
    if pdfium.FPDFText_GetMatrix(textpage, index, ctypes.byref(matrix)):
        size *= math.hypot(matrix.c, matrix.d)
    return size


def _joined(pieces: Sequence[Line]) -> list[Line]:
    """Pieces that follow one another side by side are one line."""
    lines: list[Line] = []
    for piece in pieces:
        if lines and _is_beside(lines[-1], piece):
            lines[-1] = _join(lines[-1], piece)
        else:
            lines.append(piece)
    return lines


def _is_beside(line: Line, piece: Line) -> bool:
    shared = min(line.top, piece.top) - max(line.bottom, piece.bottom)
    height = min(line.top - line.bottom, piece.top - piece.bottom)
    return shared > _OVERLAP * height and piece.left > line.right - 0.5 * line.size


def _join(line: Line, piece: Line) -> Line:
    gap = (piece.left - line.right) / max(line.size, piece.size, 1.0)
    is_cell = gap > _CELL_GAP
    space = CELL_GAP if is_cell else " " if gap > _WORD_GAP else ""
    between = ((line.cells[-1][0], piece.cells[0][1]),)
    longer = line if len(line.text) >= len(piece.text) else piece
    return structs.replace(
        line,
        text=f"{line.text}{space}{piece.text}",
        bottom=min(line.bottom, piece.bottom),
        right=max(line.right, piece.right),
        top=max(line.top, piece.top),
        size=longer.size,
        cells=line.cells + piece.cells if is_cell else line.cells[:-1] + between + piece.cells[1:],
    )


def _cleaned(line: Line) -> Line:
    text = paired(line.text).translate(_SPELLED_OUT)
    return structs.replace(line, text=_LEADERS.sub(" ... ", text).strip())


def _ordered(lines: Sequence[Line]) -> list[Line]:
    """As they are drawn, but nothing after what it stands over: a header may be drawn last, a footer first."""
    if len(lines) > _MOST_LINES or all(below.top <= above.top for above, below in pairwise(lines)):
        return list(lines)
    below = [[b for b, line in enumerate(lines) if _stands_over(above, line)] for above in lines]
    waiting_for = Counter(index for indices in below for index in indices)
    ready = {index for index in range(len(lines)) if not waiting_for[index]}
    ordered: list[Line] = []
    index = -1
    while ready:
        index = index + 1 if index + 1 in ready else min(ready)
        ready.remove(index)
        ordered.append(lines[index])
        for other in below[index]:
            waiting_for[other] -= 1
            if not waiting_for[other]:
                ready.add(other)
    return ordered


def _stands_over(above: Line, below: Line) -> bool:
    shared = min(above.right, below.right) - max(above.left, below.left)
    width = min(above.right - above.left, below.right - below.left)
    return shared > _OVER * width and above.bottom + above.top > below.bottom + below.top

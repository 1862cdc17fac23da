"""From the lines of a PDF to its paragraphs: lines joined, words that a line end broke mended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from ingest.document import Kind
from ingest.readers.pdf_lines import CELL_GAP, Line

_ITEM = re.compile(r"(?:[•▪■◦‣●○–*-]|[o§·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
_WIDER = 1.3
"""Times the usual distance of two lines: a greater one parts paragraphs."""
_WIDEST = 2.5
"""Times the size of the type: lines farther apart are not of one paragraph."""
_SHORT = 0.8
"""Of the widest line around: a sentence that ends before it ends its paragraph."""
_SENTENCE_END = re.compile(r"[.!?:]['\"”’)\]]*$")
_BROKEN = re.compile(r"(\w[\w-]*)-$")
_FIRST_WORD = re.compile(r"[^\W\d_][\w]*")
_WORD = re.compile(r"\w+(?:-\w+)*")
_HYPHENATING = 0.02
"""Share of lines with a hyphen at their end, from which a document is taken to hyphenate."""


class Hyphens:
    """Decides, by the words that a document holds elsewhere, whether a hyphen at a line's end belongs to the word."""

    def __init__(self, lines: Sequence[Line]) -> None:
        ends = [line for line in lines if _BROKEN.search(line.text)]
        self._hyphenates = len(ends) > _HYPHENATING * len(lines)
        self._words = Counter(word for line in lines for word in _WORD.findall(line.text.casefold()))

    def join(self, text: str, following: str) -> str:
        """The text with the next line, a space or the right hyphen between them."""
        broken = _BROKEN.search(text)
        rest = _FIRST_WORD.match(following)
        if broken is None or rest is None:
            return f"{text} {following}"
        if rest[0][0].isupper() or self._keeps_hyphen(broken[1].casefold(), rest[0].casefold()):
            return text + following
        return text[:-1] + following

    def _keeps_hyphen(self, start: str, rest: str) -> bool:
        whole, hyphened = self._words[start + rest], self._words[f"{start}-{rest}"]
        if whole or hyphened:
            return hyphened > whole
        return "-" in start or not self._hyphenates


def paragraphs(lines: Sequence[Line], hyphens: Hyphens) -> Iterator[tuple[str, Kind]]:
    """The paragraphs of consecutive lines of one page; the items of a list are one block together."""
    items: list[str] = []
    for paragraph in _grouped(lines):
        text = _text(paragraph, hyphens)
        if _ITEM.match(text):
            items.append(text)
            continue
        if items:
            yield "\n".join(items), "list"
            items = []
        yield text, "paragraph"
    if items:
        yield "\n".join(items), "list"


def _text(paragraph: Sequence[Line], hyphens: Hyphens) -> str:
    """Rows of a table stay lines, with their cells apart."""
    rows = [
        any(_align(line, other) for other in paragraph[max(at - 1, 0) : at + 2]) for at, line in enumerate(paragraph)
    ]
    text = ""
    for at, line in enumerate(paragraph):
        written = line.text if rows[at] else line.text.replace(CELL_GAP, " ")
        starts_line = at == 0 or rows[at] or rows[at - 1]
        text = f"{text}\n{written}" if starts_line else hyphens.join(text, written)
    return text.removeprefix("\n")


def _align(line: Line, other: Line) -> bool:
    """Whether cells stand one below the other, by their left edges, or by their right ones if they are numbers.

    In justified text gaps are wide too, but there all lines end at the same place.
    """
    if line is other or len(line.cells) < 2 or len(other.cells) < 2:
        return False
    near = 0.5 * line.size
    last, other_last = (each.text.split(CELL_GAP)[-1] for each in (line, other))
    if abs(line.right - other.right) < near and last != other_last:
        return any(map(str.isdigit, last)) and any(map(str.isdigit, other_last))
    return any(abs(a[0] - b[0]) < near for a in line.cells[1:] for b in other.cells[1:])


def _grouped(lines: Sequence[Line]) -> Iterator[list[Line]]:
    pitches = [(above.top - below.top) / max(above.size, 1.0) for above, below in pairwise(lines)]
    usual = median([pitch for pitch in pitches if 0 < pitch < _WIDEST] or [_WIDEST / 2])
    group: list[Line] = []
    for line in lines:
        if group and _parts(group, line, usual):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _parts(group: Sequence[Line], line: Line, usual: float) -> bool:
    """Whether a line begins a new paragraph."""
    last = group[-1]
    distance = last.top - line.top
    if distance < -last.size:  # the next column
        return bool(_SENTENCE_END.search(last.text)) or not line.text[:1].islower()
    if distance > _WIDER * usual * last.size or abs(last.size - line.size) > 0.1 * last.size:
        return True
    if _ITEM.match(line.text):
        return True
    widest = max(each.right for each in (*group, line)) - min(each.left for each in (*group, line))
    return bool(_SENTENCE_END.search(last.text)) and last.right - line.left < _SHORT * widest

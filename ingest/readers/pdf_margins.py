"""Headers, footers and page numbers that repeat from page to page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ingest.readers.pdf_lines import Line

Page = Sequence[Line]

_MARGIN = 0.12
"""Of the page's height, at its top and at its bottom: they are looked for in there."""
_MOST_LINES = 3
"""Of a header, and of a footer."""
_LEAST_SHARE = 0.4
"""Of the pages, so that those that differ between left and right pages are found too."""
_LEAST_PAGES = 3
_SAME_PLACE = 8.0
"""Points: lines of the same height on their pages fall into one step of this, or into two neighbours."""
_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")
_PAGE_NUMBER = re.compile(r"\W*(?:[^\W\d]{1,6}\.?\s*)?\d{1,5}(?:\s*(?:/|[^\W\d]{2,5})\s*\d{1,5})?\W*")
"""Such as `12`, `- 12 -`, `Page 12`, `p. 12 of 40`, `12/40`."""


def without_margins(pages: Sequence[Page]) -> list[list[Line]]:
    """The pages without the lines that stand at the same height of many others, but for a number that counts pages.

    A line that is no more than a page number has only to be on two.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page in pages:
        for line in _outer(page):
            for place in _places(line):
                seen[place].add(line.page)
    return [[line for line in page if not _repeats(line, _outer(page), seen, len(pages))] for page in pages]


def _repeats(line: Line, outer: Sequence[Line], seen: Mapping[tuple[str, int], set[int]], pages: int) -> bool:
    if line not in outer:
        return False
    least = 2 if _PAGE_NUMBER.fullmatch(line.text) else _LEAST_PAGES
    return max(len(seen[place]) for place in _places(line)) >= max(least, _LEAST_SHARE * pages)


def _outer(page: Page) -> list[Line]:
    """The lines in the page's margins, no more than a header and a footer have."""
    by_height = sorted(page, key=lambda line: -line.top)
    ends = by_height[:_MOST_LINES] + by_height[max(_MOST_LINES, len(by_height) - _MOST_LINES) :]
    return [line for line in ends if line.from_edge < _MARGIN]


def _places(line: Line) -> Iterator[tuple[str, int]]:
    step = round(line.bottom / _SAME_PLACE)
    yield from ((shape, near) for shape in _shapes(line) for near in (step, step + 1))


def _shapes(line: Line) -> set[str]:
    """The text, and the text with its first or last number counted from the number of the page."""
    text = " ".join(line.text.casefold().split())
    numbers = list(_NUMBER.finditer(text))
    relative = (
        f"{text[: number.start()]}#{int(number[0]) - line.page}{text[number.end() :]}"
        for number in (*numbers[:1], *numbers[-1:])
    )
    return {text, *relative}

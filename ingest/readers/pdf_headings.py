"""Which lines of a PDF are headings: those that its bookmarks name, else those in larger type."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ingest.readers.pdf_lines import Line

_LEAST_FOUND = 0.5
"""Share of the bookmarks that must be found on their pages for them to be believed."""
_LONGEST = 3
"""Lines of one heading."""
_LARGER = 1.15
"""Times the size of the running text."""
_SAME_SIZE = 0.5
"""Points."""
_LEVELS = 6
_MOST_OF_TEXT = 0.3
"""Share of all characters that headings may have: where more is large, size means something else."""
_LETTER = re.compile(r"[^\W\d_]")


class Bookmark(Struct, frozen=True):
    level: int
    """From 1."""
    title: str
    page: int
    """From 1."""


class Heading(Struct, frozen=True):
    level: int
    name: str
    lines: int
    """How many lines it takes."""


def headings(lines: Sequence[Line], bookmarks: Sequence[Bookmark]) -> Mapping[int, Heading]:
    """By the index of their first line."""
    named = _by_bookmarks(lines, bookmarks)
    if bookmarks and len(named) >= _LEAST_FOUND * len(bookmarks):
        return named
    return _by_size(lines)


def _by_bookmarks(lines: Sequence[Line], bookmarks: Sequence[Bookmark]) -> dict[int, Heading]:
    on_page: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        on_page[line.page].append(index)
    found: dict[int, Heading] = {}
    for bookmark in bookmarks:
        for index in on_page[bookmark.page]:
            if index not in found and (heading := _named(lines, index, bookmark)):
                found[index] = heading
                break
    return found


def _named(lines: Sequence[Line], index: int, bookmark: Bookmark) -> Heading | None:
    """The heading that begins at a line, if its lines say what the bookmark says, numbers before it aside."""
    wanted = _letters(bookmark.title)
    text = ""
    for count, line in enumerate(lines[index : index + _LONGEST], 1):
        text = f"{text} {line.text}".strip()
        if wanted and _letters(text) == wanted:
            return Heading(bookmark.level, " ".join(text.split()), count)
    return None


def _letters(text: str) -> str:
    folded = "".join(character for character in text.casefold() if character.isalnum())
    return folded.lstrip("0123456789") or folded


def _by_size(lines: Sequence[Line]) -> dict[int, Heading]:
    characters: Counter[float] = Counter()
    for line in lines:
        characters[_rounded(line.size)] += len(line.text)
    if not characters:
        return {}
    running = characters.most_common(1)[0][0]
    groups = [group for group in _groups(lines) if _rounded(lines[group.start].size) >= _LARGER * running]
    groups = [group for group in groups if len(group) <= _LONGEST and _LETTER.search(_text(lines, group))]
    if sum(len(_text(lines, group)) for group in groups) > _MOST_OF_TEXT * characters.total():
        return {}
    sizes = sorted({_rounded(lines[group.start].size) for group in groups}, reverse=True)
    return {
        group.start: Heading(
            min(sizes.index(_rounded(lines[group.start].size)) + 1, _LEVELS), _text(lines, group), len(group)
        )
        for group in groups
    }


def _groups(lines: Sequence[Line]) -> Iterator[range]:
    """Consecutive lines of one size, close to one another on one page."""
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or not _belongs(lines[index - 1], lines[index]):
            yield range(start, index)
            start = index


def _belongs(line: Line, following: Line) -> bool:
    return (
        line.page == following.page
        and _rounded(line.size) == _rounded(following.size)
        and -line.size < line.bottom - following.top < line.size
    )


def _text(lines: Sequence[Line], group: range) -> str:
    return " ".join(" ".join(lines[index].text for index in group).split())


def _rounded(size: float) -> float:
    return round(size / _SAME_SIZE) * _SAME_SIZE

"""Titles where they enter the Markdown of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from app.core.model import Source
from app.core.prompt import neutralise

_ROUND = str.maketrans("[]<>", "()()")
_MARKUP = re.compile(
    r"[\\`*~]|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is none
    r"|\A[#+=-]"  # would open a block
)


def as_text(title: str) -> str:
    """A title on one line as nothing but text: no marker, link, code, HTML or emphasis comes out of it."""
    plain = neutralise(" ".join(title.split())).translate(_ROUND).replace("://", ": //")
    return _MARKUP.sub(r"\\\g<0>", plain)


def section(source: Source) -> tuple[str, ...]:
    """The headings over a source: its own, or those that its passages share, then the first and the last of the others.

    `("Leave", "Annual leave … Sick leave")` of a source that was merged from what stands between the two.
    """
    paths = [passage.heading for passage in source.passages] or [source.heading]
    shared = tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False)))
    first, last = (path[len(shared) : len(shared) + 1] for path in (paths[0], paths[-1]))
    return (*shared, f"{first[0]} … {last[0]}") if first and last and first != last else shared


def place(
    title: str, heading: Sequence[str], page: int | None, document_id: str, pages: tuple[int, int] | None = None
) -> str:
    """Where a passage stands, on one line as nothing but text: `Leave › Carry-over, p. 3`, or `p. 3–4` of `pages`."""
    path = [title, *heading]
    names = path[1:] if len(path) > 1 and path[0] == path[1] else path
    named = " › ".join(" ".join(name.split()) for name in names if name.strip()) or document_id
    shown = "–".join(map(str, dict.fromkeys(pages))) if pages else page
    return as_text(named) + (f", p. {shown}" if shown is not None else "")

"""What may stand around a marker that goes, and what of it goes along."""

from __future__ import annotations

import re

MAX_TAIL = 8
"""Characters held back in case a marker follows."""

_OPENERS = frozenset(" (（*_~")
_TAIL = re.compile(rf"[ (（*_~]{{1,{MAX_TAIL}}}\Z")
_EMPHASIS = re.compile(r"(?:\*+|_+|~+)\Z")
_OPENER_OF = {")": "(", "）": "（"}
_LOOSE = " ,;，；、"
JOINING_WORDS = ("and", "or", "und", "et")
"""Go along when a marker goes that they join to another."""
_BETWEEN = ["", *",;，；、-–&", *JOINING_WORDS, ", and", ", or"]
_GAPS = frozenset(f"{before}{word}{after}" for word in _BETWEEN for before in ("", " ") for after in ("", " "))
_GAP_BEGINNINGS = frozenset(gap[:length] for gap in _GAPS for length in range(1, len(gap) + 1))
_MAY_VANISH = " (（*_~)）-–&" + _LOOSE
_NO_SPACE_BEFORE = frozenset(".,;:!?)]}。，；：！？）")


def joins(gap: str) -> bool:
    """Whether two markers with `gap` between them stand in one row."""
    return gap in _GAPS


def may_join(gap: str) -> bool:
    """Whether the gap may become one that joins."""
    return gap in _GAP_BEGINNINGS


def is_loose(gap: str) -> bool:
    """Whether nothing but separators and spaces is in it."""
    return not gap.strip(_LOOSE)


def strip_left(gap: str) -> str:
    return gap.lstrip(_LOOSE)


def has_words(text: str) -> bool:
    """Whether something in it never goes with a marker."""
    return bool(text.strip(_MAY_VANISH))


def split_tail(text: str) -> tuple[str, str]:
    """`text` without the end that may have to go with a marker, and that end."""
    if text[-1] not in _OPENERS or not (tail := _TAIL.search(text)):
        return text, ""
    return text[: tail.start()], tail[0]


def without_bracket(tail: str, closer: str) -> str | None:
    """`tail` less the bracket at its end that `closer` closes; None when there is none."""
    bare = tail.rstrip(" ")
    opener = _OPENER_OF.get(closer)
    return bare[:-1] if opener and bare.endswith(opener) else None


def emphasis_at_end(tail: str) -> str:
    found = _EMPHASIS.search(tail)
    return found[0] if found else ""


def without_space_before(next_char: str, gap: str) -> str:
    """The gap before `next_char`, without a space that only the marker accounted for."""
    if next_char == "\n" and not gap.isspace():
        return gap.rstrip(" ")
    if next_char == "\n" and len(gap) == 1:
        return ""
    return gap.rstrip(" ") if next_char in _NO_SPACE_BEFORE else gap

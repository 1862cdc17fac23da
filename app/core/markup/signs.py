"""The signs of citing, and the figures that look like a list of numbers and are none."""

from __future__ import annotations

import re

from app.core.markup.lexemes import fold

DASHES = "-‐‒–—―−〜∼"
SEPARATORS = ",;、،؛/&"
MARKS = "^#@№"
EMPHASIS = "*_~"
ASSIGNING = "=\"'“”"
"""As in `[source id="1"]`."""
TITLING = "|\"'“”«"
"""After a citing word and its number, a title or the like follows."""

_SIGNS = frozenset(DASHES + SEPARATORS + MARKS + EMPHASIS + ".:†‡")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:([,.'’_ \u00a0\u2009\u202f])[0-9]{3})(?:\1[0-9]{3})*+")
_DATE = re.compile(r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4}")


def is_marker_character(char: str) -> bool:
    """Whether a marker that is too long to hold may go on with it."""
    return all(part.isdecimal() or part.isspace() or part in _SIGNS for part in fold(char))


def is_figure(folded: str) -> bool:
    """Whether it is a date, or one number with its thousands set apart."""
    return bool(_THOUSANDS.fullmatch(folded) or _DATE.fullmatch(folded))

"""Numbers that are set higher than the line: run into what stands before them, ten to the sixth would read 106."""

from __future__ import annotations

from collections.abc import Iterable

_SIGNS = "+-\u2212\u2013"


def joined(parts: Iterable[tuple[str, bool]]) -> str:
    """The texts of a line as one; of each it is said whether it is raised."""
    said, was_raised = "", False
    for text, is_raised in parts:
        if is_raised and not was_raised:
            said += mark(said, text)
        said += text
        was_raised = is_raised
    return said


def mark(before: str, raised: str) -> str:
    """`^` where a raised number follows a letter, a digit or a bracket; otherwise nothing."""
    follows = before[-1:].isalnum() or before.endswith((")", "]"))
    return "^" if follows and raised.strip().lstrip(_SIGNS)[:1].isdecimal() else ""

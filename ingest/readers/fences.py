"""Code as Markdown writes it."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`{3,}")


def fenced(code: str, language: str = "") -> str:
    """The code between fences that are longer than any in it."""
    ticks = max((len(run) for run in _TICKS.findall(code)), default=2) + 1
    return f"{'`' * ticks}{language}\n{code}\n{'`' * ticks}"

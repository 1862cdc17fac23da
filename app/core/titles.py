"""Titles where they enter the Markdown of an answer."""

from __future__ import annotations

import re

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

"""A question as the path works with it."""

from __future__ import annotations

import unicodedata

MAX_LENGTH = 2_000


class BadQuestion(ValueError):
    """The question can't be asked; the text says why, for the caller."""


def normalise(question: str) -> str:
    """NFC, trimmed, every run of white space one space.

    Raises BadQuestion unless 1 to 2,000 characters are left, none of them a null or a lone surrogate.
    """
    if "\0" in question:
        raise BadQuestion("The question holds a null character.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise BadQuestion("The question holds a lone surrogate, which is not valid Unicode text.")
    folded = " ".join(unicodedata.normalize("NFC", question).split())
    if not folded:
        raise BadQuestion("The question is empty.")
    if len(folded) > MAX_LENGTH:
        raise BadQuestion(f"The question has {len(folded)} characters; at most {MAX_LENGTH} are read.")
    return folded

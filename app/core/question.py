"""A question as the path works with it."""

from __future__ import annotations

import unicodedata

from app.core.sentences import sentence_spans

MAX_LENGTH = 2_000
_READ_WHOLE = 900
"""Bytes of UTF-8: about the 256 tokens that a small embedding model reads, in scripts of every kind."""
_QUESTION_MARKS = ("?", "？", "؟")
_FOLDABLE = 32 * MAX_LENGTH
"""Characters that are looked at, so that a megabyte of white space costs nothing."""


class BadQuestion(ValueError):
    """The question can't be asked; the text says why, for the caller."""


def normalise(question: str) -> str:
    """NFC, trimmed, every run of white space one space.

    Raises BadQuestion unless 1 to 2,000 characters are left, none of them a null or a lone surrogate.
    """
    if len(question) > _FOLDABLE:
        raise _too_long(len(question))
    if "\0" in question:
        raise BadQuestion("The question holds a null character.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise BadQuestion("The question holds a lone surrogate, which is not valid Unicode text.")
    folded = " ".join(unicodedata.normalize("NFC", question).split())
    if not folded:
        raise BadQuestion("The question is empty.")
    if len(folded) > MAX_LENGTH:
        raise _too_long(len(folded))
    return folded


def asking(question: str) -> str:
    """What a long question is embedded by: its sentences with a question mark.

    An embedding model cuts off what it does not read, and the question proper may stand at the end of a message. A
    question that is read whole, or has no such sentence, stays as it is.
    """
    if len(question.encode()) <= _READ_WHOLE:
        return question
    sentences = [question[start:end].strip() for start, end in sentence_spans(question)]
    asked = " ".join(each for each in sentences if each.endswith(_QUESTION_MARKS))
    return asked or question


def _too_long(length: int) -> BadQuestion:
    return BadQuestion(f"The question has {length} characters; at most {MAX_LENGTH} are read.")

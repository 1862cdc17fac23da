"""The characters of Markdown text: each as it stands, and as a reader sees it."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

OPENING = "[【〔〖〘〚⟦⁅❲［⦋⟬"
CLOSING = "]】〕〗〙〛⟧⁆❳］⦌⟭"

FOREIGN_OPENING = "\ue200"
FOREIGN_CLOSING = "\ue201"
"""Private-use characters with which one family of models opens and closes its citations."""

_SPECIAL = re.compile("[" + re.escape(OPENING + CLOSING + "\\&!" + FOREIGN_OPENING + FOREIGN_CLOSING) + "]")
_OPENING = frozenset(OPENING)
_CLOSING = frozenset(CLOSING)
_LEXEME = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<image>!\[)"
)
_UNFINISHED = re.compile(r"(?:\\|!|&(?:#[xX]?[0-9a-fA-F]{0,7}|[A-Za-z0-9]{0,32}))\Z")


_INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"


class Lexeme(NamedTuple):
    raw: str
    char: str
    """What a reader sees of it: of `\\[` and `&#91;` a bracket."""

    @property
    def opens(self) -> bool:
        return self.char in _OPENING

    @property
    def closes(self) -> bool:
        return self.char in _CLOSING


def next_special(text: str, at: int) -> int:
    """Where the next character stands that is a bracket, or that more than one lexeme may begin with."""
    found = _SPECIAL.search(text, at)
    return found.start() if found else len(text)


def lexeme_at(text: str, at: int, *, ends: bool = False) -> Lexeme | None:
    """The lexeme that begins at `at`; None when it may reach over the end of `text`."""
    if text[at] not in "\\&!":
        return Lexeme(text[at], text[at])
    if not ends and _UNFINISHED.match(text, at):
        return None
    found = _LEXEME.match(text, at)
    if found is None:
        return Lexeme(text[at], text[at])
    return Lexeme(found[0], html.unescape(found[0]) if found.lastgroup == "entity" else found[0][1])


def seen(text: str) -> str:
    """What a reader sees of whole lexemes."""
    shown, at = "", 0
    while at < len(text) and (lexeme := lexeme_at(text, at, ends=True)):
        shown += lexeme.char
        at += len(lexeme.raw)
    return shown


@lru_cache(maxsize=4096)
def fold(char: str) -> str:
    """What a reader sees in a character: digits as ASCII, letters small, nothing for what is invisible."""
    if char.isascii():
        return char.lower()
    folded = unicodedata.normalize("NFKC", char).casefold()
    return "".join(_fold_part(part) for part in folded if not _is_invisible(part))


def _fold_part(part: str) -> str:
    digit = unicodedata.digit(part, None)
    return part if digit is None else str(digit)


def _is_invisible(char: str) -> bool:
    return char in _INVISIBLE_LETTERS or unicodedata.category(char) in ("Cf", "Mn", "Me", "Cc", "Cn", "Co")

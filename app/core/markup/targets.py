"""What may follow a bracket: a link's target, or the URL of a definition (CommonMark 0.31.2, sections 4.7 and 6.3)."""

from __future__ import annotations

import re
from enum import Enum, auto

from app.core.markup.lexemes import CLOSING, FOREIGN_CLOSING, FOREIGN_OPENING, OPENING, Lexeme

MAX_TARGET = 2048
"""Characters held for a target. A longer one is never made live."""

_LIKE_A_URL = re.compile(r"[/#?@]|:\S|^\.|^www|[\w-]\.[A-Za-z]{2}|^(?:https?|ftp)$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAY_VANISH = frozenset(OPENING + CLOSING + "\\&<!" + FOREIGN_OPENING + FOREIGN_CLOSING)
"""With these something may begin that the filter removes; what follows could then become a target after all."""


def is_word(target: str) -> bool:
    """Whether it is no URL but in form, as in `handlers[i](event)`."""
    return bool(_WORD.fullmatch(target))


def resembles_url(target: str) -> bool:
    return bool(_LIKE_A_URL.search(target))


class Status(Enum):
    OPEN = auto()
    COMPLETE = auto()
    NONE = auto()
    """No link for any reader of CommonMark, whatever is removed from it."""
    UNCLEAR = auto()
    """Too long or too odd to tell."""


class TargetReader:
    """Reads what follows `](`, up to the closing round bracket."""

    def __init__(self) -> None:
        self.raw = ""
        self.url = ""
        self._state = self._before_url
        self._depth = 0
        self._quote = ""

    def read(self, lexeme: Lexeme) -> Status:
        self.raw += lexeme.raw
        return self._state(lexeme) if len(self.raw) < MAX_TARGET else Status.UNCLEAR

    def take(self, url: str) -> bool:
        """Take in the URL as it stands in angle brackets; False when another has begun. It is dead in `raw`."""
        if self._state != self._before_url:
            return False
        self.raw += f"&lt;{url}>"
        self.url = url
        self._state = self._after_url
        return True

    def _before_url(self, lexeme: Lexeme) -> Status:
        if lexeme.raw in " \t":
            return Status.OPEN
        self._state = self._in_url
        return self._in_url(lexeme)

    def _in_url(self, lexeme: Lexeme) -> Status:
        raw = lexeme.raw
        if raw == ")" and not self._depth:
            return Status.COMPLETE
        if raw in " \t" and not self._depth:
            self._state = self._after_url
            return Status.OPEN
        vanishes = lexeme.opens or lexeme.closes or raw in (FOREIGN_OPENING, FOREIGN_CLOSING, "<")
        if vanishes or raw.isspace() or raw < " " or raw == "|":
            return Status.UNCLEAR
        self._depth += (raw == "(") - (raw == ")")
        self.url += raw
        return Status.OPEN

    def _after_url(self, lexeme: Lexeme) -> Status:
        raw = lexeme.raw
        if raw == ")":
            return Status.COMPLETE
        if raw in "\"'(" and self._state == self._after_url:
            self._quote = ")" if raw == "(" else raw
            self._state = self._in_title
            return Status.OPEN
        if raw in " \t":
            return Status.OPEN
        return Status.UNCLEAR if raw[0] in _MAY_VANISH else Status.NONE

    def _in_title(self, lexeme: Lexeme) -> Status:
        if lexeme.raw == self._quote:
            self._state = self._after_title
        return Status.OPEN

    def _after_title(self, lexeme: Lexeme) -> Status:
        return self._after_url(lexeme)


class DefinitionReader:
    """Reads what follows `]:` at the start of a line, up to the first character after the URL."""

    def __init__(self) -> None:
        self.raw = ""
        self.url = ""
        self.is_prose = False
        """Whether it is no definition for any reader, provided that the line goes on."""
        self._titled = False

    def defines(self, *, ends: bool) -> bool:
        """Whether it surely is a definition. `ends`: the line does, after what was read."""
        return bool(self.url) and (ends or self._titled)

    def read(self, lexeme: Lexeme) -> Status:
        after_gap = self.raw[-1:].isspace()
        self.raw += lexeme.raw
        if lexeme.raw.isspace():
            return Status.OPEN if len(self.raw) < MAX_TARGET else Status.UNCLEAR
        if self.url and after_gap:
            self._titled = lexeme.raw in ('"', "'", "(")
            odd = resembles_url(self.url) or _MAY_VANISH & {*self.url, lexeme.raw[0]}
            self.is_prose = not (self._titled or odd)
            return Status.COMPLETE
        self.url += lexeme.raw
        return Status.OPEN if len(self.raw) < MAX_TARGET else Status.UNCLEAR

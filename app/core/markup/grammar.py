"""What inside a bracket makes it a citation marker.

`Reading` is a state machine over the characters that a reader would see. It errs towards markers: a bracket
that holds nothing but numbers and the words and signs of citing is one, whatever the numbers.
`grammar_table.py` shows the whole language, row by row.
"""

from __future__ import annotations

from enum import Enum, auto

from app.core.markup.lexemes import fold
from app.core.markup.markers import Member
from app.core.markup.signs import ASSIGNING, DASHES, EMPHASIS, MARKS, SEPARATORS, TITLING, is_figure
from app.core.markup.vocabulary import CITING, COUNTING, FOREIGN, JOINING, LEADING, LOCATING, REACHING, REMARKING


class _At(Enum):
    START = auto()
    """Before a number: at the start or after a separator."""
    WORD = auto()
    """After a citing word."""
    NUMBER = auto()
    """After a number, or a bracket inside that is a marker."""
    DASH = auto()
    """Inside a range."""
    LOCATOR = auto()
    """In `p. 3`, which says where in the source."""
    COLON = auto()
    """After `4:`, where the ids of another system go on."""
    FOREIGN = auto()
    """In an id of another system."""
    REST = auto()
    """After a dagger, or in the title of `Source 1: Title`, where anything may stand."""


_WORDS = {
    _At.START: CITING | LEADING | JOINING | LOCATING | FOREIGN,
    _At.WORD: COUNTING,
    _At.NUMBER: JOINING | REACHING | LOCATING,
    _At.DASH: CITING | COUNTING,
    _At.LOCATOR: LOCATING | JOINING | REACHING,
    _At.COLON: frozenset[str](),
}


class Reading:
    """Reads the inside of one bracket, as far as it may be a marker."""

    def __init__(self) -> None:
        self.viable = True
        """Whether it is a marker or may still become one."""
        self.form = "number"
        self.has_number = False
        self.has_digits = False
        """Whether a number is its own, not that of a bracket inside."""
        self.decided: list[Member] = []
        """The members that nothing that follows could change."""
        self._at = _At.START
        self._last: Member | None = None
        """The number or range at the end, which may still grow."""
        self._digits = self._word = ""
        self._negative = False
        self._may_title = False
        """Whether a title may follow the number."""
        self._gap = False
        """Whether white space stands before what comes next."""
        self._after_item = False
        self._shown = ""
        """All of it as folded, to tell dates and thousands."""

    def read(self, char: str) -> None:
        if not self.viable or self._at is _At.REST:
            return
        for part in fold(char):
            self._shown += part
            if part.isdecimal():
                self._read_digit(part)
            elif part.isalpha() or self._word + part == "oai_":
                self._read_letter(part)
            else:
                self._end_token()
                self.viable = self.viable and (self._reads_sign(part) or self._reads_title(part))

    def read_item(self, members: list[Member]) -> None:
        """Take in a bracket inside, itself a marker."""
        self._end_token()
        glued = self._at is _At.NUMBER and not (self._gap or self._after_item)
        if glued or self._at not in (_At.START, _At.WORD, _At.NUMBER, _At.DASH):
            self.viable = False
        elif self._at is _At.DASH and self._last and len(members) == 1:
            self._last = (self._last[0], members[0][1])
        else:
            self._decide()
            self.decided += members[:-1]
            self._last = members[-1] if members else None
        self._at, self._gap, self._after_item, self.has_number = _At.NUMBER, False, True, True

    def close(self, *, foreign_ids: bool = False) -> list[Member] | None:
        """The members, at the closing bracket; None when this is no marker. `foreign_ids`: `4:0` is one."""
        self._end_token()
        if not (self.viable and self.has_number) or is_figure(self._shown.strip()):
            return None
        if self._at is _At.FOREIGN or (self._at is _At.COLON and foreign_ids):
            self.form = "foreign"
            return []
        self._decide()
        return None if self._at is _At.COLON else self.decided

    def _decide(self) -> None:
        if self._last:
            if self.decided and self.form == "number":
                self.form = "list"
            self.decided.append(self._last)
            self._last = None

    def _end_token(self) -> None:
        if self._digits:
            self._end_number()
        elif self._word:
            self._end_word()

    # Numbers.

    def _read_digit(self, digit: str) -> None:
        if self._word:
            self._end_word()
        if not self._digits and self._at is _At.NUMBER and not self._gap:
            self.viable = False
        self._digits += digit
        self.has_number = self.has_digits = True
        self._gap = False

    def _end_number(self) -> None:
        number = -int(self._digits) if self._negative else int(self._digits)
        self._digits, self._negative, self._after_item = "", False, False
        if self._at is _At.DASH and self._last:
            self._last = (self._last[0], number)
            self.form = "range"
            self._at = _At.NUMBER
        elif self._at in (_At.START, _At.WORD, _At.NUMBER):
            self._decide()
            self._last = (number, number)
            self._at = _At.NUMBER

    # Words.

    def _read_letter(self, letter: str) -> None:
        glued = bool(self._digits) and letter.isascii()
        self._end_number() if self._digits else None
        self._word += letter
        allowed = _WORDS.get(self._at)
        if (glued and self._at is _At.NUMBER) or (
            allowed is not None and not any(word.startswith(self._word) for word in allowed)
        ):
            self.viable = self._reads_title()

    def _end_word(self) -> None:
        word, self._word, self._gap = self._word, "", False
        if self._at in (_At.LOCATOR, _At.FOREIGN):
            return
        if self._at is _At.START and word in FOREIGN:
            self._at = _At.FOREIGN
        elif self._at is _At.START and word in CITING:
            self.form, self._may_title = "word", word not in REMARKING
            self._at = _At.WORD
        elif self._at is _At.NUMBER and word in REACHING and self._last:
            self._at = _At.DASH
        elif word in JOINING and (self._at is _At.NUMBER or (self._at is _At.START and self.decided)):
            self._decide()
            self._at = _At.START
        elif word in LOCATING and (self._last or self.decided):
            self._decide()
            self._at = _At.LOCATOR
        elif word not in (LEADING if self._at is _At.START else _WORDS.get(self._at, ())):
            self.viable = self._reads_title()

    def _reads_title(self, sign: str = "") -> bool:
        """Whether what is nothing else may be the title in `Source 1, Title`."""
        begun = sign in tuple(TITLING) if self._at is _At.NUMBER else self._at in (_At.START, _At.DASH, _At.LOCATOR)
        if not (begun and self._may_title and (self._last or self.decided)):
            return False
        self._decide()
        self._at, self._word = _At.REST, ""
        return True

    # Signs. Each tells whether the sign may stand here.

    def _reads_sign(self, sign: str) -> bool:
        if sign.isspace():
            self._gap = True
            return self._at is not _At.FOREIGN or self.has_number
        if sign == "~" and self._at is _At.NUMBER and self._last and self._last[0] == self._last[1]:
            return self._reads_dash()
        if sign in EMPHASIS:
            self._gap = True
        if sign in EMPHASIS or self._at is _At.FOREIGN:
            return True
        if sign in "†‡":
            return self._reads_dagger()
        if sign in SEPARATORS:
            return self._reads_separator()
        if sign in DASHES:
            return self._reads_dash()
        if sign in MARKS:
            return self._at is not _At.NUMBER or sign == "^"
        return self._reads_stop(sign)

    def _reads_dagger(self) -> bool:
        if self._at not in (_At.NUMBER, _At.COLON):
            return False
        self.form = "dagger"
        self._at = _At.REST if self._at is _At.NUMBER else _At.FOREIGN
        return True

    def _reads_separator(self) -> bool:
        if self._at in (_At.NUMBER, _At.LOCATOR, _At.DASH):
            self._decide()
            self._at = _At.START
        return self._at in (_At.START, _At.WORD)

    def _reads_dash(self) -> bool:
        if self._at is _At.START:
            self._negative = True
        elif self._at is _At.NUMBER:
            if self._last and self._last[0] != self._last[1]:
                return False
            self._at = _At.DASH
        return self._at is not _At.COLON

    def _reads_stop(self, sign: str) -> bool:
        match sign:
            case ":" if self._at is _At.NUMBER and self.form == "word":
                self._at = _At.REST
                return True
            case ":" if self._at is _At.NUMBER and self._last and not self._gap:
                self._at = _At.COLON
                return True
            case ":":
                return self._at in (_At.START, _At.WORD)
            case "." if self._at is _At.START:
                return self._shown[-2:-1].isalpha()
            case ".":
                return self._at is not _At.COLON
            case "(" | "§" if self._at is _At.NUMBER:
                self._decide()
                self._at = _At.LOCATOR
                return True
        return sign in {_At.LOCATOR: ")§", _At.WORD: ASSIGNING}.get(self._at, "")

"""Keeps apart what would mean something new if it stood together, where something between was removed."""

from __future__ import annotations

import re
import string

ZERO_WIDTH_SPACE = "\u200b"

_ANGLE = re.compile(r"<(?:[A-Za-z/!?][^<>]*)?\Z")
_NAME_BEGIN = re.compile(r"[A-Za-z/!?]")
_ENTITY = re.compile(r"&[#A-Za-z0-9]*\Z")
_ENTITY_PART = re.compile(r"[#A-Za-z0-9]*")


class Joints:
    """Follows what is written; `before` gives what must stand between it and the next piece."""

    def __init__(self) -> None:
        self.last = "\n"
        """The last character written."""
        self._in_escape = False
        """Whether a backslash ends the text that would escape what follows."""
        self._removed = self._cut = self._apart = False
        self._in_entity = False
        """The text ends like the beginning of `&#91;`."""
        self.in_angle = False
        """It ends like the beginning of a tag, which the scanners before did not find to be one."""

    @property
    def idle(self) -> bool:
        """Whether plain text can follow without a look."""
        return not (self._removed or self._cut or self._in_entity or self.in_angle or self._in_escape)

    def removed(self) -> None:
        self._removed = True

    def cut(self, *, apart: bool) -> None:
        self._cut = True
        self._apart = self._apart or apart

    def before(self, text: str) -> str:
        if not (self._removed or self._cut):
            return ""
        guard = self._guard(text[0])
        self._removed = self._cut = self._apart = False
        return guard

    def before_marker(self) -> str:
        """What must stand before a marker that follows at once."""
        guard = self.before("[")
        if self._in_escape:
            return " "
        return "" if self.last == "]" else guard

    def _guard(self, char: str) -> str:
        if self.in_angle and self.last != "<":
            return "<" * self._cut + ZERO_WIDTH_SPACE
        glued = self._apart and not self.last.isspace() and not char.isspace()
        return " " if glued or self._would_join(char) else ""

    def _would_join(self, char: str) -> bool:
        match self.last:
            case "`":
                return char == "`"
            case "\\":
                return self._in_escape and char in string.punctuation
            case "!":
                return char == "["
            case "]":
                return char in "([:"
            case "<":
                return bool(_NAME_BEGIN.match(char))
        return self._in_entity and (char.isalnum() or char in "#;")

    def after(self, text: str) -> None:
        whole = self._in_entity and _ENTITY_PART.fullmatch(text)
        self._in_entity = bool(whole or _ENTITY.search(text))
        if "<" in text:
            self.in_angle = bool(_ANGLE.search(text))
        elif self.in_angle:
            self.in_angle = ">" not in text and (self.last != "<" or bool(_NAME_BEGIN.match(text)))
        self.last = text[-1]
        self._in_escape = (len(text) - len(text.rstrip("\\"))) % 2 == 1

    def after_opaque(self, text: str) -> None:
        self.last = text[-1]
        self._in_entity = self.in_angle = self._in_escape = False

    def line(self, *, continues: bool) -> None:
        self.last = "\n"
        self._in_escape = False
        """Whether a backslash ends the text that would escape what follows."""
        self._removed = self._cut = self._apart = self._in_entity = False
        self.in_angle = self.in_angle and continues

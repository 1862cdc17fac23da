"""Holding back a reply that may turn out to be just NOT_FOUND."""

from __future__ import annotations

ABSTENTION = "NOT_FOUND"
_QUOTES = "\"'`“”„‟‘’‚‛«»‹›"
_AROUND = _QUOTES + " \t\r\n\f\v\u00a0"


def is_abstention(text: str) -> bool:
    """Whether a whole reply, less white space, quotes and a final stop, is NOT_FOUND or nothing."""
    return _bare(text) in ("", ABSTENTION)


def _bare(text: str) -> str:
    return text.strip(_AROUND).removesuffix(".").strip(_AROUND)


class AbstentionHold:
    """Passes text through, but none of it while the whole reply may still be an abstention.

    White space before the first word is dropped. Each character is looked at once, however long the white space and
    the quotes around NOT_FOUND are.
    """

    def __init__(self) -> None:
        self._held: list[str] = []
        self._matched = 0
        """Characters of NOT_FOUND that have come."""
        self._stopped = False
        """Whether the final stop has come."""
        self._holding = True

    def feed(self, text: str) -> str:
        if not self._holding:
            return text
        self._held.append(text)
        self._holding = all(map(self._goes_on, text))
        return "" if self._holding else self._release()

    @property
    def abstained(self) -> bool:
        """Whether nothing but an abstention has come; final when the text has ended."""
        return self._holding and self._matched in (0, len(ABSTENTION))

    def flush(self) -> str:
        """What is left to show at the end; nothing for an abstention."""
        return "" if self.abstained or not self._holding else self._release()

    def _goes_on(self, character: str) -> bool:
        """Whether the text may still be an abstention with this character."""
        if self._matched < len(ABSTENTION) and not self._stopped and character == ABSTENTION[self._matched]:
            self._matched += 1
            return True
        if character == "." and not self._stopped and self._matched in (0, len(ABSTENTION)):
            self._stopped = True
            return True
        return character in _AROUND and self._matched in (0, len(ABSTENTION))

    def _release(self) -> str:
        self._holding = False
        released = "".join(self._held).lstrip()
        self._held.clear()
        return released

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

    White space before the first word is dropped. What is held is bounded by the length of NOT_FOUND plus the
    white space and quotes around it.
    """

    def __init__(self) -> None:
        self._held: str | None = ""

    def feed(self, text: str) -> str:
        if self._held is None:
            return text
        self._held += text
        if _may_become_abstention(self._held):
            return ""
        released, self._held = self._held.lstrip(), None
        return released

    @property
    def abstained(self) -> bool:
        """Whether nothing but an abstention has come; final when the text has ended."""
        return self._held is not None and is_abstention(self._held)

    def flush(self) -> str:
        """What is left to show at the end; nothing for an abstention."""
        if self._held is None or self.abstained:
            return ""
        released, self._held = self._held.lstrip(), None
        return released


def _may_become_abstention(text: str) -> bool:
    opened = text.lstrip(_AROUND)
    if len(opened) < len(ABSTENTION):
        return ABSTENTION.startswith(opened)
    return opened.startswith(ABSTENTION) and is_abstention(text)

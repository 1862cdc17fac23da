"""Taking a model's thoughts off the front of its answer."""

from __future__ import annotations

from collections.abc import Callable

OPEN, CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Drops one leading `<think>...</think>`, and the white space around it, from a text in pieces.

    What comes out does not depend on where the pieces were cut. Text is held only while all of it may
    still be the start of the tag; thoughts are forgotten as they pass. A thought that is never closed
    leaves no answer. Linear in the length of the text.
    """

    def __init__(self) -> None:
        self._read: Callable[[str], str] = self._before
        self._held: list[str] = []
        self._tag = ""
        """The part of the tag read so far: an opening one at first, then perhaps a closing one."""

    def feed(self, text: str) -> str:
        """Take the next piece; returns what of the answer is certain by now, often all of the piece."""
        return self._read(text)

    def flush(self) -> str:
        """End the text; returns what was held."""
        held = "".join(self._held)
        self._held.clear()
        return held

    def _before(self, text: str) -> str:
        self._held.append(text)
        self._tag += text if self._tag else text.lstrip()
        if self._tag.startswith(OPEN):
            self._held.clear()
            thought, self._tag = self._tag[len(OPEN) :], ""
            self._read = self._inside
            return self._inside(thought)
        if OPEN.startswith(self._tag):
            return ""
        self._read = _unchanged
        return self.flush()

    def _inside(self, text: str) -> str:
        thought, closed, answer = (self._tag + text).partition(CLOSE)
        if not closed:
            self._tag = thought[1 - len(CLOSE) :]
            return ""
        self._read = self._after
        return self._after(answer)

    def _after(self, text: str) -> str:
        answer = text.lstrip()
        if answer:
            self._read = _unchanged
        return answer


def _unchanged(text: str) -> str:
    return text

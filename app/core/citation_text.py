"""An answer whose citations are written as links, read as if they were markers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec import structs

from app.core.model import Marker, SentenceSupport, Support


class MarkerText:
    """The answer with each citation as `[n]`, which is what checks of it understand."""

    def __init__(self, answer: str, markers: Sequence[Marker]) -> None:
        self._answer = answer
        pieces: list[str] = []
        self._ends = [0]
        """Where each citation ends in `text`."""
        self._shifts = [0]
        """How much further on its end stands in the answer."""
        done = length = 0
        for marker in markers:
            pieces += [answer[done : marker.start], f"[{marker.number}]"]
            length += marker.start - done + len(pieces[-1])
            done = marker.end
            self._ends.append(length)
            self._shifts.append(done - length)
        self.text = "".join([*pieces, answer[done:]])

    def place(self, support: Support) -> Support:
        """The support check of `text` as one of the answer itself."""
        return structs.replace(support, sentences=tuple(map(self._place, support.sentences)))

    def _place(self, sentence: SentenceSupport) -> SentenceSupport:
        start, end = self._in_answer(sentence.start), self._in_answer(sentence.end)
        return structs.replace(sentence, text=self._answer[start:end], start=start, end=end)

    def _in_answer(self, offset: int) -> int:
        """Where in the answer the character of `text` at `offset` stands, which is inside no citation."""
        return offset + self._shifts[bisect_right(self._ends, offset) - 1]

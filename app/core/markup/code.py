"""Where code stands in a text, as the citation filter sees it."""

from __future__ import annotations

from app.core.markup.blocks import BlockScanner
from app.core.markup.events import Line
from app.core.markup.raw_spans import RawSpanScanner

Span = tuple[int, int]


def code_in(text: str) -> list[Span]:
    """The spans of fences and inline code, in order. Linear in the length of the text."""
    recorder = _Recorder()
    spans = RawSpanScanner(recorder)
    blocks = BlockScanner(spans)
    blocks.feed(text)
    blocks.flush()
    spans.flush()
    return recorder.spans


class _Recorder:
    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._at = 0

    def line(self, line: Line) -> None:
        self._at += len(line.raw)

    def text(self, text: str) -> None:
        self._at += len(text)

    def markup(self, text: str) -> None:
        self._at += len(text)

    def divide(self) -> None:
        """Takes no room."""

    def verbatim(self, text: str) -> None:
        start = self.spans.pop()[0] if self.spans and self.spans[-1][1] == self._at else self._at
        self._at += len(text)
        self.spans.append((start, self._at))

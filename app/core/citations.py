"""The citation filter: what a model wrote goes in, text whose every marker names a packed source comes out.

A pipeline of three scanners, each one pass over the characters with bounded memory: blocks (fences), code
spans, markers. Cutting the input elsewhere cuts the output elsewhere and changes nothing in it.
"""

from __future__ import annotations

import re

from app.core.blocks import BlockScanner
from app.core.code_spans import CodeSpanScanner

_NOT_PLAIN = re.compile(r"[\[\]`\\\r\n]")
_DIGITS = re.compile(r"[0-9]+")
_ASCII_DIGITS = "0123456789"


class CitationFilter:
    """Filters one answer over `source_count` sources, numbered from 1.

    `feed` returns what can leave now, `flush` the rest; after it the filter is done. `valid` holds the numbers
    that left as markers outside code, `dropped` what was removed, in order, as the model wrote it.
    """

    def __init__(self, source_count: int) -> None:
        self._markers = _MarkerScanner(source_count)
        self._spans = CodeSpanScanner(self._markers)
        self._blocks = BlockScanner(self._spans)

    @property
    def valid(self) -> set[int]:
        return self._markers.valid

    @property
    def dropped(self) -> list[str]:
        return self._markers.dropped

    def feed(self, text: str) -> str:
        if self._idle() and not _NOT_PLAIN.search(text):
            self._markers.plain(text)
        else:
            self._blocks.feed(text)
        return self._markers.take()

    def flush(self) -> str:
        self._blocks.flush()
        self._spans.end_paragraph()
        self._markers.flush()
        return self._markers.take()

    def _idle(self) -> bool:
        return self._blocks.inside_text and self._spans.idle and self._markers.idle


class _MarkerScanner:
    """Renders the valid markers in text and removes the others, so that none is left and none is formed."""

    def __init__(self, source_count: int) -> None:
        self._source_count = source_count
        self._out: list[str] = []
        self._space = ""
        """A space not yet written: a marker that is removed takes it along."""
        self._marker: list[str] = []
        """The pieces of a marker that is not complete."""
        self._open = ""
        """What the output ends with while that is `[` and perhaps digits, which no bracket may close."""
        self._last = ""
        """The last character written."""
        self._removed = False
        """Whether a marker was removed after it."""
        self.valid: set[int] = set()
        self.dropped: list[str] = []

    @property
    def idle(self) -> bool:
        return not self._marker and not self._open

    def take(self) -> str:
        text = "".join(self._out)
        self._out.clear()
        return text

    def text(self, text: str) -> None:
        at = 0
        while at < len(text):
            if self._marker:
                at = self._inside_marker(text, at)
            elif self._open and not self._space:
                at = self._after_open_bracket(text, at)
            else:
                at = self._outside(text, at)

    def code(self, text: str) -> None:
        self._release()
        self._write(text)

    def plain(self, text: str) -> None:
        """Pass on text without brackets. A space at its end waits."""
        if text.endswith(" "):
            if self._space or len(text) > 1:
                self._write(text[:-1])
            self._space = " "
        elif text:
            self._write(text)

    def flush(self) -> None:
        if len(self._marker) > 1:
            self._remove("".join(self._marker))
        self._release()
        if self._space:
            self._write("")

    def _outside(self, text: str, at: int) -> int:
        bracket = text.find("[", at)
        if bracket < 0:
            self.plain(text[at:])
            return len(text)
        self.plain(text[at:bracket])
        self._marker.append("[")
        return bracket + 1

    def _after_open_bracket(self, text: str, at: int) -> int:
        char = text[at]
        if char == "]" and self._open != "[":
            return at + 1
        if char not in _ASCII_DIGITS:
            return self._outside(text, at)
        self._write(char)
        self._open = "[0"
        return at + 1

    def _inside_marker(self, text: str, at: int) -> int:
        digits = _DIGITS.match(text, at)
        if digits:
            self._marker.append(digits[0])
            return digits.end()
        if text[at] != "]" or len(self._marker) == 1:
            self._release()
            return at
        self._close()
        return at + 1

    def _close(self) -> None:
        digits = "".join(self._marker[1:]).lstrip("0")
        if digits and len(digits) <= len(str(self._source_count)) and int(digits) <= self._source_count:
            self._marker.clear()
            self._write(f"[{digits}]")
            self.valid.add(int(digits))
        else:
            self._remove("".join(self._marker) + "]")

    def _remove(self, marker: str) -> None:
        self.dropped.append(marker)
        self._marker.clear()
        self._space = ""
        self._removed = True

    def _release(self) -> None:
        """What looked like the start of a marker is text."""
        if self._marker:
            text = "".join(self._marker)
            self._marker.clear()
            self._write(text)
            self._open = text

    def _write(self, text: str) -> None:
        text = self._space + text
        if self._removed and text.startswith("`") and self._last in ("`", "\\"):
            text = " " + text  # or two runs of backticks would become one
        self._out.append(text)
        self._last = text[-1]
        self._space = ""
        self._open = ""
        self._removed = False

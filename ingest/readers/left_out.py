"""What a reader does not take in, counted as it goes."""

from __future__ import annotations

from collections import Counter


class LeftOut:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._notes: dict[str, None] = {}

    def count(self, thing: str, times: int = 1) -> None:
        """`thing` is a noun that takes an s, such as "hidden slide"."""
        self._counts[thing] += times

    def note(self, sentence: str) -> None:
        """Said once, however often it is told."""
        self._notes[sentence] = None

    def sentences(self) -> tuple[str, ...]:
        counted = (f"{times} {thing}{'s' if times > 1 else ''}" for thing, times in self._counts.items() if times)
        return (*counted, *self._notes)

"""Markers compared with the sources."""

from __future__ import annotations

from typing import NamedTuple

Member = tuple[int, int]
"""The first and the last number of a range; twice the same for one number."""


class Marker(NamedTuple):
    """A marker compared with the sources."""

    members: tuple[Member, ...]
    numbers: tuple[int, ...]
    """Those of sources."""
    invented: tuple[str, ...]
    """The others, as they are reported."""
    form: str


def compare(members: list[Member], source_count: int, form: str, raw: str) -> Marker:
    """`raw` stands in for an invented marker that holds no number."""
    numbers, invented = sort(members, source_count)
    if not numbers and not invented:
        invented = [raw]
    return Marker(tuple(members), tuple(numbers), tuple(invented), form)


def sort(members: list[Member], source_count: int) -> tuple[list[int], list[str]]:
    """The numbers of sources among the members, and the others as `[9]` or `[7-9]`. Enumerates no invented one."""
    valid: list[int] = []
    invented: list[str] = []
    for first, last in members:
        if first > last:
            invented.append(f"[{first}-{last}]")
            continue
        numbers = range(max(first, 1), min(last, source_count) + 1)
        valid += [number for number in numbers if valid[-1:] != [number]]
        for low, high in ((first, min(last, 0)), (max(first, source_count + 1), last)):
            if low <= high:
                invented.append(f"[{low}]" if low == high else f"[{low}-{high}]")
    return valid, invented

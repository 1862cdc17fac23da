"""Content-defined grouping: neighbours are put together so that an edit moves only the boundaries near it.

Where a group may begin is decided by nearby text: on either side of a large unit, and before a unit whose hash is
the highest within a quarter of the limit, as in local-maximum chunking (Bjorner, Blass and Gurevich, 2010). Which of
these places are used is decided as in a treap (Seidel and Aragon, 1996): a run that is too long is cut at its
strongest place, and both halves are treated alike. The two together matter: places that stand apart keep the pieces
of a run that must be cut again few, and the treap fills the groups. No boundary depends on how much stands before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from msgspec import Struct

_LARGE = 0.5
"""Share of the limit above which a unit is large."""
_APART = 0.25
"""Share of the limit that places without a large unit beside them are more than apart."""
_OPENING = 48
"""Characters: an edit behind them leaves a unit's strength as it was."""


class Unit(Struct, frozen=True):
    text: str
    tokens: int


def group(units: Sequence[Unit], limit: int) -> list[Sequence[Unit]]:
    """Consecutive groups of at most `limit` tokens that together are `units`; a larger unit is a group alone.

    Linear in the number of units.
    """
    ends = [0, *accumulate(unit.tokens for unit in units)]
    bounds = [0, *_cuts(units, ends, limit), len(units)]
    filled = (part for start, stop in pairwise(bounds) for part in _filled(ends, start, stop, limit))
    return [units[start:stop] for start, stop in filled if start < stop]


def _cuts(units: Sequence[Unit], ends: Sequence[int], limit: int) -> list[int]:
    """The places, by the index of the unit behind them, that are the strongest of a run that exceeds the limit."""
    places = _places(units, limit)
    bounds = [0, *places, len(units)]
    return [
        place
        for place, (left, right) in zip(places, _between_stronger(list(places.values())), strict=True)
        if ends[bounds[right + 1]] - ends[bounds[left + 1]] > limit
    ]


def _places(units: Sequence[Unit], limit: int) -> dict[int, bytes]:
    """Where a group may begin and how strong each place is, in order."""
    large = {index for index, unit in enumerate(units) if unit.tokens > _LARGE * limit}
    beside = {place for index in large for place in (index, index + 1) if 0 < place < len(units)}
    small = [index for index in range(len(units)) if index not in large]
    highest = _highest([units[index] for index in small], _APART * limit)
    places = beside | {small[index] for index in highest}
    return {place: bytes([place in beside]) + _hash(units[place].text) for place in sorted(places)}


def _highest(units: Sequence[Unit], apart: float) -> list[int]:
    """Units whose hash is the highest within `apart` tokens on both sides; the first and the last end a window too.

    Large units are not among them: one more or less changes nothing here.
    """
    starts = [0, *accumulate(unit.tokens for unit in units)]
    hashes = [_hash(unit.text) for unit in units]
    neighbours = _between_stronger(hashes[1:])
    return [
        index
        for index, (left, right) in enumerate(neighbours, start=1)
        if starts[index] - starts[left + 1] > apart and starts[right + 1] - starts[index] > apart
    ]


def _between_stronger(values: Sequence[bytes]) -> list[tuple[int, int]]:
    """For each value the nearest one before it that is not weaker, and the nearest after it that is stronger.

    By index; -1 and the number of values where there is none.
    """
    before, after = [-1] * len(values), [len(values)] * len(values)
    open_: list[int] = []
    for index, value in enumerate(values):
        while open_ and values[open_[-1]] < value:
            after[open_.pop()] = index
        if open_:
            before[index] = open_[-1]
        open_.append(index)
    return list(zip(before, after, strict=True))


def _filled(ends: Sequence[int], start: int, stop: int, limit: int) -> Iterator[tuple[int, int]]:
    """A run without a place to cut, as in text that repeats itself, from its start on."""
    first = start
    for index in range(start + 1, stop):
        if ends[index + 1] - ends[first] > limit:
            yield first, index
            first = index
    yield first, stop


def _hash(text: str) -> bytes:
    """Of the opening first; the whole text tells units with the same opening apart."""
    return b"".join(
        hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for part in (text[:_OPENING], text)
    )

"""Numbers with their units, and dates, as values.

"12,000" and "12 thousand" are one number, "3 May 2024" and "2024-05-03" one date. Where a spelling can be read in two
ways (1.500, 03/05/2024) both readings are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from app.core.quantity_words import MONTHS, NUMBERS, SCALES, UNITS

Reading = float | str
"""A number; or, for a clock time or a version, its digits with what stands between them."""
DateReading = tuple[int, int, int]
"""Year, month, day; 0 for what is left out."""


class Quantity(Struct, frozen=True):
    text: str
    """The number as written."""
    readings: frozenset[Reading]
    unit: str | None
    """By its one name, such as `day` or `%`; None for no unit or an unknown one."""
    unit_text: str
    in_letters: bool


class Date(Struct, frozen=True):
    text: str
    start: int
    end: int
    readings: frozenset[DateReading]


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_WORD_ENDS = r"(?![a-zß-ÿ])"
_SCALE = rf"(?:[\s-]?(?P<scale>{_any(SCALES)}){_WORD_ENDS})?"
_UNIT = rf"(?:[\s-]{{0,2}}(?P<unit>{_any(UNITS)}){_WORD_ENDS})?"
_IN_DIGITS = re.compile(
    r"(?:(?<![a-z0-9_])(?<![a-z]-)|(?<=\bv))(?P<sign>[$€£¥])?\s?(?P<digits>[0-9]+(?:[.,:'’\u00a0\u202f][0-9]+)*+)"
    rf"(?:st|nd|rd|th|s|er|º|ª)?{_SCALE}{_UNIT}(?![a-z0-9_])",
    re.IGNORECASE,
)
_IN_LETTERS = re.compile(
    rf"(?<![a-zß-ÿ])(?P<word>{_any(NUMBERS)})(?:-(?P<last>{_any(NUMBERS)}))?{_WORD_ENDS}{_SCALE}{_UNIT}", re.IGNORECASE
)
_GROUPED = re.compile(r"([0-9]{1,3}([.,'’\u00a0\u202f])[0-9]{3}(?:\2[0-9]{3})*)(?:[.,]([0-9]+))?")
_DECIMAL = re.compile(r"([0-9]+)[.,]([0-9]+)")

_MONTH = rf"(?P<name>{_any(MONTHS)})\b\.?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|º)?"
_YEAR = r"(?P<year>[0-9]{4})"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![0-9-]){_YEAR}-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}})(?![0-9-])",
        rf"(?<![0-9./])(?P<day>[0-9]{{1,2}})(?P<between>[./])(?P<month>[0-9]{{1,2}})(?P=between){_YEAR}(?![0-9])",
        rf"{_YEAR}年(?P<month>[0-9]{{1,2}})月(?:(?P<day>[0-9]{{1,2}})日)?",
        rf"\b{_DAY}\.? (?:of |de )?{_MONTH}(?:,? (?:de )?{_YEAR}\b)?",
        rf"\b{_MONTH} {_DAY}\b(?!:)(?:,? {_YEAR}\b)?",
        rf"\b{_MONTH},? (?:of |de )?{_YEAR}\b",
    )
]


def dates(text: str) -> list[Date]:
    """The calendar dates in `text`, each a month with a day or a year, by kind of spelling."""
    found: list[Date] = []
    for pattern in _DATES:
        read = ((match, frozenset(_read_date(match))) for match in pattern.finditer(text))
        found += [Date(match.group(), match.start(), match.end(), readings) for match, readings in read if readings]
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return found


def quantities(text: str) -> list[Quantity]:
    """The numbers in `text`, those in digits first. A date counts as the numbers it is made of."""
    return [*map(_from_digits, _IN_DIGITS.finditer(text)), *map(_from_letters, _IN_LETTERS.finditer(text))]


def _read_date(match: re.Match[str]) -> Iterator[DateReading]:
    parts = match.groupdict()
    year, day = int(parts.get("year") or 0), int(parts.get("day") or 0)
    month = MONTHS[match["name"].lower()] if parts.get("name") else int(match["month"])
    orders = {(month, day), (day, month)} if parts.get("between") == "/" else {(month, day)}
    return ((year, first, second) for first, second in orders if 1 <= first <= 12 and second <= 31)


def _from_digits(match: re.Match[str]) -> Quantity:
    unit_text = match["unit"] or match["sign"] or ""
    return Quantity(match["digits"], frozenset(_read(match)), UNITS.get(unit_text.lower()), unit_text, in_letters=False)


def _from_letters(match: re.Match[str]) -> Quantity:
    value = NUMBERS[match["word"].lower()] + (NUMBERS[match["last"].lower()] if match["last"] else 0)
    unit_text = match["unit"] or ""
    readings = frozenset([value * _scale(match)])
    return Quantity(match["word"], readings, UNITS.get(unit_text.lower()), unit_text, in_letters=True)


def _read(match: re.Match[str]) -> Iterator[Reading]:
    digits, scale = match["digits"], _scale(match)
    if ":" in digits:
        hours, _, rest = digits.partition(":")
        yield f"{hours.lstrip('0') or 0}:{rest}"  # a ratio such as 4.5:1 is no time, and stays as it is written
        if rest == "00" and hours.isdigit():
            yield float(hours)
        return
    grouped, decimal = _GROUPED.fullmatch(digits), _DECIMAL.fullmatch(digits)
    if grouped:
        yield float(f"{re.sub('[^0-9]', '', grouped[1])}.{grouped[3] or 0}") * scale
    if decimal:
        yield float(f"{decimal[1]}.{decimal[2]}") * scale
    if digits.isdigit():
        yield float(digits) * scale
        if match["scale"] == "k":  # the k of 401k is no thousand
            yield float(digits)
    elif not grouped and not decimal:
        yield digits


def _scale(match: re.Match[str]) -> float:
    return SCALES.get((match["scale"] or "").lower(), 1.0)

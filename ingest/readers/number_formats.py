"""How a spreadsheet shows a cell's value.

A small reading of Excel's number formats: decimals, thousands, leading zeros, percent, currency and other literal
text. Negative numbers have a minus, whatever their format, unless words or signs of their own tell them apart, as in
`"up" 0;"down" 0`; zero is a number unless it is a word. Dates and times are said as ISO 8601, as 03/05 means two days
to two readers. Formats for fractions, exponents and scaled thousands are not followed: there the number itself is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from msgspec import Struct

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]|_.|\*.'
    r"|(?P<digits>[#0?][#0?,.]*)|(?P<end>;)|(?P<plain>.)"
)
_UNFOLLOWED = re.compile(r"[/eE@]|general|,(?!#|0|\?)", re.IGNORECASE)
_CONDITION = re.compile(r"\[[<>=]")
_NEGATIVE = "-() "
"""What marks a negative number and nothing else."""
_SECTIONS = 4
"""Of positive numbers, negative ones, zero, and texts."""
_PERCENT = "%"
_LARGEST = 1e15
"""Spreadsheets keep 15 digits."""
_MOST_DECIMALS = 10
_SECONDS_AN_HOUR = 3_600


class _NumberFormat(Struct, frozen=True):
    before: str
    after: str
    least_integers: int
    least_decimals: int
    most_decimals: int
    grouped: bool
    percent: bool


_Section = _NumberFormat | str | None
"""A literal text, and None for what is not followed here."""


def shown(value: object, number_format: str) -> str:
    """The text of a cell; empty for None, and for what its format hides, such as `;;;`."""
    match value:
        case None:
            return ""
        case str():
            sections = _read(number_format)
            return "" if len(sections) == _SECTIONS and sections[-1] == "" else value
        case bool():
            return str(value).upper()
        case int() | float():
            return _number(value, _read(number_format))
        case datetime() if value.time() != time():
            return value.isoformat(" ", "minutes" if value.second == 0 else "seconds")
        case datetime():
            return value.date().isoformat()
        case date():
            return value.isoformat()
        case time():
            return value.isoformat("minutes" if value.second == 0 else "seconds")
        case timedelta():
            return _duration(value)
    return str(value)


def _number(value: float, sections: tuple[_Section, ...]) -> str:
    first, section = sections[0], _section_for(value, sections)
    if isinstance(section, str) and (any(map(str.isalnum, section)) or (not section and len(sections) > 2)):
        return section
    if value < 0 and isinstance(section, _NumberFormat) and _literals(section) != _literals(first):
        return _formatted(abs(value), section)
    return _formatted(value, first if isinstance(first, _NumberFormat) else None)


def _section_for(value: float, sections: tuple[_Section, ...]) -> _Section:
    if value == 0 and len(sections) > 2:
        return sections[2]
    return sections[1] if value < 0 and len(sections) > 1 else sections[0]


def _literals(section: _Section) -> str:
    """What a format says beside the number, and beside the marks of a negative one."""
    text = f"{section.before}{section.after}" if isinstance(section, _NumberFormat) else ""
    return "".join(character for character in text if character not in _NEGATIVE)


def _formatted(value: float, number_format: _NumberFormat | None) -> str:
    if number_format is None or not abs(value) < _LARGEST:  # NaN is not below it either
        return _general(value)
    exact = abs(Decimal(repr(value))) * (100 if number_format.percent else 1)
    most, least = number_format.most_decimals, number_format.least_decimals
    rounded = exact.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP)
    integers, _, decimals = f"{rounded:f}".partition(".")
    while len(decimals) > least and decimals.endswith("0"):
        decimals = decimals[:-1]
    integers = f"{int(integers):,}" if number_format.grouped else integers.zfill(number_format.least_integers)
    sign = "-" if value < 0 and rounded else ""
    return f"{sign}{number_format.before}{integers}{'.' if decimals else ''}{decimals}{number_format.after}".strip()


def _general(value: float) -> str:
    """Without what binary fractions add: 0.1 + 0.2 is 0.3."""
    return str(value) if isinstance(value, int) else format(value, ".15g")


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), _SECONDS_AN_HOUR)
    return f"{'-' if seconds < 0 else ''}{hours}:{rest // 60:02}:{rest % 60:02}"


@lru_cache(maxsize=1_000)
def _read(number_format: str) -> tuple[_Section, ...]:
    """The sections of a format, at least one; where they depend on conditions, the first if it says a number."""
    sections: list[list[re.Match[str]]] = [[]]
    for token in _TOKEN.finditer(number_format):
        if token["end"]:
            sections.append([])
        else:
            sections[-1].append(token)
    read = tuple(map(_section, sections[:_SECTIONS]))
    if _CONDITION.search(number_format):
        return (read[0] if isinstance(read[0], _NumberFormat) else None,)
    return read


def _section(tokens: Sequence[re.Match[str]]) -> _Section:
    texts, patterns, plain = ["", ""], [], ""
    for token in tokens:
        if token["digits"]:
            patterns.append(token["digits"])
        else:
            plain += token["plain"] or ""
            texts[bool(patterns)] += next(filter(None, token.group("quoted", "escaped", "currency", "plain")), "")
    if not patterns and not any(map(str.isalpha, plain)) and "@" not in plain:
        return texts[0].strip()
    if len(patterns) != 1 or _UNFOLLOWED.search(plain + patterns[0]):
        return None
    integers, _, decimals = patterns[0].partition(".")
    return _NumberFormat(
        before=texts[0],
        after=texts[1],
        least_integers=integers.count("0"),
        least_decimals=min(decimals.count("0"), _MOST_DECIMALS),
        most_decimals=min(len(decimals), _MOST_DECIMALS),
        grouped="," in integers,
        percent=_PERCENT in plain,
    )

"""What callers use, in windows of the calendar (UTC), and whether there is room for more."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

LimitName = Literal["requests_per_minute", "concurrent_answers", "model_tokens_per_day", "answers_per_month"]
_MINUTE = 60
_DAY = 86_400


class Window(Struct, frozen=True):
    """Seconds since 1970 UTC: from `start` up to `end`."""

    start: int
    end: int


class Counter(Struct, frozen=True, kw_only=True):
    """What is counted in one window, and what is to be added to it. A negative cost gives back."""

    name: LimitName
    key: str
    window: Window
    limit: int | None = None
    cost: int = 0

    def has_room(self, count: int) -> bool:
        """Whether `count` leaves room for the cost; for 1 where the cost is known only afterwards."""
        return self.limit is None or count + max(self.cost, 1) <= self.limit

    def after(self, count: int) -> int:
        return max(0, count + self.cost)


class Lease(Struct, frozen=True, kw_only=True):
    """One answer in progress. It ends by itself after `lasts_s`, when its process died; 0 gives it back now."""

    key: str
    id: str = ""
    """Empty to just look."""
    limit: int | None = None
    lasts_s: float = 0


class Taken(Struct, frozen=True):
    """Where all stands now, `counts` in the order of the counters.

    `refused` names what has no room: then nothing was taken.
    """

    counts: tuple[int, ...]
    running: int
    refused: LimitName | None = None


def key(caller: str, name: LimitName, window: Window | None = None) -> str:
    """Under which a caller's use is kept. The braces put all of a caller into one slot of a Redis cluster."""
    return f"vouch:limit:{{{caller}}}:{name}" + (f":{window.start}" if window else "")


def minute(now: float) -> Window:
    return _fixed(now, _MINUTE)


def day(now: float) -> Window:
    return _fixed(now, _DAY)


def month(now: float) -> Window:
    year, number = _civil_month(int(now // _DAY))
    following = (year + 1, 1) if number == 12 else (year, number + 1)
    return Window(_first_day(year, number) * _DAY, _first_day(*following) * _DAY)


def _fixed(now: float, length: int) -> Window:
    start = int(now // length) * length
    return Window(start, start + length)


def _civil_month(days: int) -> tuple[int, int]:
    """(year, month) of a day counted from 1970-01-01.

    Hinnant, "chrono-Compatible Low-Level Date Algorithms": `civil_from_days`, where a year begins in March.
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    number = from_march + 3 if from_march < 10 else from_march - 9
    return year_of_era + era * 400 + (number <= 2), number


def _first_day(year: int, number: int) -> int:
    """The first day of a month, counted from 1970-01-01: `days_from_civil` of the same source."""
    year -= number <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (number - 3 if number > 2 else number + 9) + 2) // 5
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468

"""The calendar's windows, and what has room in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.core import limits
from app.core.limits import Counter, Window

MOMENTS = st.floats(0, 253_402_300_799, allow_nan=False)


@given(MOMENTS)
def test_a_month_is_that_of_the_calendar(now: float) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(now))
    first = moment.replace(day=1, hour=0, minute=0, second=0)
    window = limits.month(now)
    assert window.start == (first - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    assert window.start <= now < window.end
    assert limits.month(window.end).start == window.end


@given(MOMENTS)
def test_minutes_and_days_begin_where_the_clock_says(now: float) -> None:
    for window, length in ((limits.minute(now), 60), (limits.day(now), 86_400)):
        assert window.start <= now < window.end
        assert (window.start % length, window.end - window.start) == (0, length)


@given(st.integers(0, 20), st.integers(1, 20), st.integers(0, 5))
def test_room_is_what_the_limit_leaves(count: int, limit: int, cost: int) -> None:
    counter = Counter(name="answers_per_month", key="k", window=Window(0, 60), limit=limit, cost=cost)
    assert counter.has_room(count) == (count + cost <= limit if cost else count < limit)


def test_nothing_is_counted_below_nothing() -> None:
    counter = Counter(name="answers_per_month", key="k", window=Window(0, 60), cost=-1)
    assert (counter.after(3), counter.after(0)) == (2, 0)

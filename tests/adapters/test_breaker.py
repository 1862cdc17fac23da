"""The circuit breaker, on a clock that the test sets."""

from __future__ import annotations

from app.adapters.breaker import OPENS_AFTER, REST_S, Breaker
from tests.kept_evidence import Clock


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(OPENS_AFTER):
        assert breaker.admits()
        breaker.failed()
    return breaker


def test_it_opens_after_failures_in_a_row() -> None:
    breaker = opened(Clock())
    assert (breaker.state, breaker.admits()) == ("open", False)


def test_a_success_between_them_keeps_it_closed() -> None:
    breaker = Breaker(Clock())
    for _ in range(OPENS_AFTER * 2):
        breaker.failed()
        breaker.succeeded()
    assert breaker.state == "closed"


def test_after_its_rest_one_trial_at_a_time_is_let_through() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += REST_S
    assert breaker.state == "half-open"
    assert [breaker.admits() for _ in range(3)] == [True, False, False]
    clock.now += REST_S
    assert breaker.admits(), "a trial that never reported is followed by the next"
    breaker.succeeded()
    assert breaker.state == "closed"


def test_a_trial_that_fails_opens_it_again() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += REST_S
    assert breaker.admits()
    breaker.failed()
    assert not breaker.admits()

"""Retries are a share of the requests."""

from __future__ import annotations

from app.core.retry_budget import MOST, RATIO, RetryBudget


def test_a_broken_provider_is_asked_again_for_a_share_of_the_requests_only() -> None:
    budget, retries = RetryBudget(), 0
    for _ in range(1_000):
        budget.request()
        retries += budget.retry()
    assert retries <= MOST + 1_000 * RATIO


def test_a_quiet_time_saves_up_a_few_retries_and_no_more() -> None:
    budget = RetryBudget()
    for _ in range(1_000):
        budget.request()
    assert sum(budget.retry() for _ in range(1_000)) == MOST

"""docs/failures.md says what the tests see."""

from __future__ import annotations

from tests.faults import table


def test_the_page_lists_every_fault_with_what_the_caller_gets() -> None:
    assert table.rows(table.PAGE.read_text(encoding="utf-8")) == table.expected_rows()

"""From rows to records: what is a head, what goes on, and what is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.sheet_tables import texts_and_records
from tests.ingest.passages import letters


def said(*rows: list[str]) -> list[str]:
    return [text for _, text in texts_and_records(rows)]


def test_a_row_is_said_with_its_columns_and_without_empty_cells() -> None:
    assert said(["Name", "Team", "Due\ndate"], ["Ana", "", "May\n1"], ["", "Red"]) == [
        "Columns: Name; Team; Due date",
        "- Name: Ana; Due date: May 1\n- Team: Red",
    ]


def test_a_cell_without_a_head_is_said_alone() -> None:
    assert said(["Name", "", "Team"], ["Ana", "x", "Red", "more"]) == [
        "Columns: Name; Team",
        "- Name: Ana; x; Team: Red; more",
    ]


def test_texts_above_a_table_are_paragraphs_and_its_head_is_the_first_full_row() -> None:
    rows = [["Rates of 2024"], ["", "as agreed"], ["City", "Rate"], ["Rome", "120"], [], ["Source: finance"]]
    assert said(*rows) == [
        "Rates of 2024",
        "as agreed",
        "Columns: City; Rate",
        "- City: Rome; Rate: 120",
        "Source: finance",
    ]


@pytest.mark.parametrize("number", ["120", "-1.5", "$1,234.50", "12 %", "(3)"])
def test_a_first_row_with_a_number_is_no_head(number: str) -> None:
    assert said(["Rome", number], ["Oslo", "200"]) == [f"- Rome; {number}\n- Oslo; 200"]


def test_years_and_dates_may_be_heads() -> None:
    assert said(["Team", "2023", "2024-01-01"], ["Red", "5", "6"])[1] == "- Team: Red; 2023: 5; 2024-01-01: 6"


def test_a_table_goes_on_after_an_empty_row_and_another_one_has_its_own_head() -> None:
    rows = [["City", "Rate"], ["Rome", "120"], [], ["Oslo", "200"], [], ["Team", "Lead"], ["Red", "Ana"]]
    assert said(*rows) == [
        "Columns: City; Rate",
        "- City: Rome; Rate: 120",
        "- City: Oslo; Rate: 200",
        "Columns: Team; Lead",
        "- Team: Red; Lead: Ana",
    ]


def test_a_table_in_other_columns_does_not_go_on() -> None:
    rows = [["City", "Rate"], ["Rome", "x"], [], ["", "Oslo", "y"], ["", "Bonn", "z"]]
    assert said(*rows)[2:] == ["Columns: Oslo; y", "- Oslo: Bonn; y: z"]


def test_a_head_alone_is_said() -> None:
    assert said(["City", "Rate"]) == ["Columns: City; Rate"]


@given(st.lists(st.lists(st.sampled_from(["", "a b", "120", "2024", "Name", "2024-03-05", "x\ny"]), max_size=5)))
def test_no_cell_is_lost(rows: list[list[str]]) -> None:
    left = iter(letters(*said(*rows)))
    assert all(letter in left for letter in letters(*(cell for row in rows for cell in row)))

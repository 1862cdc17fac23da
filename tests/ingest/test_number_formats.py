"""Values as a spreadsheet shows them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.number_formats import shown


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (None, "General", ""),
        ("text | as it is", "0.00", "text | as it is"),
        (True, "General", "TRUE"),
        (3, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1e21, "General", "1e+21"),
        (1234.5, "0.00", "1234.50"),
        (1234.5, "#,##0", "1,235"),
        (-1234567.891, "#,##0.00;[Red]-#,##0.00", "-1,234,567.89"),
        (0.125, "0%", "13%"),
        (0.125, "0.0%", "12.5%"),
        (42, "00000", "00042"),
        (2.5, "0.###", "2.5"),
        (2, "0.0##", "2.0"),
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (1234.5, "#,##0.00\\ [$€-407]", "1,234.50 €"),
        (12, '0 "days"', "12 days"),
        (-0.001, "0.0", "0.0"),
        (1234, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)', "$1,234"),
        (-1234, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)', "-$1,234"),
        (0, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)', "$0"),
        (-0.05, "[Green]▲0%;[Red]▼0%", "▼5%"),
        (-5, '0.00" CR";0.00" DR"', "5.00 DR"),
        (-5, "+0;-0;0", "-5"),
        (0, '0;-0;"none"', "none"),
        (0, '"Yes";"Yes";"No"', "No"),
        (1, '"Yes";"Yes";"No"', "Yes"),
        (-5, '[<100]0" small";0" large"', "-5 small"),
        (5, '[=0]"none";0', "5"),
        (5, ";;;", ""),
        ("secret", ";;;", ""),
        ("text", ";;", "text"),
        (0, "0;-0;;@", ""),
        (-5, "0;", "-5"),
        (5, "@", "5"),
        (5, "", "5"),
        (0.5, "# ?/?", "0.5"),
        (1234567, '0.0,,"M"', "1234567"),
        (12345, "0.00E+00", "12345"),
        (float("inf"), "0.00", "inf"),
        (datetime(2024, 3, 5), "dd/mm/yy", "2024-03-05"),
        (datetime(2024, 3, 5, 14, 30), "dd/mm/yy hh:mm", "2024-03-05 14:30"),
        (date(2024, 3, 5), "mmm", "2024-03-05"),
        (time(9, 5, 7), "hh:mm", "09:05:07"),
        (timedelta(hours=26, minutes=3), "[h]:mm", "26:03:00"),
        (timedelta(hours=-1), "[h]:mm", "-1:00:00"),
    ],
)
def test_a_value_is_said_as_it_is_shown(value: object, number_format: str, text: str) -> None:
    assert shown(value, number_format) == text


@given(st.integers() | st.floats(), st.text('#0?,.%;"\\[]$€_* abE/', max_size=20))
def test_no_format_trips_over_a_number(value: float, number_format: str) -> None:
    assert shown(value, number_format) or number_format

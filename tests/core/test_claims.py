"""Numbers, units, dates, names and negations: what counts as held by a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.claims import denies, facts, missing, negation
from app.core.quantities import dates, quantities

HELD = [
    ("It has 12,000 users.", "It has 12000 users."),
    ("It has 12 thousand users.", "It has 12,000 users."),
    ("Es hat 12.000 Nutzer.", "Wir haben 12,000 Nutzer."),
    ("It costs $5 million.", "It costs 5,000,000 dollars."),
    ("It takes 1.5 hours.", "It takes 1,5 hours."),
    ("It takes two weeks.", "It takes 2 weeks."),
    ("It takes 20 days.", "It takes twenty days."),
    ("It takes twenty-five days.", "A 25-day wait."),
    ("The share is 20 %.", "The share is 20 percent."),
    ("You get 20 days.", "You get 20 working days."),
    ("Open at 9:00.", "Open at 9 am."),
    ("It began on 3 May 2024.", "It began on 2024-05-03."),
    ("It began on May 3rd, 2024.", "Start: 03/05/2024"),
    ("It began in May 2024.", "It began on 3 May 2024."),
    ("Es begann am 3. Mai 2024.", "It began on May 3, 2024."),
    ("It began on 3 May 2024.", "2024 in short: it began on 3 May."),
    ("开始于2024年5月3日。", "It began on 3 May 2024."),
    ("Version 6.15.0 is out.", "Get v6.15.0 now."),
    ("A 401(k) is taxed.", "A 401k is taxed."),
    ("The two offices are open.", "Our offices are open."),
    ("Ask the NHS about it.", "Ask the National Health Service about it."),
    ("Ask the Fair Labor Board about it.", "Ask the FLB about it."),
    ("He works in the United States.", "He works in the US."),
    ("We asked American users.", "We asked users in America."),
    ("Most IRAs are taxed.", "An IRA is taxed."),
    ("So Acme's offer stands.", "The offer of ACME stands."),
    ("Then run `make  ingest` again.", "make ingest does it."),
    ("Air Quality: Measured daily.", "It is measured daily."),
    ("He said: These are open.", "They are open."),
]


@pytest.mark.parametrize(("sentence", "source"), HELD)
def test_what_is_spelled_differently_is_not_missing(sentence: str, source: str) -> None:
    assert missing(sentence, [facts(source)]) == []


LOST = [
    ("The contrast is 4.5:1.", "A contrast of 7:1 is met.", ["4.5:1"]),
    ("It has 12,000 users.", "It has 1,200 users.", ["12,000"]),
    ("It takes 20 weeks.", "It takes 20 days.", ["weeks"]),
    ("It costs €20.", "It costs $20.", ["€"]),
    ("It costs 5 million.", "It costs 5 thousand.", ["5"]),
    ("It takes two weeks.", "It takes three weeks.", ["two"]),
    ("It began on 3 May 2024.", "It began on 4 May 2024.", ["3 May 2024"]),
    ("It began on 3 May 2024.", "It began on 3 May 2023, not in 2024.", ["3 May 2024"]),
    ("In 2019 it was founded.", "It was founded in 2018.", ["2019"]),
    ("Ask Globex or the NHS.", "Ask Acme.", ["Globex", "NHS"]),
    ("COVID-19 changed it.", "The flu changed it.", ["COVID-19"]),
    ("Then run `make index`.", "Then run make ingest.", ["make index"]),
    ("Write to help@acme.example today.", "Write to us today.", ["help@acme.example"]),
]


@pytest.mark.parametrize(("sentence", "source", "lost"), LOST)
def test_what_no_source_holds_is_listed_as_written(sentence: str, source: str, lost: list[str]) -> None:
    assert missing(sentence, [facts(source)]) == lost


def test_each_part_may_stand_in_another_source() -> None:
    assert missing("Ask Acme for 20 days.", [facts("You get 20 days."), facts("It is Acme.")]) == []


TEXTS = st.text(
    st.sampled_from("ab AB Zü.,:;'’-/&@`[]()0123456789%$€ \n年月日五") | st.characters(codec="utf-8"), max_size=80
)


@given(TEXTS)
def test_no_text_misses_anything_of_itself(text: str) -> None:
    assert missing(text, [facts(text)]) == []


@given(st.integers(0, 10**12), st.sampled_from([",", ".", "\u00a0", "’"]))
def test_every_grouping_of_a_number_is_the_number(number: int, separator: str) -> None:
    grouped = f"{number:,}".replace(",", separator)
    assert missing(f"It is {grouped}.", [facts(f"It is {number}.")]) == []
    assert missing(f"It is {grouped}.", [facts(f"It is {number}7.")]) == [grouped]


def test_an_ambiguous_date_keeps_both_readings() -> None:
    assert dates("03/05/2024")[0].readings == {(2024, 3, 5), (2024, 5, 3)}


def test_a_number_inside_a_word_is_none() -> None:
    assert quantities("B2B, MP3 and COVID-19") == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("It is not open.", "not"),
        ("You can't go.", "can't"),
        ("Das ist nicht offen.", "nicht"),
        ("这里不开放。", "不"),
        ("No, it is open.", None),
        ("It is not only open but free.", None),
        ("It is open.", None),
    ],
)
def test_negation_is_the_word_that_says_no(text: str, word: str | None) -> None:
    assert negation(text) == word


def test_a_text_denies_in_other_words_too() -> None:
    assert denies("It is impossible to go.")
    assert not denies("The united district is open.")

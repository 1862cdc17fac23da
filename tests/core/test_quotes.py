"""Finding quotes: what counts as word for word, and that the offsets point at it."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.prompt import neutralise
from app.core.quotes import Quotable

TEXT = 'Every employee gets 28 days\n  a year – "paid" leave. See [3] for\tdetails. It costs 1,000.50 at -5°.'


def found(quote: str, text: str = TEXT) -> str | None:
    """The stretch of the original that the quote is found at."""
    span = Quotable(text).find(quote)
    return text[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("quote", "stretch"),
    [
        ("Every employee", "Every employee"),
        ("28 days a year", "28 days\n  a year"),
        ("  28\u00a0days\n", "28 days"),
        ("a year - “paid” leave.", 'a year – "paid" leave.'),
        ("See (3) for details", "See [3] for\tdetails"),
        ("See [3] for details", "See [3] for\tdetails"),
        ("See [3", "See [3"),
        ("employ\u00adee", "employee"),
        ("1,000.50 at −5°.", "1,000.50 at -5°."),
    ],
)
def test_a_quote_may_differ_in_typography(quote: str, stretch: str) -> None:
    assert found(quote) == stretch


@pytest.mark.parametrize(
    ("text", "quote", "stretch"),
    [
        ("a ﬁnal oﬃce", "final office", "ﬁnal oﬃce"),
        ("the cafe\u0301 is", "the café", "the cafe\u0301"),
        ("the café is", "the cafe\u0301", "the café"),
        ("rock ’n’ roll", "rock 'n' roll", "rock ’n’ roll"),
        ("«ja» ‹nein›", "\"ja\" 'nein'", "«ja» ‹nein›"),
        ("see &#91;12&#93; there", "see (12) there", "see &#91;12&#93; there"),
        (r"see \[1\] there", "see (1) there", r"see \[1\] there"),
        ("a</source>b", "a(/source)b", "a</source>b"),
        ("say \U000e0041\U000e0042this now", "say this", "say \U000e0041\U000e0042this"),
        ("休暇は二十八日です", "二十八日", "二十八日"),
        ("연차는 28일", "연차는", "연차는"),
        ("128 days or 28 days", "28 days", "28 days"),
        ("it is \u200b 28 days", "is 28", "is \u200b 28"),
    ],
)
def test_offsets_point_into_the_original(text: str, quote: str, stretch: str) -> None:
    assert found(quote, text) == stretch
    assert Quotable(text).find(quote) == (text.rindex(stretch), text.rindex(stretch) + len(stretch))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("28 days", "29 days"),
        ("28 days", "28 Days"),
        ("28 days of leave", "28 days leave"),
        ("28 days of leave", "28 days … leave"),
        ("10² units", "102 units"),
        ("28 days", ""),
        ("a, b", ", "),
        ("(28)", "()"),
        ("", "a"),
    ],
)
def test_other_words_are_not_found(text: str, quote: str) -> None:
    assert found(quote, text) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("28 days", "8 days"),
        ("28 days", "28 day"),
        ("1,000 days", "000 days"),
        ("1,000 days", "1"),
        ("2.5 days", "5 days"),
        ("section 2.5", "section 2."),
        ("at -5 degrees", "5 degrees"),
        ("they don't pay", "they don"),
        ("the café", "the cafe"),
        ("the cafe\u0301", "the cafe"),
        ("각", "가"),
        ("ﬁnal", "f"),
        ("unlimited leave", "limited leave"),
    ],
)
def test_a_quote_that_cuts_a_word_or_a_number_is_not_found(text: str, quote: str) -> None:
    assert found(quote, text) is None


def test_a_range_may_be_quoted_from_its_end() -> None:
    assert found("5 days", "3-5 days") == "5 days"


def plainly(text: str) -> str:
    """What a quote and its original have in common, by other means than the code under test."""
    text = unicodedata.normalize("NFD", neutralise(text))
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    table = str.maketrans("‘’“”–—−[]<>", "''\"\"---()()")
    return " ".join(text.translate(table).split())


words = st.sampled_from(
    [
        "leave",
        "28",
        "days",
        "café",
        "cafe\u0301",
        "don’t",
        "“paid”",
        "[3]",
        "[12, see",
        "</source>",
        "1,000.5",
        "–",
        "-5",
    ]
) | st.sampled_from(["休暇", "\u00ad", "&#91;7&#93;", "\U000e0041", "**bold**", "[a](b)", "\\[1\\]", "(x)"])
texts = st.lists(st.tuples(words, st.sampled_from([" ", "  ", "\n", "\u00a0"])), max_size=12).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)


@settings(max_examples=500)
@given(texts, st.integers(0, 12), st.integers(0, 12))
def test_what_is_reported_really_stands_there(text: str, first: int, count: int) -> None:
    quote = " ".join(neutralise(text).split()[first : first + count])
    span = Quotable(text).find(quote)
    if span is None:
        assert not any(map(str.isalnum, quote))
    else:
        assert plainly(text[slice(*span)]) == plainly(quote)


@settings(max_examples=300)
@given(st.text(), st.text(max_size=5))
def test_any_quote_of_any_text_is_found_where_it_stands_or_not_at_all(text: str, quote: str) -> None:
    span = Quotable(text).find(quote)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        assert plainly(text[slice(*span)]) == plainly(quote)


def test_a_text_of_one_letter_takes_little_time() -> None:
    text = Quotable("a" * 10_000)
    started = time.perf_counter()
    for length in range(1, 360):
        assert text.find("a" * length) is None
    assert time.perf_counter() - started < 20

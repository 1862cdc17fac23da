"""What is kept of a structured answer, and how much of it the sources cover."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.citations import CitationFilter
from app.core.grounding import MAX_REJECTED_LENGTH, Quote, RejectedQuote, confidence, ground
from app.core.structured import ClaimedQuote, Draft
from tests.sources import source

LEAVE = "Every employee gets 28 days a year. See [7] for\nthe details."
TRAVEL = "Trips are booked by the office. Economy class under six hours."


SOURCES = [source(1, LEAVE), source(2, TRAVEL)]


def claim(*claims: tuple[int, str], claimed: str | None = None) -> Draft:
    return Draft("unfiltered", tuple(ClaimedQuote(number, quote) for number, quote in claims), claimed)  # type: ignore[arg-type]


def test_a_quote_that_stands_in_its_source_is_kept_with_its_place() -> None:
    grounded = ground("28 days [1].", claim((1, "gets 28 days"), claimed="low"), SOURCES)
    start = LEAVE.index("gets")
    assert grounded.citations == (Quote(1, "gets 28 days", start, start + 12),)
    assert grounded.rejected_quotes == ()
    assert (grounded.answer, grounded.confidence, grounded.claimed_confidence) == ("28 days [1].", "high", "low")


def test_the_words_shown_are_those_of_the_source_without_its_markers() -> None:
    grounded = ground("", claim((1, "See (7) for the")), SOURCES)
    assert [(quote.quote, LEAVE[quote.start : quote.end]) for quote in grounded.citations] == [
        ("See (7) for\nthe", "See [7] for\nthe")
    ]


def test_a_quote_of_another_source_is_rejected() -> None:
    grounded = ground("28 days [1].", claim((2, "gets 28 days"), claimed="high"), SOURCES)
    assert grounded.citations == ()
    assert grounded.rejected_quotes == (RejectedQuote(2, "gets 28 days", "not_in_source"),)
    assert (grounded.confidence, grounded.claimed_confidence) == ("low", "high")


@pytest.mark.parametrize("number", [0, 3, -1, 10**30])
def test_a_source_that_was_not_offered_is_reported_as_unknown(number: int) -> None:
    grounded = ground("", claim((number, "gets 28 days")), SOURCES)
    assert grounded.rejected_quotes == (RejectedQuote(number, "gets 28 days", "unknown_source"),)


def test_what_is_said_twice_is_reported_once() -> None:
    claims = claim((1, "28 days"), (2, "28 days"), (1, "28  days"), (1, "28 days"), (2, "28 days"))
    grounded = ground("", claims, SOURCES)
    assert (len(grounded.citations), len(grounded.rejected_quotes)) == (1, 1)


def test_a_rejected_quote_brings_no_marker_along_and_is_cut() -> None:
    grounded = ground("", claim((1, "made up [1] [9] " + "x" * 10_000)), SOURCES)
    words = grounded.rejected_quotes[0].quote
    assert words.startswith("made up x")
    assert len(words) <= MAX_REJECTED_LENGTH


QUOTES = [Quote(1, "Every employee gets 28 days a year.", 0, 35), Quote(2, "booked by the office", 10, 30)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("You get 28 days [1].", "high"),
        ("You get 28 days. [1] The office books trips [2].", "high"),
        ("You get 28 days [3][1].", "high"),
        ("# Leave\n\nThere are two rules:\n\n- 28 days [1]\n- office [2]\n", "high"),
        ("You get 28 days [1].\n\n```\nprint(x[0]). Not a claim.\n```\n", "high"),
        ("Every employee gets 28 days a year. They are paid [1].", "high"),
        ("You get 28 days [1]. They are paid.", "medium"),
        ("You get 28 days [1]. They are paid [3].", "medium"),
        ("You get 28 days [1]. They are paid. All of them.", "low"),
        ("You get 28 days [3].", "low"),
        ("You get 28 days.", "low"),
        ("You get `[1]` days.", "low"),
        ("```\n[1]\n```", "low"),
        ("", "low"),
    ],
)
def test_confidence_is_the_share_of_sentences_that_a_quote_backs(answer: str, expected: str) -> None:
    assert confidence(answer, QUOTES) == expected


def test_without_a_quote_nothing_is_covered() -> None:
    assert confidence("You get 28 days [1].", []) == "low"


words = st.sampled_from([*LEAVE.split(), "[1]", "[2]", "[9]", "office", ".", "\n\n", "`"])
phrases = st.lists(words, max_size=8).map(" ".join)
drafts = st.builds(
    Draft,
    phrases,
    st.lists(st.builds(ClaimedQuote, st.integers(-1, 3), phrases), max_size=5).map(tuple),
    st.just("high"),
)


@given(drafts)
def test_every_claim_is_either_kept_where_it_stands_or_reported(draft: Draft) -> None:
    grounded = ground(draft.answer, draft, SOURCES)
    for quote in grounded.citations:
        text = SOURCES[quote.source - 1].text[quote.start : quote.end]
        assert quote.quote.split() == text.replace("[7]", "(7)").split()
    kept = {quote.source for quote in grounded.citations}
    rejected = {quote.source for quote in grounded.rejected_quotes}
    assert kept | rejected == {claim.source for claim in draft.citations}
    if grounded.confidence != "low":
        assert grounded.citations
    for reported in grounded.rejected_quotes:
        citations = CitationFilter(9)
        citations.feed(reported.quote)
        citations.flush()
        assert not citations.valid

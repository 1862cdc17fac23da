from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import gate
from app.core.gate import decide
from app.core.model import Bars, Candidate, Passage, Relevance

PASSAGE = Passage(passage_id="p", document_id="d", content_hash="c", position=0, title="", text="t")
QUESTION = "How many days of annual leave are there?"


def found(*scores: float) -> list[Candidate]:
    return [Candidate(PASSAGE, score) for score in scores]


def holding(text: str, score: float) -> Candidate:
    passage = Passage(passage_id=text, document_id="d", content_hash="c", position=0, title="Notes", text=text)
    return Candidate(passage, score)


@pytest.mark.parametrize(
    ("scores", "min_passages", "reason", "accepted"),
    [
        ([], 1, "no_candidates", 0),
        ([0.39, 0.2], 1, "below_threshold", 0),
        ([0.4], 1, None, 1),  # at the threshold is in
        ([0.9, 0.5, 0.1], 1, None, 2),
        ([0.9, 0.1], 2, "too_few_passages", 1),
        ([0.9, 0.4], 2, None, 2),
    ],
)
def test_without_a_bar_the_gate_counts_what_reaches_the_threshold(
    scores: list[float], min_passages: int, reason: str | None, accepted: int
) -> None:
    decision = decide(QUESTION, found(*scores), Bars(0.4), min_passages, 0.0)
    best = max(scores, default=None)
    assert decision.reason == reason
    assert decision.relevance == Relevance(best, 0.4, len(scores), accepted)


@given(st.lists(st.floats(-1, 1)), st.floats(-1, 1), st.integers(1, 5))
def test_only_accepted_candidates_go_on(scores: list[float], threshold: float, min_passages: int) -> None:
    decision = decide(QUESTION, found(*scores), Bars(threshold), min_passages, 0.0)
    assert [c.score for c in decision.accepted] == [score for score in scores if score >= threshold]
    assert (decision.reason is None) == (len(decision.accepted) >= min_passages)


@given(st.lists(st.floats(-1, 1), min_size=1), st.floats(0.01, 0.99))
def test_the_bar_refuses_what_is_less_likely_and_only_that(scores: list[float], bar: float) -> None:
    without = decide(QUESTION, found(*scores), Bars(0.0), 1, 0.2)
    decision = decide(QUESTION, found(*scores), Bars(0.0, bar), 1, 0.2)
    assert decision.accepted == without.accepted
    assert decision.relevance.answerability is not None
    below = decision.relevance.answerability < bar
    assert (decision.reason is None) == (without.reason is None and not below)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does ERR_1042 mean?", "ERR_1042: the file is locked."),
        ("when do I pass --allow-removals", "Pass `--allow-removals` when many are gone."),
        ('Where is "quarterly review" told of?', "The Quarterly  Review takes a day."),
    ],
)
def test_what_holds_the_identifiers_is_accepted_below_the_threshold(question: str, text: str) -> None:
    other = holding("Errors and flags are listed here: ERR_10421, --allow-removals-too, quarterly.", 0.3)
    decision = decide(question, [other, holding(text, 0.1)], Bars(0.4), 1, 0.0)
    assert [candidate.passage.text for candidate in decision.accepted] == [text]
    assert decision.reason is None


def test_a_refusal_says_why_in_words_of_the_question() -> None:
    audit = holding("The ISO 27001 certificate was renewed in May.", 0.35)
    decision = decide("When was the last ISO 9001 audit?", [audit], Bars(0.25, 0.5), 1, 0.2)
    assert decision.reason == "below_threshold"
    assert decision.relevance.evidence is not None
    assert any("9001" in words for words in decision.relevance.evidence.against)
    assert "27001" not in str(decision.relevance.evidence)


def test_numbers_are_told_as_far_as_there_are_any() -> None:
    assert gate.told(None) == gate.told(Relevance(None, 0.4, 0, 0)) == ""
    assert gate.told(Relevance(0.5, 0.4, 1, 1)) == " (best score 0.50, threshold 0.40)"
    told = gate.told(Relevance(0.5, 0.25, 1, 1, answerability=0.05, answerability_threshold=0.1))
    assert told == " (best score 0.50, threshold 0.25; answerability 0.05, threshold 0.10)"

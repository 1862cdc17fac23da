from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core import answerability, question_words
from app.core.answerability import Features, examine, probability
from app.core.model import Candidate, Passage

UNIT = st.floats(-1, 1)
FEATURES = st.builds(Features, **dict.fromkeys(Features.__struct_fields__, UNIT))
TEXTS = st.lists(st.text(max_size=300), min_size=1, max_size=10)


def candidate(text: str, score: float = 0.5, title: str = "") -> Candidate:
    return Candidate(
        Passage(passage_id="p", document_id="d", content_hash="c", position=0, title=title, text=text), score
    )


@given(FEATURES, st.floats(0, 1))
def test_the_probability_never_falls_when_the_passages_come_nearer(features: Features, step: float) -> None:
    nearer = structs.replace(features, cosine=features.cosine + step, margin=features.margin + step)
    assert 0 <= probability(features) <= probability(nearer) <= 1


@given(st.text(min_size=1, max_size=300), TEXTS, UNIT, UNIT)
def test_any_question_and_any_texts_give_a_probability(
    question: str, texts: list[str], score: float, general: float
) -> None:
    found = examine(question, [candidate(text, score) for text in texts], general)
    assert 0 <= probability(found.features) <= 1
    answerability.spoken(found)


def test_what_was_found_by_its_identifier_is_not_said_to_be_close_in_meaning() -> None:
    found = examine("What is ERR_1042?", [candidate("ERR_1042 tells of an old certificate.", 0.1)], 0.0, exact=True)
    for_ = answerability.spoken(found).for_
    assert "a passage holds what is asked for letter by letter" in for_
    assert "a passage is close in meaning" not in for_


def test_of_a_question_without_terms_no_sentence_is_said_to_hold_them() -> None:
    found = examine("??", [candidate("It rains in Bremen.", 0.1)], 0.0)
    assert answerability.spoken(found).for_ == ()


@given(st.floats(-1, 0.9), st.floats(0, 0.1))
def test_a_nearer_passage_of_the_same_words_never_counts_for_less(score: float, step: float) -> None:
    question, text = "Who signs the lease in Brno?", "The head of office signs it."
    near, nearer = (examine(question, [candidate(text, one)], 0.2) for one in (score, score + step))
    assert probability(near.features) <= probability(nearer.features)


def test_the_year_of_a_document_counts_as_held_by_what_it_says() -> None:
    found = candidate("Every employee has 25 days of vacation.", 0.6)
    dated = Candidate(structs.replace(found.passage, updated_at="2024-01-10"), found.score)
    question = "How many days of vacation did an employee have in 2024?"
    assert examine(question, [found], 0.2).unnamed == ("2024",)
    assert examine(question, [dated], 0.2).unnamed == ()
    assert probability(examine(question, [dated], 0.2).features) > probability(examine(question, [found], 0.2).features)


def test_a_passage_that_answers_beats_one_that_lacks_the_name() -> None:
    question = "How many parking places does the office in Bremen have?"
    own, other = (candidate(f"The office in {city} has 12 parking places.", 0.6) for city in ("Bremen", "London"))
    found = examine(question, [other], 0.2)
    assert found.unnamed == ("Bremen",)
    assert probability(examine(question, [own], 0.2).features) > probability(found.features)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Ve městě Brno je kancelář.", True),
        ("The office is in Brno.", True),
        ("Bremen has two offices.", False),
        ("B2 is an office.", False),
    ],
)
def test_a_name_may_end_in_another_letter(text: str, held: bool) -> None:
    assert question_words.holds_name(question_words.terms(text), "Brně") is held


def test_a_name_with_a_digit_is_held_exactly() -> None:
    terms = question_words.terms("An outage of SEV3 and the year 1945.")
    assert [question_words.holds_name(terms, name) for name in ("SEV3", "SEV4", "1945", "1944")] == [True, False] * 2


def test_a_negation_that_the_passage_lacks_counts_against() -> None:
    question = "Which treaty was not signed by the king?"
    yes = examine(question, [candidate("The treaty was signed by the king.")], 0.2)
    no = examine(question, [candidate("The treaty was not signed by the king.")], 0.2)
    assert (yes.features.denied, no.features.denied) == (1, 0)


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("What is ERR_1042?", ["ERR_1042"]),
        ("What does `retry.max` do, and --dry-run?", ["retry.max", "--dry-run"]),
        ('Who wrote "on the origin of ERR_1" first?', ["on the origin of ERR_1"]),
        ("Wann gilt „drei Monate“?", ["drei Monate"]),
        ("How long is the long-term well-being leave in 2024?", []),
    ],
)
def test_identifiers_and_quoted_phrases_are_told_from_words(question: str, exact: list[str]) -> None:
    assert question_words.exact_terms(question) == exact


@pytest.mark.parametrize(
    ("text", "held"),
    [("see ERR_1042.", True), ("see err_1042", True), ("see ERR_10421", False), ("see XERR_1042", False)],
)
def test_an_identifier_is_held_as_a_whole(text: str, held: bool) -> None:
    assert question_words.holds_exactly(text, ["ERR_1042"]) is held

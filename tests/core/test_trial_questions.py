"""Questions built from passages."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import question_words, trial_questions
from app.core.background import STATEMENTS
from app.core.model import Passage
from app.core.off_domain import OFF_DOMAIN
from app.core.trial_questions import Trial

LEAVE = (
    "A full-time contract has 28 days of paid annual leave per calendar year. Ask Ines Albrecht for an unpaid"
    " sabbatical after some full years in the company. Carried days must be taken before the end of the spring."
)
MEALS = (
    "Meals on a business trip are refunded up to 40 euros for each full day. Ask Tomas Dvorak to approve a private"
    " hotel before the journey to the customer. Every receipt must be handed over before the end of the trip."
)


def passage(document: str, text: str, *heading: str, title: str = "Title") -> Passage:
    return Passage(
        passage_id=f"{document} {text}",
        document_id=document,
        content_hash="",
        position=0,
        title=title,
        heading=heading,
        text=text,
    )


PASSAGES = [
    passage("leave.md", LEAVE, "Annual leave"),
    passage("meals.md", MEALS, "Business trips"),
]


def test_question_holds_words_of_its_sentence_and_not_the_answer() -> None:
    [question] = {trial.question for trial in trial_questions.answerable(PASSAGES, 100) if "annual" in trial.question}
    assert question.startswith("How many ")
    assert question.endswith("?")
    assert "28" not in question
    assert "contract" in question or "calendar" in question


def test_same_passages_give_the_same_questions_whatever_their_order() -> None:
    towns = ["Bremen", "Brno", "Porto", "Turku", "Ghent", "Leeds", "Basel", "Lyon"]
    many = [
        passage(
            f"{town}.md", f"The harbour of {town} moved {n} ships of {name} over the old {other} canal last winter."
        )
        for n, (town, name, other) in enumerate(product(towns, ["coal", "grain"], ["upper", "lower"]))
    ]
    shuffled = random.Random(1).sample(many, len(many))
    for build in (trial_questions.answerable, trial_questions.adversarial):
        made = build(many, 10)
        assert len({trial.question for trial in made}) == 10
        assert build(shuffled, 10) == made


def test_adversarial_question_holds_what_its_passage_does_not() -> None:
    made = trial_questions.adversarial(PASSAGES, 100)
    assert made
    held = [question_words.terms(" ".join([one.title, *one.heading, one.text])) for one in PASSAGES]
    for trial in made:
        assert trial.terms
        assert not any(trial.terms <= terms for terms in held)
        assert not trial_questions.answered_after_all(trial, PASSAGES)


def test_what_is_exchanged_is_new_to_the_passage() -> None:
    """All that the two documents could exchange stands in both."""
    towns = ["Bremen", "Brno", "Porto", "Turku", "Ghent", "Leeds"]
    sentence = "The harbour of {} moved many heavy ships to {} over the old canal in winter."
    there = " ".join(sentence.format(*pair) for pair in pairwise(towns))
    back = " ".join(sentence.format(*pair) for pair in pairwise(reversed(towns)))
    same = [passage("a", there, "Ships"), passage("b", back, "Ships")]
    assert len(trial_questions.answerable(same, 100)) > 5
    assert trial_questions.adversarial(same, 100) == []


def test_adversarial_question_that_a_passage_holds_word_for_word_may_be_answered() -> None:
    trial = trial_questions.adversarial(PASSAGES, 1)[0]
    holding = passage("other.md", " ".join([MEALS, LEAVE]), "Business trips", "Annual leave")
    assert trial_questions.answered_after_all(trial, [*PASSAGES, holding])


def test_nothing_is_exchanged_within_one_document() -> None:
    assert trial_questions.adversarial([passage("a.md", LEAVE), passage("a.md", MEALS)], 10) == []


@pytest.mark.parametrize(
    "text",
    [
        "Short words only here.",
        "| Situation | Days of leave | Paid or not paid | Approved by the lead |",
        "Call `render(template, values)` before the final response body is written out.",
        "",
    ],
)
def test_what_is_no_whole_sentence_of_prose_is_not_asked_about(text: str) -> None:
    assert trial_questions.answerable([passage("a.md", text)], 10) == []


def test_question_words_are_english_only_where_the_passage_is() -> None:
    german = "Die Geschäftsstelle in Bremen öffnet montags bis freitags von 8 Uhr morgens bis 20 Uhr abends."
    [trial] = trial_questions.answerable([passage("de.md", german)], 10)
    assert not trial.question.startswith(("How", "Who", "What"))


def test_words_of_scripts_without_spaces_stay_together() -> None:
    [trial] = trial_questions.answerable([passage("zh.md", "全职员工每年有二十八天带薪年假并且可以结转五天。")], 10)
    assert " " not in trial.question


@given(st.lists(st.text(max_size=300), max_size=4))
def test_any_text_can_be_asked_about_or_left_alone(texts: list[str]) -> None:
    made = [passage(f"{number}.md", text, text[:20]) for number, text in enumerate(texts)]
    for trial in [*trial_questions.answerable(made, 5), *trial_questions.adversarial(made, 5)]:
        assert trial.question.endswith("?")


def test_strangers_are_not_what_the_background_tells() -> None:
    told = [question_words.terms(text) for text in STATEMENTS]
    for trial in trial_questions.off_domain():
        assert not any(trial.terms <= terms for terms in told), trial.question
    assert len(set(OFF_DOMAIN)) == len(OFF_DOMAIN) == 60


def test_stranger_that_the_documents_answer_is_found_out() -> None:
    trial = Trial("off-domain", "Why does popcorn pop?", frozenset(["popcor", "pop"]))
    assert trial_questions.answered_after_all(trial, [passage("a.md", "Popcorn pops when its water boils.")])

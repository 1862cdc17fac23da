from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.intent import decide, topic_of
from bench.intent import INTENTS, Example, examples

TOPICS = [
    ("Which documents about on-call are there?", "on-call"),
    ("List all pages on security", "security"),
    ("What documents do you have?", ""),
    ("Hi! Could you please show me which documents exist on data protection, please?", "data protection"),
    ("Which documents do you have about the status page in the index?", "status page"),
    ("Show me all documents about everything.", ""),
    ("What’s in the index?", ""),
    ("I’m looking for documents about C++ and ISO 27001.", "C++ and ISO 27001"),
    ("In which documents is the travel agency mentioned?", "travel agency"),
    ("Is there documentation on how we deploy?", "how we deploy"),
    ("Which documents are about it?", "it"),
    ("Welche Dokumente hast du?", ""),
    ("Zeig mir bitte alle Seiten zum Thema Elternzeit.", "Elternzeit"),
    ("Könntest du mir die Seiten über Vorfälle auflisten?", "Vorfälle"),
    ("Gibt es eine Seite über das Büro in Bremen?", "Büro in Bremen"),
]

IN_DOUBT = [
    "Which documents do I need for a visa?",
    "Which laptop do you recommend?",
    "Do you recommend documents be encrypted?",
    "Which document is about to expire?",
    "Which page comes first, which documents are there and who wrote them?",
    "How do I list all documents?",
    "Which documents about on-call are there? " + "Tell me why. " * 30,
    "",
    "???",
]


@pytest.mark.parametrize(("question", "topic"), TOPICS)
def test_a_catalogue_question_gives_away_its_topic(question: str, topic: str) -> None:
    assert (decide(question), topic_of(question)) == ("catalogue", topic)


@pytest.mark.parametrize("question", IN_DOUBT)
def test_what_is_in_doubt_is_answered(question: str) -> None:
    assert decide(question) == "answer"


@pytest.mark.parametrize("intent", INTENTS)
def test_what_the_caller_says_comes_first(intent: str) -> None:
    for question in ("Which documents are there?", "What should I read?", "How much is it?"):
        assert decide(question, intent) == intent  # type: ignore[arg-type]


def test_any_question_can_be_called_a_catalogue_question() -> None:
    assert topic_of("on-call pay") == "on-call pay"
    assert topic_of("How much is the on-call pay?") == "How much is the on-call pay?"


def test_the_examples_are_enough_and_each_stands_once() -> None:
    parts = [examples(test=False), examples(test=True)]
    questions = [example.question for part in parts for example in part]
    assert len(questions) == len(set(questions)) >= 120
    assert all({example.intent for example in part} == set(INTENTS) for part in parts)


@pytest.mark.parametrize("test", [False, True])
def test_most_examples_are_decided_right_and_hardly_an_answer_is_lost(test: bool) -> None:
    part = examples(test=test)
    assert share_right(part) >= 0.85
    assert share_right([example for example in part if example.intent == "answer"]) >= 0.97


def share_right(part: list[Example]) -> float:
    return sum(example.right for example in part) / len(part)


PHRASES = st.sampled_from(
    ["which", "documents", "about", "are there", "list all", "the", "do you have", "I read", "recommend", "?", "please"]
)


@given(st.lists(PHRASES, max_size=40).map(" ".join) | st.text(max_size=400))
@example("Which pages are about what's new?")
def test_every_text_has_an_intent_and_a_topic_of_its_own_words(text: str) -> None:
    assert decide(text) in INTENTS
    assert topic_of(text) in text


@pytest.mark.parametrize(
    "text",
    ["which documents about " * 13, "please " * 42, "?" * 300, "the " * 75, "what should " + "x" * 280, "a" * 2000],
)
def test_no_question_takes_long(text: str) -> None:
    started = time.process_time()
    for _ in range(10):
        decide(text)
        topic_of(text)
    assert time.process_time() - started < 5

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core.citations import CitationFilter
from app.core.evidence import KeptReply, show
from app.core.followups import AboutTheAnswer, about_the_answer, retold, widened
from app.core.model import Source, Status
from tests.core.test_evidence import SECRET, evidence, source

REPEAT, ORIGIN = AboutTheAnswer.REPEAT, AboutTheAnswer.ORIGIN

PHRASES = {
    REPEAT: [
        "Repeat that",
        "repeat",
        "Please repeat that.",
        "Could you repeat your last answer, please?",
        "Can you say that again?",
        "SAY IT ONE MORE TIME!",
        "Tell me that again please",
        "Again, please",
        "Once more?",
        "Come again?",
        "What did you say?",
        "What was that again?",
        "What was your answer?",
        "Wiederhole das",
        "Wiederholen Sie das bitte.",
        "Kannst du das bitte wiederholen?",
        "Könnten Sie die Antwort noch einmal wiederholen?",
        "Sag das nochmal",
        "Können Sie mir das noch mal sagen?",
        "Noch einmal, bitte!",
        "Was hast du gerade gesagt?",
        "Wie war das nochmal?",
    ],
    ORIGIN: [
        "Where does that come from?",
        "where did this come from",
        "Where's that from?",
        "Where exactly does this information come from, please?",
        "Where did you get that from?",
        "Where does it say that?",
        "Where is that written?",
        "What's your source?",
        "What are the sources for that answer?",
        "Which document says so?",
        "What document is that from?",
        "What is your answer based on?",
        "How do you know that?",
        "Says who?",
        "Show me the sources",
        "Sources?",
        "Woher kommt das?",
        "Woher weißt du das?",
        "Woher haben Sie diese Information?",
        "Wo steht das?",
        "Wo steht das geschrieben?",
        "Wo hast du das her?",
        "Was ist deine Quelle dafür?",
        "Aus welchem Dokument stammt das?",
        "In welcher Datei steht das?",
        "Welche Quelle belegt das?",
        "Worauf beruht die Antwort?",
        "Nenne mir bitte die Quellen",
        "Quelle?",
    ],
}

QUESTIONS_OF_THEIR_OWN = [
    "Where does the 28 come from?",
    "Where does the tea come from?",
    "Where is it?",
    "Where does it come from?",
    "What was it?",
    "What is it based on?",
    "What is the source of the Nile?",
    "Which document says that meals are refunded?",
    "How do you know that a build has passed?",
    "Can you repeat a failed order?",
    "How do I repeat that step?",
    "Say it again in German",
    "Show me the source code",
    "Who says when leave starts?",
    "Wie?",
    "Wo steht der Drucker?",
    "Woher kommt der Kaffee?",
    "Wie oft wiederholt sich das?",
    "Welche Quelle hat das Wasser?",
    "Please",
    "",
    "???",
    "Repeat that. Then tell me the meal allowance.",
    "repeat " * 300,
]


@pytest.mark.parametrize(("kind", "phrase"), [(kind, phrase) for kind in PHRASES for phrase in PHRASES[kind]])
def test_a_phrase_about_the_answer_is_known(kind: AboutTheAnswer, phrase: str) -> None:
    assert about_the_answer(phrase) is kind


@pytest.mark.parametrize("question", QUESTIONS_OF_THEIR_OWN)
def test_a_question_of_its_own_goes_the_usual_way(question: str) -> None:
    assert about_the_answer(question) is None


# Telling again


def seen(*packed: Source, status: Status = Status.ANSWERED, hidden: tuple[str, ...] = ()) -> KeptReply:
    return show(evidence(*packed, status=status), {s.document_id for s in packed} - set(hidden))


def test_a_repeated_answer_is_the_earlier_reply() -> None:
    kept = evidence(source(1, "a.md"), source(2, "b.md"))
    assert retold(REPEAT, show(kept, {"a.md", "b.md"})) == kept.reply


@pytest.mark.parametrize("kind", AboutTheAnswer)
@pytest.mark.parametrize("status", [Status.REFUSED, Status.FAILED])
def test_a_refusal_or_failure_is_told_again_without_sources(kind: AboutTheAnswer, status: Status) -> None:
    kept = evidence(source(1, "a.md"), status=status)
    told = retold(kind, show(structs.replace(kept, reply=structs.replace(kept.reply, cited=())), {"a.md"}))
    assert (told.status, told.answer, told.sources) == (status, None, ())


def test_the_origin_names_each_cited_source_and_nothing_else_of_the_answer() -> None:
    leave = source(1, "a.md", title="Leave", heading=("Leave", "Annual leave"), page=None)
    expenses = source(2, "b.md", title="Expenses", heading=("Meals",))
    told = retold(ORIGIN, structs.replace(seen(leave, expenses, source(3, "c.md")), cited=(1, 2)))
    assert told.answer == "- Leave › Annual leave [1]\n- Expenses › Meals, p. 3 [2]"
    assert (told.status, told.cited, told.dropped) == (Status.ANSWERED, (1, 2), ())
    assert [s.number for s in told.sources] == [1, 2, 3]


def test_a_source_without_titles_is_named_by_its_document() -> None:
    told = retold(ORIGIN, seen(source(1, "notes/a.md", title=" ", heading=(), page=None)))
    assert told.answer == "- notes/a.md [1]"


def test_an_answer_that_cites_nothing_has_its_own_verdict_for_an_origin() -> None:
    kept = structs.replace(seen(source(1, "a.md"), status=Status.UNGROUNDED), cited=(), reason="no_citation")
    told = retold(ORIGIN, kept)
    assert (told.status, told.reason, told.answer) == (Status.UNGROUNDED, "no_citation", f"{SECRET} [1]")


@pytest.mark.parametrize("kind", AboutTheAnswer)
def test_an_answer_from_a_document_that_may_no_longer_be_seen_is_refused(kind: AboutTheAnswer) -> None:
    told = retold(kind, seen(source(1, "a.md"), source(2, "b.md"), hidden=("b.md",)))
    assert (told.status, told.reason, told.answer, told.sources) == (Status.REFUSED, "no_candidates", None, ())
    assert told.message.startswith("You may no longer see all the documents")
    assert SECRET not in repr(told)


NASTY = st.lists(
    st.sampled_from(
        [
            *"[]【】()<>`*\\|_!#&:/†^,;-– 1239aS\n\U000e0041",
            "http://evil.example",
            "<source id=",
            "&#91;",
            "```",
            "Sources",
        ]
    ),
    max_size=12,
).map("".join)


@given(NASTY, st.lists(NASTY, max_size=2), st.sampled_from([(1,), (2,), (1, 3)]))
def test_no_title_brings_a_marker_a_link_or_code_into_the_origin(
    title: str, heading: list[str], cited: tuple[int, ...]
) -> None:
    packed = [source(number, "a.md", title=title, heading=tuple(heading)) for number in (1, 2, 3)]
    told = retold(ORIGIN, structs.replace(seen(*packed), cited=cited))
    assert told.answer is not None
    citations = CitationFilter(3)
    passed = citations.feed(told.answer) + citations.flush()
    assert (passed, citations.valid, citations.dropped) == (told.answer, set(cited), [])
    assert "://" not in told.answer


@pytest.mark.parametrize("title", ["[9]", "【9】", "［9］", "&#91;9&#93;", "[ 9 ]"])
def test_a_title_in_brackets_keeps_its_number_in_round_ones(title: str) -> None:
    told = retold(ORIGIN, seen(source(1, "a.md", title=title, heading=(), page=None)))
    assert told.answer is not None
    assert "".join(told.answer.split()) == "-(9)[1]"


# Widening

EARLIER = "How many days of annual leave does an employee get?"


@pytest.mark.parametrize(
    "question",
    [
        "And part-time staff?",
        "Until when?",
        "How many of them can be carried over to the next year?",
        "Does the same hold for people who work abroad?",
        "Und wie ist das bei Leuten, die im Ausland arbeiten?",
        "Wie viele davon kann man ins nächste Jahr mitnehmen?",
        "Gilt für diese Tage im ersten Jahr eine Wartezeit?",
    ],
)
def test_a_follow_up_is_searched_with_the_earlier_question_after_it(question: str) -> None:
    assert widened(question, EARLIER) == f"{question} {EARLIER}"


@pytest.mark.parametrize(
    "question",
    [
        "How much is the meal allowance on a business trip?",
        "Who do I call when the coffee machine has broken down?",
        "Wie hoch ist der Zuschuss zum Essen auf Reisen?",
    ],
)
def test_a_question_that_stands_alone_is_searched_as_it_is(question: str) -> None:
    assert widened(question, EARLIER) == question


def test_a_chain_of_follow_ups_reaches_back_to_the_last_question_that_stood_alone() -> None:
    first = widened("And part-time staff?", EARLIER)
    second = widened("Until when?", first)
    assert second == f"Until when? And part-time staff? {EARLIER}"
    alone = "How much is the meal allowance on a business trip?"
    assert widened("And abroad?", widened(alone, second)) == f"And abroad? {alone}"


def test_a_long_chain_keeps_to_the_length_of_a_question() -> None:
    assert len(widened("Why?", "x" * 2_000)) == 2_000

"""Which sources a sentence rests on, what counts as a claim, and how it is judged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.answer_sentences import read
from app.core.model import Source
from app.core.support import THRESHOLD, Finding, Reference, find, judge, reference, score


def words(text: str) -> list[int]:
    """The words of four letters and more, without a plural s."""
    return [hash(word.rstrip("s")) for word in re.findall(r"\w{4,}", text.casefold())]


def source(number: int, text: str, title: str = "Handbook") -> Reference:
    return reference(
        Source(
            number=number,
            document_id="a.md",
            passage_id=str(number),
            title=title,
            heading=("Leave",),
            page=None,
            url=None,
            updated_at="2024-05-03",
            score=0.5,
            text=text,
        ),
        words,
    )


def cited(answer: str) -> list[tuple[int, ...]]:
    return [sentence.cited for sentence in read(answer)]


def test_a_sentence_rests_on_its_own_markers() -> None:
    assert cited("One is here [1]. Two is there [2][3].") == [(1,), (2, 3)]


def test_a_sentence_without_a_marker_rests_on_the_next_one_in_its_paragraph() -> None:
    assert cited("One is here. Two is there [2]. Three is gone.") == [(2,), (2,), ()]


def test_items_of_a_list_rest_on_the_marker_at_its_end() -> None:
    assert cited("- One is here\n- Two is there [2]\n") == [(2,), (2,)]


def test_a_marker_does_not_reach_back_over_a_blank_line() -> None:
    assert cited("One is here.\n\nTwo is there [2].") == [(), (2,)]


def test_markers_alone_belong_to_the_paragraph_before_them() -> None:
    assert cited("| One | here |\n\n[1] [2]\n\nTwo is there.")[0] == (1, 2)


def test_a_marker_in_code_is_none() -> None:
    assert cited("Read `a[1]` first. Then this [2].\n\n```\nb[3]\n```\n") == [(2,), (2,), ()]


@pytest.mark.parametrize(
    "text",
    [
        "## Leave and its rules [1]",
        "**Leave and its rules:**",
        "Do you want to know more about leave?",
        "These are the rules of leave:",
        "Sure!",
        "I hope this helps with your leave.",
        "Let me know if you need more about leave.",
        "The documents do not mention any sabbatical rules.",
        "I don't have information about sabbatical rules.",
        "```\nleave = 20\n```",
        "[1]",
    ],
)
def test_what_says_nothing_of_the_matter_is_no_claim(text: str) -> None:
    assert [sentence.words for sentence in read(text)] == [""]


@pytest.mark.parametrize(
    "text",
    [
        "Employees do not need a doctor's note.",
        "Sure, you get 20 days of leave.",
        "Lunch is not provided on travel days.",
        "If you have a child, you get 5 more days.",
    ],
)
def test_what_only_looks_like_small_talk_is_a_claim(text: str) -> None:
    assert [sentence.words for sentence in read(text)] == [text]


def test_a_claim_is_compared_without_markers_and_marks() -> None:
    assert [sentence.words for sentence in read("1. **Leave** is *paid* [1], always [2].")] == [
        "Leave is *paid*, always."
    ]


MARKDOWN = st.lists(
    st.sampled_from(
        ["One is here.", " ", "\n", "\n\n", "[1]", "[2]", "```", "`", "- ", "> ", "# ", "| a |", "Why?", "ü"]
    ),
    max_size=20,
).map("".join)


@given(MARKDOWN)
def test_the_sentences_of_every_answer_are_in_order_and_leave_out_only_space(answer: str) -> None:
    sentences, at = read(answer), 0
    for sentence in sentences:
        assert sentence.start < sentence.end
        assert not answer[at : sentence.start].strip()
        at = sentence.end
    assert not answer[at:].strip()


LEAVE = source(1, "Welcome to all.\n\nEmployees receive 20 days of annual leave. It is paid in full by Acme.")
TRAVEL = source(2, "Travel is booked through Globex. Employees receive 30 euros a day.")


def found(answer: str, *sources: Reference) -> Finding:
    (sentence,) = read(answer)
    return find(sentence, sources or (LEAVE, TRAVEL), words)


def test_the_span_is_the_shortest_window_that_holds_most_words() -> None:
    one, two = found("Employees receive annual leave [1]."), found("Annual leave is paid in full [1].")
    assert one.match
    assert one.match.text == "Employees receive 20 days of annual leave."
    assert two.match
    assert two.match.text == "Employees receive 20 days of annual leave. It is paid in full by Acme."
    assert LEAVE.text[slice(*two.match.span)] == two.match.text


def test_a_sentence_is_looked_up_in_the_source_it_cites_only() -> None:
    assert found("Employees receive 30 euros [1].").missing == ("30",)
    assert found("Employees receive 30 euros [2].").missing == ()


def test_a_sentence_without_a_marker_is_looked_up_in_all_sources() -> None:
    uncited = found("Travel is booked through Globex.")
    assert uncited.match
    assert uncited.match.source == 2
    assert uncited.missing == ()


def test_what_an_uncited_sentence_states_must_stand_in_one_source() -> None:
    assert found("Travel is booked through Globex and Acme.").missing == ("Acme",)


def test_title_heading_and_date_of_a_source_were_shown_too() -> None:
    assert found("So the Handbook says on Leave of 3 May 2024: employees receive it [1].").missing == ()


def test_a_no_that_the_window_does_not_hold_is_missing() -> None:
    assert found("Employees do not receive annual leave [1].").missing == ("not",)
    assert found("Employees do not receive annual leave [1].", source(1, "Employees receive no leave.")).missing == ()


def test_too_few_words_are_no_claim() -> None:
    assert not found("Yes, indeed [1].").claims
    assert found("20 days [1].").claims


def test_a_sentence_of_which_no_source_holds_a_word_is_unsupported() -> None:
    lost = found("Sabbaticals require approval [1].")
    assert lost.match is None
    judged = judge("Sabbaticals require approval [1].", lost, 0.0)
    assert (judged.supported, judged.source, judged.span, judged.score) == (False, None, None, 0.0)


@given(st.floats(-1, 1))
def test_a_sentence_with_something_missing_is_never_supported(similarity: float) -> None:
    answer = "Employees receive 25 days of annual leave [1]."
    judged = judge(answer, found(answer), similarity)
    assert judged.missing == ("25",)
    assert judged.supported is False


def test_a_quote_is_supported_and_shows_where() -> None:
    answer = "Employees receive 20 days of annual leave [1]."
    judged = judge(answer, found(answer), 1.0)
    assert (judged.supported, judged.source, judged.text) == (True, 1, answer)
    assert judged.span
    assert LEAVE.text[slice(*judged.span)] == "Employees receive 20 days of annual leave."


def test_a_heading_is_neither_supported_nor_unsupported() -> None:
    judged = judge("# Leave", found("# Leave"), 0.0)
    assert (judged.supported, judged.score) == (None, None)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_of_either_never_lowers_the_score(overlap: float, similarity: float, more: float) -> None:
    assert 0 <= score(overlap, similarity) <= 1
    assert score(min(1, overlap + more), similarity) >= score(overlap, similarity)
    assert score(overlap, min(1, similarity + more)) >= score(overlap, similarity)


def test_the_threshold_lies_between_a_passing_likeness_and_a_paraphrase() -> None:
    assert score(0.2, 0.4) < THRESHOLD < score(0.7, 0.7)

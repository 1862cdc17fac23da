"""Answers: shared words, facts, citations and markers that nobody offered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters import bm25
from app.adapters.fastembed_embedder import BUNDLED
from app.core.model import Candidate
from app.support import SupportCheck
from eval import answers, citing
from tests.eval.made import asked, case, gold, passage, reply
from tests.shared_embedder import embedders
from tests.sources import source

LEAVE = source(1, "Every employee gets 28 days of annual leave a year.", document_id="leave.md")
MEALS = source(2, "Meals on a business trip are refunded up to 40 euros a day.", document_id="meals.md")


@pytest.mark.parametrize(
    ("answer", "reference", "value"),
    [
        ("The cat sat.", "a cat sat", 1.0),
        ("A cat sat on the mat", "the cat", 2 * 1 / (4 + 1)),
        ("dogs", "cats", 0.0),
        ("", "cats", 0.0),
        ("no no", "no", 2 * 1 / (2 + 1)),
    ],
)
def test_token_f1_by_hand(answer: str, reference: str, value: float) -> None:
    assert answers.token_f1(answer, reference) == pytest.approx(value)


@given(st.text(max_size=60), st.text(max_size=60))
def test_token_f1_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0 <= answers.token_f1(one, other) <= 1
    assert answers.token_f1(one, other) == answers.token_f1(other, one)


def test_refused_question_shares_no_word_and_markers_do_not_count() -> None:
    found = Candidate(passage("leave.md", "28 days. Ask People. Or do not."), 0.9)
    answered = asked(case(answers=("28 days",), gold=(gold("leave.md"),)), reply("28 days [1]", LEAVE), found)
    refused = asked(case(answers=("28 days",), gold=(gold("leave.md"),)), reply(), found)
    figures = {column: one.value for (_, _, column), one in answers.measure("row", [answered, refused]).items()}
    assert figures["token F1"] == 0.5
    assert figures["token F1, answered"] == 1.0
    assert figures["first two sentences"] == pytest.approx(2 * 2 / (4 + 2), abs=1e-4)
    assert figures["words"] == 2


def test_facts_are_all_needed_each_in_any_wording() -> None:
    wanted = case(holds=(("28 days", "28  d"), ("40 euros",)))
    assert answers.holds_the_facts(asked(wanted, reply("28\ndays, 40 euros")))
    assert not answers.holds_the_facts(asked(wanted, reply("28 days")))
    assert not answers.holds_the_facts(asked(wanted, reply()))


def test_catalogue_is_measured_by_the_documents_it_cites() -> None:
    listed = asked(case(lists=("leave.md", "other.md")), reply("- Leave [1]", LEAVE))
    assert answers.documents_cited(listed) == 0.5


def test_only_a_refusal_before_the_answerer_saves_a_call() -> None:
    assert answers.stopped_by_the_gate(reply())
    assert not answers.stopped_by_the_gate(reply(reason="model_abstained"))
    assert not answers.stopped_by_the_gate(reply("28 days [1]", LEAVE))


@pytest.mark.parametrize(
    ("answer", "recall", "precision"),
    [
        ("Every employee gets 28 days of annual leave [1].", (True,), (True,)),
        ("Every employee gets 28 days of annual leave [2].", (False,), (False,)),
        ("Every employee gets 28 days of annual leave.", (False,), ()),
        ("Every employee gets 28 days of annual leave [1][2].", (True,), (True, False)),
        ("Every employee gets 31 days of annual leave [1].", (False,), (False,)),
    ],
)
async def test_citations_as_alce_counts_them(answer: str, recall: tuple[bool], precision: tuple[bool]) -> None:
    found = await citing.score(reply(answer, LEAVE, MEALS), SupportCheck(bm25.words), await embedders.get(BUNDLED))
    assert found == citing.Citations(recall, precision)


async def test_refusal_has_no_citations_to_judge() -> None:
    assert await citing.score(reply(), SupportCheck(bm25.words), await embedders.get(BUNDLED)) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yes [1] and [2].", []),
        ("Yes [3].", ["[3]"]),
        ("No [0] 【4】.", ["[0]", "【4】"]),
        ("Set `limit[7]` to 2.", []),
        ("```\nlimit[7]\n```\n", []),
    ],
)
def test_markers_that_nobody_offered_are_seen_outside_code(text: str, found: list[str]) -> None:
    assert citing.invented(text, range(1, 3)) == found
    shown = answers.measure_markers("row", [(text, 2)])["invented markers", "row", "shown"]
    assert shown.value == len(found)

"""A source that was merged answers as its found passages do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.extractive import Quote, select
from app.core.merging import merge
from app.core.model import Candidate, Passage
from app.core.packing import source
from tests.core.test_extractive import words

QUESTION = "How many days of annual leave carry over?"
TEXTS = (
    "Annual leave is paid. Everybody gets 28 days of annual leave.",
    "Ask your lead first.\n\n- Leave of 5 days may carry over.\n- It must be taken by March.",
    "Days that carry over are lost in April.",
    "Sick leave is another matter; it never carries over, however many days of annual leave are left.",
    "| Years | Days |\n| --- | --- |\n| 5 | 30 days of annual leave |",
)


def passage(position: int) -> Passage:
    return Passage(
        passage_id=str(position),
        document_id="a.md",
        content_hash=str(position),
        position=position,
        title="Handbook",
        heading=("Leave",) if position < 3 else ("Other leave",),
        text=TEXTS[position],
    )


STANDING = [passage(position) for position in range(len(TEXTS))]


@given(st.permutations(range(len(TEXTS))), st.integers(1, len(TEXTS)), st.booleans())
def test_neighbours_change_nothing_of_the_answer(order: list[int], hits: int, roomy: bool) -> None:
    chosen = [Candidate(passage(place), 0.8 - rank / 100) for rank, place in enumerate(order[:hits])]
    alone = [source(number, candidate) for number, candidate in enumerate(chosen, 1)]
    merged = merge(chosen, STANDING, 10_000 if roomy else 0)
    numbers = {one.text: two.number for one in alone for two in merged if one.text in two.text}
    wanted = {Quote(numbers[alone[quote.number - 1].text], quote.text) for quote in select(QUESTION, alone, words)}
    assert set(select(QUESTION, merged, words)) == wanted


def test_quotes_of_one_source_keep_its_order() -> None:
    chosen = [Candidate(passage(2), 0.8), Candidate(passage(1), 0.79)]
    (merged,) = merge(chosen, STANDING[1:3], 0)
    assert select(QUESTION, [merged], words) == [
        Quote(1, "- Leave of 5 days may carry over."),
        Quote(1, "Days that carry over are lost in April."),
    ]


STEPS = [f"{number}. Check node {number} of the cluster." for number in range(1, 10)]
PASSAGES = [STEPS[:4], STEPS[4:7], STEPS[7:]]


def restoring(position: int, text: str) -> Passage:
    return Passage(
        passage_id=str(position),
        document_id="restore.md",
        content_hash=str(position),
        position=position,
        title="Restoring",
        heading=("The database",),
        text=text,
    )


def restored(question: str, texts: list[str], found: int) -> str:
    """What is quoted when the search found the first passages, the last of them best."""
    passages = [restoring(position, text) for position, text in enumerate(texts)]
    chosen = [Candidate(passage, 0.3 + passage.position / 5) for passage in passages[:found]]
    return "\n".join(quote.text for quote in select(question, merge(chosen[::-1], passages, 10_000), words))


HOW = "How do I restore the database?"
CUT = ["\n".join(steps) for steps in PASSAGES]


def test_steps_stay_together_where_passages_cut_their_list() -> None:
    assert restored(HOW, CUT, 3).splitlines() == STEPS


def test_steps_that_only_a_neighbour_has_are_not_quoted() -> None:
    assert restored(HOW, CUT, 2).splitlines() == STEPS[:7]


def test_a_list_that_begins_anew_is_another_one() -> None:
    assert restored(HOW, [CUT[0], "1. Tell the team of the database."], 2) == "1. Tell the team of the database."


def test_a_list_is_cut_where_a_paragraph_stands_between() -> None:
    assert restored(HOW, [f"{CUT[0]}\n\nThe rest can wait.", CUT[1]], 2).splitlines() == STEPS[4:7]


def test_a_list_that_would_fill_the_answer_is_not_quoted_whole() -> None:
    long = ["\n".join(f"{step} {'It takes a while. ' * 60}" for step in steps) for steps in PASSAGES]
    assert "node 9" in restored(HOW, long, 3)
    assert "node 1 " not in restored(HOW, long, 3)

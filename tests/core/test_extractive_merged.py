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

"""The structured answer of the extractive answerer: its quotes hold and cover it."""

from __future__ import annotations

import pytest

from app.adapters.extractive import ExtractiveAnswerer
from app.core.citations import CitationFilter
from app.core.grounding import GroundedAnswer, ground
from app.core.model import Source
from app.core.structured import Draft
from tests.core.test_prompt import source

LEAVE = source(
    1, title="Leave", text="Every employee gets 28 days of paid leave a year. Unused days [3] expire in March."
)
ITEMS = "\n".join(f"{number}. Step {number}: open page {number} of the form and fill it in" for number in range(1, 40))
SICK = source(
    2, title="Sick leave", text=f"How to report sick leave:\n\n{ITEMS}\n   - sign the paid leave form twice\n"
)


async def grounded(question: str, *sources: Source) -> tuple[Draft, GroundedAnswer]:
    draft = await ExtractiveAnswerer().draft(question, sources)
    citations = CitationFilter(len(sources))
    answer = citations.feed(draft.answer) + citations.flush()
    assert answer == draft.answer
    return draft, ground(answer, draft, sources)


@pytest.mark.parametrize(
    "question", ["How many days of paid leave?", "When do unused days expire?", "How do I report sick leave?"]
)
async def test_every_quote_holds_and_covers_the_answer(question: str) -> None:
    draft, result = await grounded(question, LEAVE, SICK)
    pieces = [piece async for piece in ExtractiveAnswerer().stream(question, [LEAVE, SICK])]
    assert draft.answer == "".join(pieces)
    assert result.citations
    assert result.rejected_quotes == ()
    assert (result.confidence, result.claimed_confidence) == ("high", None)


async def test_items_with_others_left_out_between_them_are_quoted_each() -> None:
    _, result = await grounded("Which form is to be signed twice?", LEAVE, SICK)
    assert [quote.quote.strip()[:6] for quote in result.citations][-1] == "- sign"
    assert result.rejected_quotes == ()


async def test_what_is_not_in_the_sources_is_no_quote() -> None:
    assert await ExtractiveAnswerer().draft("Who won the cup?", [LEAVE]) == Draft("NOT_FOUND", (), None)

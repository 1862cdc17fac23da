from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters.extractive import ExtractiveAnswerer
from app.core.citations import CitationFilter
from app.core.model import Candidate, Passage, Source
from app.core.packing import pack
from app.core.prompt import neutralise
from app.ports import Answerer

DATA = Path(os.environ.get("EVAL_DATA", Path(__file__).parents[2] / "../shared/data"))


def sources(*texts: str, title: str = "Handbook") -> tuple[Source, ...]:
    candidates = [
        Candidate(
            Passage(passage_id=str(n), document_id="a.md", content_hash=str(n), position=n, title=title, text=text), 0.5
        )
        for n, text in enumerate(texts)
    ]
    return pack(candidates, 100_000)


async def pieces(question: str, *texts: str) -> list[str]:
    answerer: Answerer = ExtractiveAnswerer()
    return [piece async for piece in answerer.stream(question, sources(*texts))]


async def test_each_quote_is_a_piece_with_its_marker() -> None:
    assert await pieces(
        "How are passwords reset?", "To reset a password, open Settings.", "Resetting passwords is free."
    ) == [
        "To reset a password, open Settings. [1]",
        "\n\nResetting passwords is free. [2]",
    ]


async def test_words_are_compared_by_their_stem() -> None:
    assert await pieces("reimbursement of expense?", "Desks are grey. Expenses are reimbursed.") == [
        "Expenses are reimbursed. [1]"
    ]


async def test_a_script_without_spaces_is_understood() -> None:
    assert await pieces("费用是多少？", "假期有二十天。费用是四十元。") == ["费用是四十元。 [1]"]


@pytest.mark.parametrize("question", ["What is quantum gravity?", "what is it?", "?"])
async def test_nothing_relevant_is_an_abstention(question: str) -> None:
    assert await pieces(question, "Expenses are reimbursed.") == ["NOT_FOUND"]


async def test_a_document_that_says_not_found_does_not_abstain() -> None:
    assert await pieces("Which status means NOT_FOUND?", "NOT_FOUND") == ["NOT_FOUND [1]"]


async def test_the_event_loop_goes_on_while_the_answer_is_made() -> None:
    opened = threading.Event()

    class Shut(tuple[Source, ...]):
        """Sources that can be read only once the event loop has had a turn."""

        def __iter__(self) -> Iterator[Source]:
            assert opened.wait(timeout=5)
            return super().__iter__()

    stream = ExtractiveAnswerer().stream("What is a hotel?", Shut(sources("A hotel is a house.")))
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    opened.set()
    assert await first == "A hotel is a house. [1]"


def squad() -> list[tuple[str, list[str], str, list[str]]]:
    """Every tenth answerable question: (question, accepted answers, title, the article's paragraphs near it)."""
    path = DATA / "qa/squad2/cs224n_dev-v2.0.json"
    if not path.exists():
        pytest.skip("the shared data is not there: set EVAL_DATA")
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    rows = [
        (question["question"], [answer["text"] for answer in question["answers"]], article["title"], near)
        for article in articles
        for place, paragraph in enumerate(article["paragraphs"])
        for near in [
            [paragraph["context"], *(other["context"] for other in article["paragraphs"][place + 1 : place + 3])]
        ]
        for question in paragraph["qas"]
        if not question["is_impossible"]
    ]
    return rows[::10]


async def test_real_questions_are_answered_from_real_paragraphs() -> None:
    answerer, found, rows = ExtractiveAnswerer(), 0, squad()
    for question, accepted, title, paragraphs in rows:
        packed = sources(*paragraphs, title=title)
        answer = "".join([piece async for piece in answerer.stream(question, packed)])
        citations = CitationFilter(len(packed))
        assert citations.feed(answer) + citations.flush() == answer
        found += any(neutralise(text) in answer for text in accepted)
    assert found / len(rows) >= 0.85

"""The questions about the bundled sample corpus, written for it: `eval/questions.jsonl`, one a line."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from eval.cases import Case, Dataset, Gold, Place

NAME = "sample"
QUESTIONS = Path(__file__).with_name("questions.jsonl")
CORPUS = Path(__file__).parents[1] / "ingest" / "sample"


class Evidence(Struct, frozen=True, forbid_unknown_fields=True):
    document: str
    passage: str
    """Words of it, white space folded; empty for all of the document."""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the file."""

    kind: str
    question: str
    status: str
    """The verdict that a careful reader of the corpus would give: `answered` or `refused`."""
    gold: tuple[Evidence, ...]
    answer: str
    holds: tuple[str, ...]
    """Words without which an answer is not right."""


def questions() -> list[Question]:
    return [msgspec.json.decode(line, type=Question) for line in QUESTIONS.read_bytes().splitlines()]


def dataset() -> Dataset:
    return Dataset(name=NAME, corpus=CORPUS, cases=tuple(map(_case, questions())), by_passage=True)


def _case(question: Question) -> Case:
    catalogue = question.kind == "catalogue"
    gold = tuple(Gold(frozenset({Place(one.document)}), one.passage) for one in question.gold)
    return Case(
        group=NAME,
        kind=question.kind,
        question=question.question,
        answerable=question.status == "answered",
        gold=() if catalogue else gold,
        answers=(question.answer,) if question.answer else (),
        holds=tuple((words,) for words in question.holds),
        lists=tuple(one.document for one in question.gold) if catalogue else (),
    )

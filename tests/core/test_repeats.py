"""Two versions of a handbook, and two facts that look like it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.model import Candidate, Passage
from app.core.packing import choose
from app.core.repeats import Fingerprint, adds_nothing, numbers_in

OLD = "Each employee gets 28 days of annual leave, of which up to 5 may be carried over until the end of March."
NEW = OLD.replace("28", "30")
QUESTION = "How many days of leave do I get?"


def passage(text: str, document_id: str, **fields: object) -> Passage:
    values = {
        "passage_id": f"{document_id} {text}",
        "document_id": document_id,
        "content_hash": f"hash of {text}",
        "position": 0,
        "title": "Handbook",
        "heading": ("Leave",),
        "text": text,
        **fields,
    }
    return Passage(**values)  # type: ignore[arg-type]


def packed(passages: Sequence[Passage], question: str = QUESTION) -> list[str]:
    """The ids of the documents that are shown; the first passage is the nearest to the question."""
    candidates = [Candidate(each, 0.9 - rank / 10) for rank, each in enumerate(passages)]
    return [candidate.passage.document_id for candidate in choose(candidates, 100_000, question)]


def test_of_two_versions_the_newer_date_wins_though_the_older_is_nearer() -> None:
    old = passage(OLD, "hr/handbook-a.md", updated_at="2024-02-01")
    new = passage(NEW, "hr/handbook-b.md", updated_at="2025-02-01")
    assert packed([old, new]) == packed([new, old]) == ["hr/handbook-b.md"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"title": "Handbook 2024"}, {"title": "Handbook 2025"}),
        ({"title": "Handbook (2024-09-30)"}, {"title": "Handbook (2024-10)"}),
        ({"title": "Handbook v1.9"}, {"title": "Handbook Version 1.10"}),
        ({"document_id": "hr/handbook-2024.pdf"}, {"document_id": "hr/handbook-2025.pdf"}),
        ({"document_id": "hr/2024/leave.md"}, {"document_id": "hr/2025/leave.md"}),
        ({"document_id": "hr/v1/leave.md"}, {"document_id": "hr/v2/leave.md"}),
        (
            {"heading": ("Leave in 2024",), "title": "Handbook 2024"},
            {"heading": ("Leave in 2025",), "title": "Handbook 2025"},
        ),
        (
            {"document_id": "hr/archive/a.md", "updated_at": "2023"},
            {"document_id": "hr/a.md", "updated_at": "2024-01-02"},
        ),
    ],
)
def test_versions_are_known_by_their_names_where_no_dates_tell(old: dict[str, object], new: dict[str, object]) -> None:
    older = passage(OLD, **{"document_id": "hr/a.md", **old})  # type: ignore[arg-type]
    newer = passage(NEW, **{"document_id": "hr/b.md", **new})  # type: ignore[arg-type]
    assert packed([older, newer]) == packed([newer, older]) == [newer.document_id]


DATED = {"updated_at": "2025-01-01"}
"""Newer than the others below, which are of 2024: of two versions it would be shown alone."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"title": "Handbook of the works council"}),
        ({}, {"heading": ("Leave", "Apprentices")}),
        ({"document_id": "eu/leave.md"}, {"document_id": "us/leave.md"}),
        ({"document_id": "a.md", "position": 1}, {"document_id": "a.md"}),
        ({"title": "Part 2"}, {"title": "Part 1"}),
        ({"title": "", "heading": ()}, {"title": "", "heading": ()}),
        ({"text": f"{NEW} {NEW.replace('leave', 'pay').replace('days', 'euros')}"}, {}),
        ({"updated_at": None}, {}),
        ({"updated_at": "2024-01-01"}, {}),
        ({"title": "Handbook 2020"}, {"title": "Handbook 2021"}),
        ({"updated_at": None, "title": "Handbook v2"}, {"title": "Handbook 2024"}),
    ],
)
def test_what_may_be_two_facts_is_shown_twice(one: dict[str, object], other: dict[str, object]) -> None:
    first = passage(**{"text": NEW, "document_id": "b.md", **DATED, **one})  # type: ignore[arg-type]
    second = passage(**{"text": OLD, "document_id": "a.md", "updated_at": "2024-01-01", **other})  # type: ignore[arg-type]
    assert packed([second, first]) == [second.document_id, first.document_id]


@pytest.mark.parametrize("question", ["How many days of leave were there in 2024?", "Do I really get 28 days?"])
def test_an_older_version_is_shown_too_when_the_question_holds_its_number(question: str) -> None:
    old = passage(OLD, "hr/a.md", updated_at="2024-02-01")
    new = passage(NEW, "hr/b.md", updated_at="2025-02-01")
    assert packed([old, new], question) == ["hr/b.md", "hr/a.md"]
    assert packed([old, new], "How many days of leave are there in 2025?") == ["hr/b.md"]


def test_a_newer_version_without_a_date_goes_before_an_older_one_with_one() -> None:
    old = passage(OLD, "hr/a.md", title="Handbook 2021", heading=(), updated_at="2021-01-01")
    new = passage(OLD, "hr/b.md", title="Handbook 2022", heading=())
    assert packed([old, new]) == packed([new, old]) == ["hr/b.md"]


def test_of_the_same_text_the_higher_version_and_then_the_more_specific_one_is_shown() -> None:
    general = passage(OLD, "hr/a.md", heading=("Leave",))
    specific = passage(OLD, "hr/b.md", heading=("Leave", "Berlin"))
    version = passage(OLD, "hr/c.md", title="Handbook 2025", heading=())
    assert packed([general, specific]) == ["hr/b.md"]
    assert packed([general, specific, version]) == ["hr/c.md"]


WORDS = [f"word{chr(97 + place)}" for place in range(18)]


@st.composite
def shelves(draw: st.DrawFn) -> list[Passage]:
    """Passages of a few texts in several editions, in any order."""
    texts = [" ".join(random.Random(seed).choices(WORDS, k=40)) for seed in range(2)]
    editions = st.builds(
        lambda text, number, year, name, dated: passage(
            f"{text} {number} days",
            f"{name}-{year}.md",
            title=f"Handbook {year}",
            updated_at=f"{year}-01-01" if dated else None,
        ),
        st.sampled_from(texts),
        st.integers(1, 3),
        st.integers(2021, 2025),
        st.sampled_from("abc"),
        st.booleans(),
    )
    return draw(st.lists(editions, max_size=8, unique_by=lambda each: each.passage_id))


@given(shelves(), st.sampled_from([QUESTION, "How many days in 2022?", "Are 2 days enough?"]))
def test_whatever_is_left_out_stands_in_what_is_packed_or_is_older(shelf: list[Passage], question: str) -> None:
    candidates = [Candidate(each, 0.9 - rank / 100) for rank, each in enumerate(shelf)]
    chosen = choose(candidates, 100_000, question)
    known = [Fingerprint(candidate.passage) for candidate in chosen]
    asked = numbers_in(question)
    for candidate in candidates:
        assert candidate in chosen or adds_nothing(Fingerprint(candidate.passage), known, asked)
    for one in known:
        others = [other for other in known if other is not one]
        assert not any(other.supersedes(one) and not one.says_alone(other, asked) for other in others)


@given(shelves(), st.randoms())
def test_which_version_is_packed_does_not_depend_on_the_order(shelf: list[Passage], chance: random.Random) -> None:
    def texts(passages: list[Passage]) -> set[tuple[str, str]]:
        candidates = [Candidate(each, 0.9 - rank / 100) for rank, each in enumerate(passages)]
        return {(one.passage.title, one.passage.text) for one in choose(candidates, 100_000, QUESTION)}

    assert texts(shelf) == texts(chance.sample(shelf, len(shelf)))

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.model import Candidate, Passage
from app.core.packing import documents_first, pack, prompt_tokens

WORDS = [f"word{chr(97 + place)}" for place in range(18)]


def candidate(text: str, score: float = 0.5, **changed: object) -> Candidate:
    values: dict[str, object] = {
        "passage_id": f"id of {text}",
        "document_id": "a.md",
        "content_hash": f"hash of {text}",
        "position": 0,
        "title": "A",
        "text": text,
    }
    return Candidate(Passage(**{**values, **changed}), score)  # type: ignore[arg-type]


def texts(candidates: list[Candidate], budget: int = 100_000) -> list[str]:
    return [source.text for source in pack(candidates, budget)]


def prose(seed: int, words: int = 60) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(0, 4).map(prose) | st.text(max_size=200),
        st.sampled_from([0.9, 0.8, 0.7]),
        title=st.text(max_size=30),
        document_id=st.sampled_from("abc"),
        updated_at=st.sampled_from([None, "2025-01-01", "2026-01-01"]),
    ),
    max_size=12,
)


@given(CANDIDATES, st.integers(0, 600))
def test_what_is_packed_fits_the_budget_and_repeats_nothing(candidates: list[Candidate], budget: int) -> None:
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)
    packed = pack(ranked, budget)
    by_id = {(candidate.passage.passage_id, candidate.passage.title): candidate for candidate in ranked}
    passages = [by_id[source.passage_id, source.title].passage for source in packed]
    assert sum(map(prompt_tokens, passages)) <= budget
    assert [source.number for source in packed] == list(range(1, len(packed) + 1))
    assert len({passage.content_hash for passage in passages}) == len(passages)


@given(CANDIDATES)
def test_the_best_of_each_document_comes_before_all_others(candidates: list[Candidate]) -> None:
    spread = documents_first(candidates)
    documents = {candidate.passage.document_id for candidate in candidates}
    first, others = spread[: len(documents)], spread[len(documents) :]
    assert {candidate.passage.document_id for candidate in first} == documents
    place = {id(candidate): place for place, candidate in enumerate(candidates)}
    assert sorted(place[id(candidate)] for candidate in spread) == list(range(len(candidates)))
    for part in (first, others):
        assert [place[id(candidate)] for candidate in part] == sorted(place[id(candidate)] for candidate in part)
    best = [next(c for c in candidates if c.passage.document_id == name) for name in documents]
    assert {id(candidate) for candidate in first} == {id(candidate) for candidate in best}


def test_a_source_carries_what_its_passage_holds() -> None:
    whole = candidate("Text.", heading=("H",), page=3, url="https://example.org", updated_at="2026-01-01")
    (source,) = pack([whole], 1000)
    assert (source.number, source.title, source.heading, source.text) == (1, "A", ("H",), "Text.")
    assert (source.document_id, source.passage_id, source.score) == ("a.md", "id of Text.", 0.5)
    assert (source.page, source.url, source.updated_at) == (3, "https://example.org", "2026-01-01")


def test_the_same_content_is_packed_once() -> None:
    first, second = candidate("One text.", content_hash="x"), candidate("Another.", content_hash="x")
    assert texts([first, second]) == ["One text."]


def test_nearly_the_same_text_is_packed_once() -> None:
    other = prose(1).upper().replace("WORDA", "other", 1)
    assert texts([candidate(prose(1), 0.9), candidate(other, 0.8)]) == [prose(1)]


def test_a_text_inside_a_packed_one_is_left_out() -> None:
    part = prose(1)[: len(prose(1)) // 2]
    assert texts([candidate(prose(1), 0.9), candidate(part, 0.8)]) == [prose(1)]


def test_a_text_that_adds_to_a_packed_one_is_kept() -> None:
    more = f"{prose(1)} {prose(2)}"
    assert texts([candidate(prose(1), 0.9), candidate(more, 0.8)]) == [prose(1), more]


def test_a_text_that_differs_in_a_number_is_kept() -> None:
    old, new = f"{prose(1)} In 2024 it is 30 EUR.", f"{prose(1)} In 2025 it is 30 EUR."
    assert texts([candidate(old, 0.9), candidate(new, 0.8)]) == [old, new]


def test_different_texts_in_a_script_without_spaces_are_kept() -> None:
    assert texts([candidate("费用是四十元。", 0.9), candidate("假期有二十天。", 0.8)]) == [
        "费用是四十元。",
        "假期有二十天。",
    ]


def test_of_equals_the_newer_is_packed_then_the_one_whose_id_comes_first() -> None:
    same = {"content_hash": "x"}
    undated = candidate("undated", document_id="a", **same)
    old = candidate("old", updated_at="2024-01-01", document_id="b", **same)
    new = candidate("new", updated_at="2025-01-01", document_id="d", **same)
    twin = candidate("twin", updated_at="2025-01-01", document_id="c", **same)
    assert texts([undated, old, new, twin]) == ["twin"]
    assert texts([undated, old, new]) == ["new"]


def test_the_newer_of_two_repeats_takes_the_place_of_the_better_one() -> None:
    old = candidate("old", 0.9, updated_at="2024-01-01", content_hash="x")
    new = candidate("new", 0.7, updated_at="2025-01-01", content_hash="x")
    assert texts([old, candidate("other", 0.8), new]) == ["new", "other"]


def test_a_passage_that_does_not_fit_leaves_room_for_the_next() -> None:
    small = candidate("Short text.", 0.8)
    budget = prompt_tokens(small.passage)
    assert texts([candidate(prose(1), 0.9), small], budget) == ["Short text."]
    assert texts([candidate(prose(1), 0.9), small], budget - 1) == []


def test_a_first_passage_that_fills_the_budget_is_packed_alone() -> None:
    large = candidate(prose(1), 0.9)
    assert texts([large, candidate("Short text.", 0.8)], prompt_tokens(large.passage)) == [prose(1)]


@pytest.mark.parametrize(
    ("text", "real"),
    [  # tokens counted with tiktoken's cl100k_base
        ("You get 25 days of paid leave in each calendar year.", 13),
        ("| Berlin | 40 EUR | 2 nights |", 11),
        ('for item in items: print(item.name, item["price"], sep=", ")', 16),
        ("费用是四十元，请在周五之前付款。", 15),
        ("Mitarbeiterinnen und Mitarbeiter erhalten Urlaubstage.", 11),
    ],
)
def test_the_estimate_of_tokens_is_on_the_high_side(text: str, real: int) -> None:
    empty = prompt_tokens(candidate("", title="").passage)
    assert real <= prompt_tokens(candidate(text, title="").passage) - empty <= 2 * real

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core import hashing
from app.core.model import Passage, Scope

KEY = {
    "revision": "r",
    "cache_epoch": 0,
    "scope": Scope(),
    "question": "q",
    "options": {"top_k": 8},
    "answerer": "chat",
    "model": "m",
    "prompt_version": "1",
    "settings_digest": "s",
}
PASSAGE = Passage(passage_id="p", document_id="d", content_hash="c", position=0, title="", text="t")


@pytest.mark.parametrize(
    ("title", "heading", "prepared"),
    [
        ("", (), "text"),
        ("Leave", (), "Leave\n\ntext"),
        ("Leave", ("Leave", "Carry-over"), "Leave > Carry-over\n\ntext"),
        ("Handbook", ("Leave",), "Handbook > Leave\n\ntext"),
        ("", ("Leave",), "Leave\n\ntext"),
    ],
)
def test_what_is_embedded_begins_with_title_and_headings(title: str, heading: tuple[str, ...], prepared: str) -> None:
    assert hashing.prepared_text(title, heading, "text") == prepared


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("revision", "other"),
        ("cache_epoch", 1),
        ("scope", Scope(groups=frozenset({"public", "hr"}))),
        ("scope", Scope(source_prefix="hr")),
        ("scope", Scope(tags=("a",))),
        ("question", "Q"),
        ("options", {"top_k": 9}),
        ("answerer", "extractive"),
        ("model", "n"),
        ("prompt_version", "2"),
        ("settings_digest", "t"),
    ],
)
def test_each_part_of_the_cache_key_counts(name: str, value: object) -> None:
    assert hashing.cache_key(**{**KEY, name: value}) != hashing.cache_key(**KEY)


def test_the_cache_key_does_not_depend_on_the_order_of_options_groups_or_tags() -> None:
    one = Scope(groups=frozenset({"a", "b"}), tags=("x", "y"))
    two = Scope(groups=frozenset({"b", "a"}), tags=("y", "x"))
    key: Callable[[Scope, dict[str, int]], str] = lambda scope, options: hashing.cache_key(  # noqa: E731
        **{**KEY, "scope": scope, "options": options}
    )
    assert key(one, {"a": 1, "b": 2}) == key(two, {"b": 2, "a": 1})


@pytest.mark.parametrize(
    "changed",
    [
        {"page": 2},
        {"url": "https://x"},
        {"updated_at": "2026-01-01"},
        {"tags": ("t",)},
        {"access": ()},
        {"language": "de"},
        {"content_hash": "d"},
    ],
)
def test_the_index_digest_covers_all_that_an_answer_can_show(changed: dict[str, object]) -> None:
    assert hashing.index_digest([structs.replace(PASSAGE, **changed)]) != hashing.index_digest([PASSAGE])


@given(st.lists(st.tuples(st.text(), st.text()), unique_by=lambda pair: pair[0]), st.randoms())
def test_the_revision_is_of_the_set_of_documents(documents: list[tuple[str, str]], random: object) -> None:
    shuffled = list(documents)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert hashing.revision("f", shuffled) == hashing.revision("f", documents)
    assert hashing.revision("g", documents) != hashing.revision("f", documents)


@given(st.tuples(st.text(), st.lists(st.text()), st.text()), st.tuples(st.text(), st.lists(st.text()), st.text()))
def test_different_content_has_different_hashes(
    one: tuple[str, list[str], str], two: tuple[str, list[str], str]
) -> None:
    assert (hashing.content_hash(*one) == hashing.content_hash(*two)) == (one == two)


def test_the_same_text_in_two_documents_is_two_passages() -> None:
    ids = {hashing.passage_id(document, "c", occurrence) for document in ("a", "b") for occurrence in (0, 1)}
    assert len(ids) == 4

"""What every VectorStore promises: the passages that stand at given places, and only those that the scope may see."""

from __future__ import annotations

import pytest

from app.core.model import Place, Scope
from app.ports import VectorStore
from tests.stores import EVERYONE, LOCAL_MODE, embedded, passage, spec

pytestmark = LOCAL_MODE

DOCUMENTS = {
    "hr/leave.md": {"access": ("public",), "tags": ("hr",)},
    "hr/pay.md": {"access": ("staff",)},
    "acme.md": {"access": ("tenant:acme",)},
}


@pytest.fixture
async def handbook(store: VectorStore, collection: str) -> VectorStore:
    """Each document with five passages."""
    await store.create(spec(collection))
    passages = [passage(name, position, **fields) for name, fields in DOCUMENTS.items() for position in range(5)]
    await store.write_passages(collection, [embedded(each) for each in passages])
    return store


async def places(store: VectorStore, collection: str, asked: list[Place], scope: Scope = EVERYONE) -> list[Place]:
    found = await store.passages_at(collection, asked, scope)
    return sorted((each.document_id, each.position) for each in found)


async def test_the_passages_at_the_places_are_found_whole(handbook: VectorStore, collection: str) -> None:
    found = await handbook.passages_at(collection, [("hr/leave.md", 3), ("hr/leave.md", 1)], EVERYONE)
    wanted = [passage("hr/leave.md", position, **DOCUMENTS["hr/leave.md"]) for position in (1, 3)]
    assert sorted(found, key=lambda each: each.position) == wanted


async def test_a_position_counts_in_its_own_document_alone(handbook: VectorStore, collection: str) -> None:
    scope = Scope(frozenset({"public", "staff"}))
    asked = [("hr/leave.md", 0), ("hr/pay.md", 4), ("hr/pay.md", 4)]
    assert await places(handbook, collection, asked, scope) == [("hr/leave.md", 0), ("hr/pay.md", 4)]


async def test_where_nothing_stands_nothing_is_found(handbook: VectorStore, collection: str) -> None:
    assert await places(handbook, collection, [("hr/leave.md", -1), ("hr/leave.md", 5), ("none.md", 0)]) == []
    assert await places(handbook, collection, []) == []


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (EVERYONE, ["hr/leave.md"]),
        (Scope(frozenset({"public", "staff"})), ["hr/leave.md", "hr/pay.md"]),
        (Scope(frozenset({"public", "tenant:acme"})), ["acme.md", "hr/leave.md"]),
        (Scope(frozenset({"tenant:acme"})), []),
        (Scope(frozenset()), []),
        (Scope(frozenset({"public", "staff"}), "hr/pay.md"), ["hr/pay.md"]),
        (Scope(frozenset({"public", "staff"}), tags=("hr",)), ["hr/leave.md"]),
    ],
)
async def test_what_the_scope_may_not_see_is_not_found(
    handbook: VectorStore, collection: str, scope: Scope, seen: list[str]
) -> None:
    asked = [(name, position) for name in DOCUMENTS for position in (1, 2)]
    wanted = [(name, position) for name in seen for position in (1, 2)]
    assert await places(handbook, collection, asked, scope) == wanted


async def test_both_versions_at_a_place_are_found(handbook: VectorStore, collection: str) -> None:
    newer = passage("hr/leave.md", 2, passage_id="00000000-0000-0000-0000-000000000002", text="newer")
    await handbook.write_passages(collection, [embedded(newer)])
    found = await handbook.passages_at(collection, [("hr/leave.md", 2)], EVERYONE)
    assert sorted(each.text for each in found) == ["newer", "text"]


async def test_forty_packed_passages_with_their_neighbours_are_found(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    names = [f"{number:02}.md" for number in range(40)]
    passages = [passage(name, position) for name in names for position in range(3)]
    await store.write_passages(collection, [embedded(each) for each in passages])
    asked = [(name, position) for name in names for position in range(3)]
    assert await places(store, collection, asked) == asked

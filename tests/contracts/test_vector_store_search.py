"""What every VectorStore promises: the best passages, in a fixed order, and only those that the scope may see."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from app.core.model import Query, Scope
from app.ports import VectorStore
from tests.stores import EVERYONE, LOCAL_MODE, document, embedded, passage, spec, state

pytestmark = LOCAL_MODE

NORTH = [0.0, 1.0, 0.0, 0.0]


def at(degrees: float, length: float = 1) -> list[float]:
    """A vector that many degrees off NORTH."""
    return [length * math.sin(math.radians(degrees)), length * math.cos(math.radians(degrees)), 0.0, 0.0]


async def found(
    store: VectorStore, collection: str, limit: int = 40, scope: Scope = EVERYONE, words: str = ""
) -> list[str]:
    candidates = await store.search(collection, Query(NORTH, words), limit, scope)
    return [candidate.passage.document_id for candidate in candidates]


async def test_the_nearest_passages_come_first_with_their_cosine(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    angles = {f"{degrees}.md": degrees for degrees in (70, 0, 180, 30, 90)}
    await store.write_passages(collection, [embedded(passage(name), at(angle)) for name, angle in angles.items()])
    candidates = await store.search(collection, Query(NORTH), 10, EVERYONE)
    assert [candidate.passage.document_id for candidate in candidates] == ["0.md", "30.md", "70.md", "90.md", "180.md"]
    assert [candidate.score for candidate in candidates] == pytest.approx(
        [math.cos(math.radians(angle)) for angle in (0, 30, 70, 90, 180)], abs=1e-6
    )
    assert candidates[1].passage == passage("30.md")


async def test_the_length_of_a_vector_does_not_count(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    lengths = [embedded(passage("long.md"), at(60, 1000)), embedded(passage("near.md"), at(10, 1e-6))]
    await store.write_passages(collection, lengths)
    candidates = await store.search(collection, Query([0, 5, 0, 0]), 2, EVERYONE)
    assert [candidate.passage.document_id for candidate in candidates] == ["near.md", "long.md"]
    assert [candidate.score for candidate in candidates] == pytest.approx([math.cos(math.radians(10)), 0.5], abs=1e-6)


async def test_no_more_than_the_limit_is_found(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    assert await found(store, collection) == []
    await store.write_passages(collection, [embedded(passage(f"{n:02}.md"), at(n)) for n in range(60)])
    assert await found(store, collection, limit=40) == [f"{n:02}.md" for n in range(40)]
    assert await found(store, collection, limit=1) == ["00.md"]
    assert await found(store, collection, limit=0) == []


async def test_ties_are_ordered_and_cut_by_passage_id(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    same = [passage(f"{n}.md") for n in range(100)]
    await store.write_passages(collection, [embedded(p, at(20)) for p in same])
    await store.write_passages(collection, [embedded(passage("best.md"), at(0)), embedded(passage("last.md"), at(50))])
    by_id = [p.document_id for p in sorted(same, key=lambda p: p.passage_id)]
    assert await found(store, collection, limit=8) == ["best.md", *by_id[:7]]
    assert await found(store, collection, limit=102) == ["best.md", *by_id, "last.md"]


async def test_words_follow_the_language_of_their_document(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    houses = passage("a.md", title="", text="Zwei Häuser", tags=("old",))
    await store.write_passages(collection, [embedded(houses, at(20))])

    async def score(*languages: str) -> float | None:
        candidates = await store.search(collection, Query(NORTH, "Haus", languages), 1, EVERYONE)
        return candidates[0].sparse

    assert await score("de") is None
    german = structs.replace(houses, language="de")
    await store.update_passages(collection, [german])
    assert await store.passages(collection, "a.md") == [german]
    assert await score("de")
    await store.update_passages(collection, [houses])
    assert await score("de") is None


# Scope

LIBRARY = {
    "hr/leave.md": {"access": ("public",), "tags": ("hr",)},
    "hr/leave": {"access": ("public", "staff")},
    "hr/leave/a.md": {"access": ("staff",), "tags": ("hr", "leave")},
    "hr/leave/b/c.md": {"access": ("public",), "tags": ("leave",)},
    "hr/leaves.md": {"access": ("public",)},
    "hr": {"access": ("board",), "tags": ("hr",)},
    "it/leave/a.md": {"access": ("staff", "board"), "tags": ("it",)},
    "über/日本.md": {"access": ("Ärzte",), "tags": ("日本",)},
    "nobody.md": {"access": (), "tags": ("hr", "it", "leave")},
    "/rooted/x.md": {"access": ("public",)},
    "https://wiki.example/a/b": {"access": ("public",), "tags": ("hr",)},
    "acme/all.md": {"access": ("tenant:acme",)},
    "acme/open.md": {"access": ("tenant:acme", "public")},
    "acme/pay.md": {"access": ("staff", "tenant:acme", "board")},
    "joint/all.md": {"access": ("tenant:bolt", "tenant:acme")},
    "joint/pay.md": {"access": ("tenant:acme", "staff", "tenant:bolt"), "tags": ("hr",)},
}
ACME = {"acme/all.md", "acme/open.md"}


def visible(scope: Scope) -> set[str]:
    """The rule of model.Scope, said a second time and in another way."""

    def is_visible(document_id: str, access: Iterable[str], tags: Iterable[str] = ()) -> bool:
        prefix = (scope.source_prefix or "").rstrip("/")
        tenants = {group for group in access if group.startswith("tenant:")}
        others = set(access) - tenants or ({"public"} if tenants else set())
        return (
            tenants <= scope.groups
            and not scope.groups.isdisjoint(others)
            and (not prefix or f"{document_id}/".startswith(f"{prefix}/"))
            and (not scope.tags or not set(scope.tags).isdisjoint(tags))
        )

    return {document_id for document_id, fields in LIBRARY.items() if is_visible(document_id, **fields)}


@pytest.fixture
async def library(store: VectorStore, collection: str) -> VectorStore:
    """Every document of LIBRARY with a record and two passages."""
    await store.create(spec(collection))
    await store.write_documents(collection, [document(name, **fields) for name, fields in LIBRARY.items()])
    passages = [passage(name, position, **fields) for name, fields in LIBRARY.items() for position in (0, 1)]
    await store.write_passages(collection, [embedded(p, at(n)) for n, p in enumerate(passages)])
    return store


async def assert_sees(store: VectorStore, collection: str, scope: Scope, wanted: set[str]) -> None:
    for words in ("", "text"):  # by meaning alone, and with the leg that finds words
        assert sorted(await found(store, collection, scope=scope, words=words)) == sorted([*wanted, *wanted])
    assert await store.count(collection, scope) == (len(wanted), 2 * len(wanted))
    assert await store.visible(collection, [*LIBRARY, "unknown.md"], scope) == wanted
    records = [record async for record in store.find_documents(collection, scope)]
    assert sorted(record.document_id for record in records) == sorted(wanted)


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        (Scope(frozenset({"board"})), {"hr", "it/leave/a.md"}),
        (Scope(frozenset({"board", "Ärzte"})), {"hr", "it/leave/a.md", "über/日本.md"}),
        (Scope(frozenset()), set()),
        (Scope(frozenset({"public", "tenant:acme"}), "acme"), ACME),
        (Scope(frozenset({"public", "tenant:acme"}), "joint"), set()),
        (Scope(frozenset({"public", "tenant:bolt"}), "acme"), set()),
        (Scope(frozenset({"public", "staff", "board"}), "acme"), set()),
        (Scope(frozenset({"public", "staff", "tenant:acme"}), "acme"), {*ACME, "acme/pay.md"}),
        (Scope(frozenset({"public", "tenant:acme", "tenant:bolt"}), "joint"), {"joint/all.md"}),
        (Scope(frozenset({"staff", "tenant:acme", "tenant:bolt"}), "joint"), {"joint/pay.md"}),
        (Scope(frozenset({"tenant:acme"})), set()),
        (Scope(frozenset({"unknown"})), set()),
        (Scope(frozenset({"public"}), "hr/leave"), {"hr/leave", "hr/leave/b/c.md"}),
        (Scope(frozenset({"public"}), "hr/leave/"), {"hr/leave", "hr/leave/b/c.md"}),
        (Scope(frozenset({"public"}), "hr/leave.md"), {"hr/leave.md"}),
        (Scope(frozenset({"public"}), "hr/lea"), set()),
        (Scope(frozenset({"public"}), "HR"), set()),
        (Scope(frozenset({"public"}), "leave"), set()),
        (Scope(frozenset({"Ärzte"}), "über"), {"über/日本.md"}),
        (Scope(frozenset({"public"}), "/rooted"), {"/rooted/x.md"}),
        (Scope(frozenset({"public"}), "https://wiki.example/a"), {"https://wiki.example/a/b"}),
        (Scope(frozenset({"staff"}), None, ("it", "leave")), {"hr/leave/a.md", "it/leave/a.md"}),
        (Scope(frozenset({"staff", "public"}), "hr", ("leave", "leave")), {"hr/leave/a.md", "hr/leave/b/c.md"}),
        (Scope(frozenset({"staff"}), "hr", ("it",)), set()),
    ],
)
async def test_a_scope_shows_what_it_should(
    library: VectorStore, collection: str, scope: Scope, wanted: set[str]
) -> None:
    await assert_sees(library, collection, scope, wanted)


SCOPES = st.builds(
    Scope,
    st.frozensets(st.sampled_from(["public", "staff", "board", "Ärzte", "tenant:acme", "tenant:bolt", "unknown", ""])),
    st.none()
    | st.sampled_from(["", "/", "hr", "hr/", "hr/leave", "acme", "joint", "hr/l", "it", "über", "*", "https:"]),
    st.lists(st.sampled_from(["hr", "it", "leave", "日本", "none"]), max_size=3).map(tuple),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scope=SCOPES)
async def test_every_scope_shows_what_the_rule_says(library: VectorStore, collection: str, scope: Scope) -> None:
    await assert_sees(library, collection, scope, visible(scope))


async def test_only_the_documents_asked_about_are_visible(library: VectorStore, collection: str) -> None:
    asked = ["hr/leave.md", "hr/leave", "hr", "unknown.md"]
    assert await library.visible(collection, asked, EVERYONE) == {"hr/leave.md", "hr/leave"}
    assert await library.visible(collection, [], EVERYONE) == set()
    await library.delete_passages(collection, [passage("hr/leave", position).passage_id for position in (0, 1)])
    assert await library.visible(collection, asked, EVERYONE) == {"hr/leave.md"}


async def test_every_record_in_scope_is_found_whole_and_the_state_is_none_of_them(
    store: VectorStore, collection: str
) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection))
    wanted = [document(f"hr/{n:03}.md", tags=("hr",), url=f"https://wiki.example/{n}") for n in range(150)]
    hidden = [document(f"it/{n}.md", access=("staff",)) for n in range(150)]
    await store.write_documents(collection, [record for pair in zip(wanted, hidden, strict=True) for record in pair])
    records = [record async for record in store.find_documents(collection, EVERYONE)]
    assert sorted(records, key=lambda record: record.document_id) == wanted


async def test_a_narrow_scope_still_gets_its_full_number(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    crowd = [embedded(passage(f"crowd/{n}.md"), at(n / 100)) for n in range(500)]
    hidden = [embedded(passage(f"rare/{n}.md", access=("rare",)), at(90 + n)) for n in range(10)]
    await store.write_passages(collection, crowd + hidden)
    scope = Scope(frozenset({"rare"}), "rare")
    assert await found(store, collection, limit=8, scope=scope) == [f"rare/{n}.md" for n in range(8)]

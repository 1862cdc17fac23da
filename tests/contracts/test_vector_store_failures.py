"""What every VectorStore promises of documents that failed, in the index or absent from it."""

from __future__ import annotations

from app.core.model import Scope
from app.core.records import AbsentDocument, DocumentRecord
from app.ports import VectorStore
from tests.stores import EVERYONE, LOCAL_MODE, absent, document, spec, state

pytestmark = LOCAL_MODE


async def documents(store: VectorStore, collection: str) -> list[DocumentRecord]:
    return [record async for record in store.documents(collection)]


async def absent_documents(store: VectorStore, collection: str) -> list[AbsentDocument]:
    return [found async for found in store.absent_documents(collection)]


async def test_absent_documents_are_listed_apart_from_records(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection))
    await store.write_documents(collection, [document("a.md", failure="it is damaged")])
    wanted = [absent(f"ä {number}.pdf", failure=f"reason {number}") for number in range(200)]
    await store.write_absent(collection, wanted)
    listed = await absent_documents(store, collection)
    assert sorted(listed, key=lambda one: one.document_id) == sorted(wanted, key=lambda one: one.document_id)
    assert await documents(store, collection) == [document("a.md", failure="it is damaged")]


async def test_a_document_is_either_recorded_or_absent(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_absent(collection, [absent("a.md"), absent("b.md")])
    await store.write_documents(collection, [document("a.md")])
    assert await absent_documents(store, collection) == [absent("b.md")]
    await store.write_absent(collection, [absent("a.md")])
    assert await documents(store, collection) == []
    await store.delete_documents(collection, ["a.md", "b.md"])
    assert await absent_documents(store, collection) == []


async def test_absent_documents_are_not_counted_and_no_scope_finds_them(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_documents(collection, [document("folder/a.md")])
    await store.write_absent(collection, [absent("folder/b.md")])
    for scope in (EVERYONE, Scope(source_prefix="folder"), Scope(groups=frozenset({""})), Scope(groups=frozenset())):
        found = [record.document_id async for record in store.find_documents(collection, scope)]
        assert "folder/b.md" not in found
        assert (await store.count(collection, scope))[0] == len(found)


async def test_failures_are_counted_by_who_may_see_them(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    assert await store.count_failures(collection, None) == 0
    staff = Scope(groups=frozenset({"staff"}))
    await store.write_documents(
        collection,
        [
            document("fine.md"),
            document("public.md", failure="it is damaged"),
            document("staff.md", failure="it is damaged", access=("staff",)),
        ],
    )
    await store.write_absent(collection, [absent("absent.md")])
    assert await store.count_failures(collection, None) == 3
    assert await store.count_failures(collection, EVERYONE) == 1
    assert await store.count_failures(collection, staff) == 1
    await store.write_documents(collection, [document("public.md")])
    assert await store.count_failures(collection, EVERYONE) == 0
    assert await store.count_failures(collection, None) == 2

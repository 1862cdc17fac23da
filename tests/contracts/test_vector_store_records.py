"""What every VectorStore promises: the index name, the state record, and the documents' records."""

from __future__ import annotations

import pytest

from app.core.model import Query
from app.core.records import DocumentRecord
from app.errors import StoreUnavailable
from app.ports import VectorStore
from tests.stores import EVERYONE, LOCAL_MODE, document, embedded, passage, spec, state

pytestmark = LOCAL_MODE


async def documents(store: VectorStore, collection: str) -> list[DocumentRecord]:
    return [record async for record in store.documents(collection)]


async def test_a_new_store_has_no_state(store: VectorStore, collection: str) -> None:
    assert await store.state() is None
    assert await store.read_state(collection) is None


async def test_a_collection_has_no_state_until_one_is_written(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    assert await store.read_state(collection) is None
    written = state(collection, state="updating", generation=7, job="job-1", updated_at="2026-11-29T10:00:00Z")
    await store.write_state(written)
    assert await store.read_state(collection) == written
    assert await store.state() is None, "nothing was switched to it yet"


async def test_a_state_replaces_the_one_before(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection, state="updating", generation=1, job="job-1"))
    ready = state(collection, generation=2, cache_epoch=3, documents=4, passages=5)
    await store.write_state(ready)
    assert await store.read_state(collection) == ready


async def test_the_index_name_follows_every_switch(store: VectorStore, collection: str, other_collection: str) -> None:
    for name in (collection, other_collection):
        await store.create(spec(name))
        await store.write_state(state(name))
        await store.write_documents(name, [document(f"only in {name}")])
    for name in (collection, other_collection, collection):
        await store.switch(name)
        current = await store.state()
        assert current is not None
        assert current.collection == name
        assert await documents(store, current.collection) == [document(f"only in {name}")]


async def test_a_switch_to_nothing_is_refused_and_changes_nothing(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection))
    await store.switch(collection)
    with pytest.raises(StoreUnavailable):
        await store.switch(f"{collection}-that-is-not-there")
    assert await store.state() == state(collection)


async def test_creating_a_whole_collection_again_changes_nothing(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    await store.write_documents(collection, [document("a.md")])
    await store.write_state(state(collection))
    await store.create(spec(collection))
    assert await store.passages(collection, "a.md") == [passage("a.md")]
    assert await documents(store, collection) == [document("a.md")]
    assert await store.read_state(collection) == state(collection)


async def test_a_collection_of_another_dimension_is_not_taken_over(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection, dimension=4))
    with pytest.raises(StoreUnavailable):
        await store.create(spec(collection, dimension=5))


async def test_a_missing_collection_is_an_error_except_for_its_state(store: VectorStore, collection: str) -> None:
    for call in (
        store.search(collection, Query([1, 0, 0, 0]), 3, EVERYONE),
        store.count(collection, EVERYONE),
        store.visible(collection, ["a.md"], EVERYONE),
        store.passages(collection, "a.md"),
        store.document_ids(collection),
        store.vectors(collection, ["hash"]),
        store.write_passages(collection, [embedded(passage("a.md"))]),
        store.write_documents(collection, [document("a.md")]),
        store.write_state(state(collection)),
        documents(store, collection),
        anext(aiter(store.find_documents(collection, EVERYONE))),
    ):
        with pytest.raises(StoreUnavailable):
            await call


@pytest.mark.parametrize("number", [0, 1, 64, 1_100])
async def test_every_document_record_is_listed_and_nothing_else(
    store: VectorStore, collection: str, number: int
) -> None:
    await store.create(spec(collection))
    await store.write_state(state(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    wanted = [document(f"folder/ä {n}.md", tags=("t",), passages=n) for n in range(number)]
    await store.write_documents(collection, wanted)
    listed = await documents(store, collection)
    assert sorted(listed, key=lambda record: record.passages) == wanted


async def test_a_document_record_is_replaced_and_deleted_without_its_passages(
    store: VectorStore, collection: str
) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    await store.write_documents(collection, [document("a.md", url="https://old.example"), document("b.md")])
    newer = document("a.md", origin="push", access=("staff",), updated_at="2026-11-29")
    await store.write_documents(collection, [newer])
    await store.delete_documents(collection, ["b.md", "never-there.md"])
    assert await documents(store, collection) == [newer]
    await store.delete_documents(collection, {"a.md"})
    assert await documents(store, collection) == []
    assert await store.passages(collection, "a.md") == [passage("a.md")]


async def test_records_and_passages_of_two_collections_do_not_mix(
    store: VectorStore, collection: str, other_collection: str
) -> None:
    await store.create(spec(collection))
    await store.create(spec(other_collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    await store.write_documents(collection, [document("a.md")])
    assert await store.passages(other_collection, "a.md") == []
    assert await documents(store, other_collection) == []
    assert await store.count(other_collection, EVERYONE) == (0, 0)


async def test_nothing_to_do_is_no_error(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [])
    await store.update_passages(collection, [])
    await store.delete_passages(collection, [])
    await store.write_documents(collection, [])
    await store.delete_documents(collection, [])
    assert await store.vectors(collection, []) == {}
    await store.flush(collection)
    assert await store.count(collection, EVERYONE) == (0, 0)

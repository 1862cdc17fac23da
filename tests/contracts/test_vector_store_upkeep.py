"""What every VectorStore promises to the commands that look after it: counts, strays, collections and their removal."""

from __future__ import annotations

import pytest
from msgspec import structs

from app.core.records import IndexSpec
from app.errors import StoreUnavailable
from app.ports import VectorStore
from tests.stores import LOCAL_MODE, document, embedded, passage, spec, state

pytestmark = LOCAL_MODE

FINGERPRINTS = ("0123456789abcdef", "fedcba9876543210")


def spec_of(index_name: str, fingerprint: str) -> IndexSpec:
    return spec(f"{index_name}-{fingerprint}")


async def fill(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md", n)) for n in range(3)])
    await store.write_documents(collection, [document("a.md", passages=3), document("b.md", access=())])
    await store.write_state(state(collection))


async def test_totals_count_what_nobody_may_see_and_no_state(store: VectorStore, collection: str) -> None:
    await fill(store, collection)
    await store.write_passages(collection, [embedded(passage("b.md", access=()))])
    assert await store.totals(collection) == (2, 4)


async def test_whole_passages_are_no_strays(store: VectorStore, collection: str) -> None:
    await fill(store, collection)
    without_words = passage("empty.md", title="", text="", tags=(), heading=())
    await store.write_passages(collection, [embedded(without_words)])
    assert await store.strays(collection) == []


async def test_the_collections_of_an_index_are_found_and_of_no_other(store: VectorStore, index_name: str) -> None:
    assert await store.collections() == []
    for name in (index_name, f"{index_name}-eu"):
        for fingerprint in FINGERPRINTS:
            await store.create(spec_of(name, fingerprint))
    assert await store.collections() == [f"{index_name}-{fingerprint}" for fingerprint in FINGERPRINTS]


async def test_a_dropped_collection_is_gone_and_the_others_stay(store: VectorStore, index_name: str) -> None:
    kept, dropped = (spec_of(index_name, fingerprint).collection for fingerprint in FINGERPRINTS)
    for name in (kept, dropped):
        await fill(store, name)
    await store.switch(kept)
    await store.drop(dropped)
    assert await store.collections() == [kept]
    assert await store.read_state(dropped) is None
    with pytest.raises(StoreUnavailable):
        await store.totals(dropped)
    assert (await store.state(), await store.totals(kept)) == (state(kept), (2, 3))
    await store.drop(dropped)  # again: no effect


async def test_a_dropped_collection_can_be_made_anew_and_is_empty(store: VectorStore, index_name: str) -> None:
    made = spec_of(index_name, FINGERPRINTS[0])
    await fill(store, made.collection)
    await store.drop(made.collection)
    await store.create(structs.replace(made, dimension=5))
    assert await store.totals(made.collection) == (0, 0)

"""What was lost from the store is found by the next job and built anew, never taken for unchanged."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.adapters.stores import open_store
from app.core.records import StateRecord
from app.ports import VectorStore
from app.settings import Settings
from tests.ingest.test_job import DOCUMENTS, Content, content
from tests.service import CORPUS, ingest, write_corpus

Damage = Callable[[VectorStore, StateRecord], Awaitable[None]]


async def lose_a_passage(store: VectorStore, state: StateRecord) -> None:
    passages = await store.passages(state.collection, "travel/long.md")
    await store.delete_passages(state.collection, [passages[3].passage_id])


async def lose_a_documents_passages(store: VectorStore, state: StateRecord) -> None:
    passages = await store.passages(state.collection, "leave.md")
    await store.delete_passages(state.collection, [passage.passage_id for passage in passages])


async def lose_a_record(store: VectorStore, state: StateRecord) -> None:
    await store.delete_documents(state.collection, ["leave.md"])


async def lose_everything_but_the_state(store: VectorStore, state: StateRecord) -> None:
    for document_id in DOCUMENTS:
        passages = await store.passages(state.collection, document_id)
        await store.delete_passages(state.collection, [passage.passage_id for passage in passages])
    await store.delete_documents(state.collection, list(DOCUMENTS))


async def lose_the_collection(store: VectorStore, state: StateRecord) -> None:
    await store.drop(state.collection)


EMBEDDED_AGAIN = {
    lose_a_passage: 1,
    lose_a_documents_passages: 2,
    lose_a_record: 0,
    lose_everything_but_the_state: None,
    lose_the_collection: None,
}


@pytest.fixture
async def whole(copied: Settings) -> tuple[Settings, Content]:
    return copied, await content(copied)


@pytest.mark.parametrize("damage", EMBEDDED_AGAIN)
async def test_a_damaged_index_is_rebuilt_with_the_least_embedding(
    whole: tuple[Settings, Content], damage: Damage
) -> None:
    settings, (state, passages, records) = whole
    async with open_store(settings, "job") as (store, _):
        await damage(store, state)
    summary = await ingest(settings)
    expected = EMBEDDED_AGAIN[damage]
    assert summary.passages.embedded == (len(passages) if expected is None else expected)
    mended = await content(settings)
    assert mended[1:] == (passages, records)
    assert mended[0].revision == state.revision
    if damage is not lose_the_collection:
        assert mended[0].cache_epoch > state.cache_epoch, "answers made from the damaged index must not come back"
    assert (await ingest(settings)).documents.unchanged == len(DOCUMENTS)
    assert (await content(settings))[0].cache_epoch == mended[0].cache_epoch


@pytest.mark.parametrize("lost", ["passages", "records", "spec.json"])
async def test_a_half_deleted_collection_is_rebuilt(whole: tuple[Settings, Content], lost: str) -> None:
    settings, (state, passages, records) = whole
    half = settings.store_path / "collections" / state.collection / lost
    shutil.rmtree(half) if half.is_dir() else half.unlink()
    await ingest(settings)
    assert (await content(settings))[1:] == (passages, records)


async def test_a_collection_whose_spec_is_unreadable_is_rebuilt(whole: tuple[Settings, Content]) -> None:
    settings, (state, passages, records) = whole
    (settings.store_path / "collections" / state.collection / "spec.json").write_bytes(b"{")
    await ingest(settings)
    assert (await content(settings))[1:] == (passages, records)


@pytest.mark.parametrize("pointer", [b"", b"vouch-0000000000000000", b"../elsewhere", b"\xff\xfe"])
async def test_a_pointer_to_nothing_is_set_again(whole: tuple[Settings, Content], pointer: bytes) -> None:
    settings, before = whole
    (settings.store_path / "vouch.alias").write_bytes(pointer)
    summary = await ingest(settings)
    assert (summary.passages.embedded, summary.documents.unchanged) == (0, len(DOCUMENTS))
    assert (await content(settings))[1:] == before[1:]


async def test_an_older_copy_of_the_passages_alone_is_brought_up_to_date(
    whole: tuple[Settings, Content], tmp_path: Path
) -> None:
    """As a snapshot of one collection of a server; the counts are the same."""
    settings, (state, _, _) = whole
    passages = settings.store_path / "collections" / state.collection / "passages"
    snapshot = shutil.copytree(passages, tmp_path / "snapshot")
    write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "30")})
    assert (await ingest(settings)).passages.total == state.passages
    now = await content(settings)
    shutil.rmtree(passages)
    shutil.copytree(snapshot, passages)
    summary = await ingest(settings)
    assert (summary.documents.changed, summary.passages.embedded) == (1, 1)
    mended = await content(settings)
    assert mended[1:] == now[1:]
    assert mended[0].cache_epoch > now[0].cache_epoch


async def test_a_restored_older_copy_is_brought_up_to_date(whole: tuple[Settings, Content], tmp_path: Path) -> None:
    settings, _ = whole
    snapshot = shutil.copytree(settings.store_path, tmp_path / "snapshot")
    write_corpus(tmp_path, {"leave.md": "# Leave\n\nThere is none.\n", "new.md": "# New\n\nA new rule.\n"})
    await ingest(settings)
    now = await content(settings)
    shutil.rmtree(settings.store_path)
    shutil.copytree(snapshot, settings.store_path)
    summary = await ingest(settings)
    assert (summary.documents.changed, summary.documents.added) == (1, 1)
    assert await content(settings) == now

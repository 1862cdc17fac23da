"""A pushed document has the guarantees of a job: whole or not at all, whatever breaks and whatever was half done."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.adapters.stores import open_store
from app.core.model import Passage
from app.core.records import StateRecord
from app.errors import EmbeddingFailed, StoreError
from app.ports import VectorStore
from app.settings import Settings
from ingest import job, push
from ingest.errors import FolderDocument, OtherIndex, UnknownDocument, UnreadableDocument
from ingest.indexing import spec_for
from ingest.metadata import UNSAID
from ingest.push import Pushed
from ingest.pushed import Push
from ingest.reading import Readers
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import BrokenEmbedder, embedders

TEXT = "# Parking\n\n" + "\n\n".join(f"## Yard {n}\n\nYard {n} has {n} places for bicycles." for n in range(4))
EDITED = "---\ntags: [yard]\n---\n" + TEXT.replace("Yard 2 has", "Yard 2 had")

Content = tuple[StateRecord, list[Passage], dict[str, Any]]


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path)
    settings = settings_for(tmp_path)
    await ingest(settings)
    return settings


def document(text: str = TEXT, document_id: str = "app/parking.md") -> Push:
    return Push(document_id=document_id, data=text.encode(), said=UNSAID)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[VectorStore]:
    async with open_store(settings, "service") as (store, _):
        yield store


@pytest.fixture
async def readers() -> AsyncIterator[Readers]:
    async with Readers((await embedders.get("bundled")).tokenizer) as readers:
        yield readers


Put = Callable[..., Awaitable[Pushed]]


@pytest.fixture
def put(readers: Readers) -> Put:
    async def put(store: Any, pushed: Push, embedder: Any = None) -> Pushed:
        return await push.put(store, embedder or await embedders.get("bundled"), "vouch", pushed, readers)

    return put


async def delete(store: Any, document_id: str = "app/parking.md") -> Pushed:
    return await push.delete(store, await embedders.get("bundled"), "vouch", document_id)


async def texts(store: VectorStore) -> set[str]:
    state = await store.state()
    assert state is not None, "the old index must go on answering"
    return {passage.text for passage in await store.passages(state.collection, "app/parking.md")}


async def content(store: VectorStore) -> Content:
    state = await store.state()
    assert state is not None
    records = {record.document_id: record async for record in store.documents(state.collection)}
    ids = sorted(await store.document_ids(state.collection))
    assert sorted(records) == ids
    passages = [passage for id_ in ids for passage in await store.passages(state.collection, id_)]
    return (
        structs.replace(state, generation=0, job=None, updated_at=None, cache_epoch=0, last_written=None),
        passages,
        records,
    )


CHANGES = {
    "a new document": (None, TEXT),
    "a new version": (TEXT, EDITED),
    "taking it back": (TEXT, None),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_an_error_at_any_write_and_a_second_try_end_like_an_undisturbed_one(
    settings: Settings, tmp_path: Path, put: Put, change: str
) -> None:
    before, after = CHANGES[change]

    async def carry_out(store: Any) -> None:
        await (put(store, document(after)) if after else delete(store))

    async with opened(settings) as store:
        if before:
            await put(store, document(before))
        old = await texts(store)
    original = shutil.copytree(settings.store_path, tmp_path / "original")
    async with opened(settings) as store:
        await carry_out(store)
        expected, new = await content(store), await texts(store)
    for at in range(1, 40):
        shutil.rmtree(settings.store_path)
        shutil.copytree(original, settings.store_path)
        async with opened(settings) as store:
            faulty: Any = FaultyStore(store, at, breaks)
            try:
                await carry_out(faulty)
            except StoreError:
                assert old <= await texts(store) or new <= await texts(store)
                with suppress(UnknownDocument):
                    await carry_out(store)
            assert await content(store) == expected
        if not faulty.broke:
            assert at > 5
            return
    pytest.fail("one document should not need so many writes")


async def test_a_push_beside_a_half_done_job_leaves_the_rest_to_the_next_job(
    settings: Settings, tmp_path: Path, put: Put
) -> None:
    """While a document of the folder is half old and half new, nothing may call the index ready."""
    embedder = await embedders.get("bundled")
    write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "30")})
    async with opened(settings) as store:
        faulty: Any = FaultyStore(store, 4, breaks)  # create, updating, flush, the new passage; not the rest
        with pytest.raises(StoreError):
            await job.run(faulty, embedder, "vouch", Path(settings.corpus), lambda _: None)
        done = await put(store, document())
        assert (done.change, done.state) == ("added", "updating")
    await ingest(settings)
    undisturbed = settings_for(tmp_path / "undisturbed")
    shutil.copytree(tmp_path / "corpus", undisturbed.corpus)
    await ingest(undisturbed)
    async with opened(undisturbed) as store:
        await put(store, document())
        expected = await content(store)
    async with opened(settings) as store:
        assert await content(store) == expected


async def test_a_push_mends_what_an_earlier_push_left_half_done(settings: Settings, put: Put) -> None:
    async with opened(settings) as store:
        await put(store, document("# Other\n\nOther text.\n", "other.md"))
        await put(store, document())
        with pytest.raises(StoreError):
            await put(FaultyStore(store, 4, breaks), document(EDITED))
        done = await put(store, document("# Third\n\nThird text.\n", "third.md"))
        assert done.state == "ready"
        _, passages, records = await content(store)
        assert set(records) == {*CORPUS, "other.md", "third.md"}, "half of two versions is none"
        assert {p.document_id for p in passages} == set(records)
        absent = {one.document_id async for one in store.absent_documents((await content(store))[0].collection)}
        assert absent == {"app/parking.md"}
        assert (await put(store, document(EDITED))).change == "added"


async def test_a_failing_embedder_leaves_the_last_version(settings: Settings, put: Put) -> None:
    async with opened(settings) as store:
        await put(store, document())
        _, passages, records = await content(store)
        with pytest.raises(EmbeddingFailed):
            await put(store, document(EDITED), embedder=BrokenEmbedder(await embedders.get("bundled")))
        _, after, failed = await content(store)
        assert after == passages
        assert failed["app/parking.md"] == structs.replace(records["app/parking.md"], failure="The embedder broke.")


async def test_a_document_of_the_folder_that_failed_is_the_folders_too(
    settings: Settings, tmp_path: Path, put: Put
) -> None:
    (tmp_path / "corpus" / "broken.md").write_bytes(b"")
    await ingest(settings)
    async with opened(settings) as store:
        with pytest.raises(FolderDocument):
            await put(store, document(document_id="broken.md"))
        with pytest.raises(FolderDocument):
            await delete(store, "broken.md")


class Renamed:
    """The embedder as another model: its vectors stand in another collection."""

    def __init__(self, embedder: Any) -> None:
        self.identity, self.dimension, self.name = f"{embedder.identity} 2", embedder.dimension, embedder.name
        self.tokenizer, self.embed_passage, self.embed_query = (
            embedder.tokenizer,
            embedder.embed_passage,
            embedder.embed_query,
        )


async def rebuild(store: Any, settings: Settings) -> None:
    other: Any = Renamed(await embedders.get("bundled"))
    await job.run(store, other, "vouch", Path(settings.corpus), lambda _: None)


async def test_a_push_never_becomes_a_whole_new_index(settings: Settings, put: Put) -> None:
    async with opened(settings) as store:
        before = await content(store)
        other: Any = Renamed(await embedders.get("bundled"))
        with pytest.raises(OtherIndex, match="make ingest"):
            await put(store, document(), embedder=other)
        assert await content(store) == before
        assert len(await store.collections()) == 1


async def test_pushed_documents_come_along_into_a_new_collection(settings: Settings, put: Put) -> None:
    async with opened(settings) as store:
        await put(store, document())
        await put(store, document("# Gone\n\nSoon gone.\n", "gone.md"))
        with pytest.raises(UnreadableDocument):
            await put(store, document("", "broken.md"))
        with pytest.raises(StoreError):
            await rebuild(FaultyStore(store, 12, breaks), settings)
        await delete(store, "gone.md")
        await put(store, document(EDITED))
        before = await content(store)
        await rebuild(store, settings)
        after = await content(store)
        assert after[0].collection != before[0].collection
        assert after[1] == before[1]
        assert {id_: record.index_digest for id_, record in after[2].items()} == {
            id_: record.index_digest for id_, record in before[2].items()
        }
        absent = [one.document_id async for one in store.absent_documents(after[0].collection)]
        assert absent == ["broken.md"]
        other: Any = Renamed(await embedders.get("bundled"))
        assert spec_for("vouch", other).collection == after[0].collection
        again = await put(store, document(EDITED), embedder=other)
        assert again.passages.embedded == 0

"""The index is compared with itself and with the folder, and mended with the least embedding."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import qdrant_edge
from msgspec import structs

from app.adapters.stores import open_store
from app.core import hashing
from app.core.model import EmbeddedPassage, Passage
from app.core.records import StateRecord
from app.ports import VectorStore
from app.settings import Settings
from ingest import verify
from ingest.indexing import Indexer, spec_for
from ingest.intake import Intake
from ingest.verify import Verification
from tests.ingest.test_job import DOCUMENTS, content
from tests.service import ingest, write_corpus
from tests.shared_embedder import embedders
from tests.stores import document

Damage = Callable[[VectorStore, StateRecord], Awaitable[None]]
Found = set[tuple[str, str | None]]

LONG = "travel/long.md"


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[tuple[VectorStore, tuple[Any, ...]]]:
    """The store, and the arguments of `verify` on it."""
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get("bundled")
        corpus = Path(settings.corpus)
        yield store, (store, embedder, settings.index_name, corpus, lambda _: None, Intake.of(settings))


async def verified(settings: Settings) -> Verification:
    async with opened(settings) as (_, arguments):
        return await verify.verify(*arguments)


async def repaired(settings: Settings) -> Verification:
    async with opened(settings) as (_, arguments):
        return await verify.repair(*arguments, allow_removals=False)


def found(verification: Verification) -> Found:
    return {(finding.kind, finding.document_id) for finding in verification.findings}


async def third(store: VectorStore, state: StateRecord) -> Passage:
    return (await store.passages(state.collection, LONG))[3]


async def add(store: VectorStore, state: StateRecord, passage: Passage) -> None:
    await store.write_passages(state.collection, [EmbeddedPassage(passage, [1.0] + [0.0] * 383)])


async def a_passage_is_missing(store: VectorStore, state: StateRecord) -> None:
    await store.delete_passages(state.collection, [(await third(store, state)).passage_id])


async def a_passage_is_doubled(store: VectorStore, state: StateRecord) -> None:
    twin = structs.replace(await third(store, state), passage_id=hashing.record_id("twin"))
    await add(store, state, twin)


async def a_passage_is_an_orphan(store: VectorStore, state: StateRecord) -> None:
    orphan = structs.replace(await third(store, state), document_id="nowhere.md", passage_id=hashing.record_id("o"))
    await add(store, state, orphan)


async def an_orphan_makes_up_for_a_missing_one(store: VectorStore, state: StateRecord) -> None:
    await a_passage_is_an_orphan(store, state)
    await a_passage_is_missing(store, state)


async def a_text_is_altered(store: VectorStore, state: StateRecord) -> None:
    await store.update_passages(state.collection, [structs.replace(await third(store, state), text="Rule 3 is void.")])


async def access_is_altered(store: VectorStore, state: StateRecord) -> None:
    await store.update_passages(state.collection, [structs.replace(await third(store, state), access=("staff",))])


async def a_record_is_missing(store: VectorStore, state: StateRecord) -> None:
    await store.delete_documents(state.collection, [LONG])


async def a_record_has_no_passages(store: VectorStore, state: StateRecord) -> None:
    await store.write_documents(state.collection, [document("ghost.md", passages=2)])


async def the_counts_are_wrong(store: VectorStore, state: StateRecord) -> None:
    await store.write_state(structs.replace(state, documents=5, passages=99))


async def the_revision_is_wrong(store: VectorStore, state: StateRecord) -> None:
    await store.write_state(structs.replace(state, revision="0" * 16))


async def the_fingerprint_is_wrong(store: VectorStore, state: StateRecord) -> None:
    await store.write_state(structs.replace(state, fingerprint="0" * 16))


async def a_job_was_cut_short(store: VectorStore, state: StateRecord) -> None:
    await store.write_state(structs.replace(state, state="updating"))


FINDINGS: dict[Damage, tuple[Found, int]] = {
    a_passage_is_missing: ({("wrong_counts", None), ("missing_passages", LONG)}, 1),
    a_passage_is_doubled: ({("wrong_counts", None), ("duplicated_passages", LONG), ("wrong_passages", LONG)}, 0),
    a_passage_is_an_orphan: ({("wrong_counts", None), ("orphaned_passages", "nowhere.md")}, 0),
    an_orphan_makes_up_for_a_missing_one: ({("orphaned_passages", "nowhere.md"), ("missing_passages", LONG)}, 0),
    a_text_is_altered: ({("wrong_passages", LONG)}, 0),
    access_is_altered: ({("wrong_passages", LONG)}, 0),
    a_record_is_missing: (
        {("wrong_counts", None), ("wrong_revision", None), ("orphaned_passages", LONG), ("not_indexed", LONG)},
        0,
    ),
    a_record_has_no_passages: (
        {
            ("wrong_counts", None),
            ("wrong_revision", None),
            ("missing_passages", "ghost.md"),
            ("gone", "ghost.md"),
        },
        0,
    ),
    the_counts_are_wrong: ({("wrong_counts", None)}, 0),
    the_revision_is_wrong: ({("wrong_revision", None)}, 0),
    the_fingerprint_is_wrong: ({("wrong_fingerprint", None), ("wrong_revision", None)}, 0),
    a_job_was_cut_short: ({("wrong_state", None)}, 0),
}
"""For each kind of damage what is found, and how many passages are embedded to mend it."""


@pytest.fixture
def settings(copied: Settings) -> Settings:
    return copied


async def test_of_a_whole_index_nothing_is_found_and_nothing_is_mended(settings: Settings) -> None:
    before = await content(settings)
    verification = await verified(settings)
    assert (verification.ok, verification.findings) == (True, ())
    assert (verification.documents, verification.passages) == (len(DOCUMENTS), len(before[1]))
    mended = await repaired(settings)
    assert (mended.ok, mended.repair) == (True, None)
    assert await content(settings) == before


@pytest.mark.parametrize("damage", FINDINGS)
async def test_damage_is_found_and_mended_with_the_least_embedding(settings: Settings, damage: Damage) -> None:
    whole = await content(settings)
    expected, embedded = FINDINGS[damage]
    async with opened(settings) as (store, _):
        await damage(store, whole[0])
    assert found(await verified(settings)) == expected
    mended = await repaired(settings)
    assert mended.repair is not None
    assert mended.repair.passages.embedded == embedded
    assert (mended.ok, {(f.kind, f.document_id) for f in mended.mended}) == (True, expected)
    state, passages, records = await content(settings)
    assert (passages, records) == whole[1:]
    assert state.cache_epoch > whole[0].cache_epoch
    assert structs.replace(state, cache_epoch=0) == structs.replace(whole[0], cache_epoch=0)


def edit(settings: Settings, collection: str, operation: object) -> None:
    """Change the passages behind the back of our store."""
    shard = qdrant_edge.EdgeShard.load(str(settings.store_path / "collections" / collection / "passages"))
    shard.update(operation)
    shard.close()


@pytest.mark.parametrize("lost", ["document_id", "text"])
async def test_a_point_that_is_no_whole_passage_is_found_and_replaced(settings: Settings, lost: str) -> None:
    whole = await content(settings)
    state, passages, _ = whole
    point = passages[-1].passage_id
    edit(settings, state.collection, qdrant_edge.UpdateOperation.delete_payload([point], [lost]))
    assert ("stray_points", None) in found(await verified(settings))
    mended = await repaired(settings)
    assert mended.repair is not None
    assert (mended.ok, mended.repair.passages.embedded) == (True, 1)
    assert (await content(settings))[1:] == whole[1:]


async def test_without_an_index_that_is_the_finding_and_a_repair_builds_it(settings: Settings) -> None:
    shutil.rmtree(settings.store_path)
    assert found(await verified(settings)) == {("no_index", None)}
    assert (await repaired(settings)).ok


async def pushed(
    settings: Settings, store: VectorStore, arguments: tuple[Any, ...], document_id: str = "pushed"
) -> list[Passage]:
    """The passages of a document that no folder holds."""
    spec = spec_for(settings.index_name, arguments[1])
    indexer = Indexer(store, arguments[1], spec)
    async with indexer.opened():
        leave = structs.replace(indexer.records["leave.md"], document_id=document_id, origin="push")
        passages = [
            structs.replace(
                passage, document_id=document_id, passage_id=hashing.passage_id(document_id, passage.content_hash, 0)
            )
            for passage in await store.passages(spec.collection, "leave.md")
        ]
        await indexer.write(leave, passages)
        await indexer.finish()
    assert (await verify.verify(*arguments)).ok
    return passages


async def test_a_pushed_document_that_lost_passages_goes_and_says_so(settings: Settings) -> None:
    async with opened(settings) as (store, arguments):
        passages = await pushed(settings, store, arguments)
        spec = spec_for(settings.index_name, arguments[1])
        await store.delete_passages(spec.collection, [passages[0].passage_id])
        mended = await verify.repair(*arguments, allow_removals=False)
        assert not mended.ok
        assert [(each.document_id, "push it again" in each.detail) for each in mended.findings] == [("pushed", True)]
        assert {each.document_id for each in mended.mended} == {None}  # the counts
        (absent,) = [document async for document in store.absent_documents(spec.collection)]
        assert (absent.document_id, absent.origin, "push it again" in absent.failure) == ("pushed", "push", True)
    assert (await verified(settings)).ok


async def test_findings_stand_in_the_order_of_the_documents(copied: Settings, tmp_path: Path) -> None:
    write_corpus(tmp_path, {f"added-{n}.md": f"# Number {n}\n\nText number {n}.\n" for n in range(9)})
    await ingest(copied)
    for n in range(9):
        (tmp_path / "corpus" / f"added-{n}.md").unlink()
    assert [finding.document_id for finding in (await verified(copied)).findings] == [f"added-{n}.md" for n in range(9)]

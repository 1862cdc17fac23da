"""Vectors that were lost or overwritten are found, reused by nobody, and made anew from the passages that stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import qdrant_edge

from app.errors import StoreUnavailable
from app.settings import Settings
from tests.ingest.test_job import DOCUMENTS, content
from tests.ingest.test_verify import LONG, edit, found, opened, pushed, repaired, third, verified
from tests.service import ingest, write_corpus


@pytest.fixture
def settings(copied: Settings) -> Settings:
    return copied


async def vectors(settings: Settings) -> dict[str, list[float]]:
    """Of every passage, by content hash."""
    state, passages, _ = await content(settings)
    async with opened(settings) as (store, _):
        return dict(await store.vectors(state.collection, [passage.content_hash for passage in passages]))


async def test_a_vector_that_was_lost_is_found_and_made_anew(settings: Settings) -> None:
    whole, before = await content(settings), await vectors(settings)
    async with opened(settings) as (store, _):
        point = (await third(store, whole[0])).passage_id
    edit(settings, whole[0].collection, qdrant_edge.UpdateOperation.delete_vectors([point], ["dense"]))
    assert found(await verified(settings)) == {("broken_vectors", LONG)}
    mended = await repaired(settings)
    assert mended.repair is not None
    assert (mended.ok, mended.repair.passages.embedded, mended.repair.passages.reused) == (True, 1, 0)
    assert ((await content(settings))[1:], await vectors(settings)) == (whole[1:], before)


def vector_file(settings: Settings, collection: str) -> Path:
    shard = settings.store_path / "collections" / collection / "passages"
    [file] = shard.glob("segments/*/vector_storage-dense/vectors/chunk_0.mmap")
    return file


async def test_a_vector_file_that_was_cut_is_told_with_what_to_do(settings: Settings) -> None:
    file = vector_file(settings, (await content(settings))[0].collection)
    os.truncate(file, 1000)
    with pytest.raises(StoreUnavailable, match="put a copy back, or remove them"):
        await verified(settings)


async def test_vectors_that_were_overwritten_on_disk_are_reused_by_nobody_and_made_anew(
    settings: Settings, tmp_path: Path
) -> None:
    (state, passages, _), before = await content(settings), await vectors(settings)
    with vector_file(settings, state.collection).open("r+b") as opened_file:
        opened_file.write(bytes(4 * 384 * 2 * len(passages)))
    assert found(await verified(settings)) == {("broken_vectors", document_id) for document_id in DOCUMENTS}
    write_corpus(tmp_path, {"copied/leave.md": DOCUMENTS["leave.md"]})
    assert (await ingest(settings)).passages.embedded == len([p for p in passages if p.document_id == "leave.md"])
    assert (await repaired(settings)).ok
    assert await vectors(settings) == before


async def test_a_pushed_document_that_lost_vectors_stays(settings: Settings) -> None:
    async with opened(settings) as (store, arguments):
        passages = await pushed(settings, store, arguments)
        state = await store.state()
        assert state is not None
    points = [passage.passage_id for passage in passages]
    edit(settings, state.collection, qdrant_edge.UpdateOperation.delete_vectors(points, ["dense"]))
    mended = await repaired(settings)
    assert [finding.document_id for finding in mended.mended] == ["pushed"]
    assert mended.ok
    async with opened(settings) as (store, _):
        assert await store.passages(state.collection, "pushed") == passages

"""Why a document failed stays in the index, beside its last good version or in place of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.adapters.stores import open_store
from app.core.records import AbsentDocument, DocumentRecord, StateRecord
from app.errors import StoreError
from app.settings import Settings
from ingest import job
from ingest.intake import Intake
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders

BINARY = b"\x00\x01\x02"


async def kept(settings: Settings) -> tuple[StateRecord, dict[str, DocumentRecord], dict[str, AbsentDocument]]:
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        records = {record.document_id: record async for record in store.documents(state.collection)}
        absent = {one.document_id: one async for one in store.absent_documents(state.collection)}
        return state, records, absent


async def run_until(settings: Settings, at: int) -> None:
    """A job that breaks at its `at`-th write, if it gets that far."""
    async with open_store(settings, "job") as (store, _):
        faulty: Any = FaultyStore(store, at, breaks)
        embedder = await embedders.get("bundled")
        await job.run(faulty, embedder, settings.index_name, Path(settings.corpus), lambda _: None, Intake.of(settings))


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path)
    settings = settings_for(tmp_path)
    await ingest(settings)
    return settings


def spoil(settings: Settings, name: str) -> None:
    Path(settings.corpus, name).write_bytes(BINARY)


def drop(settings: Settings, name: str) -> None:
    Path(settings.corpus, name).unlink()


async def test_a_failure_is_kept_beside_the_last_good_version(settings: Settings) -> None:
    before, records, _ = await kept(settings)
    spoil(settings, "leave.md")
    await ingest(settings)
    after, failed, absent = await kept(settings)
    assert failed["leave.md"].failure
    assert failed["leave.md"].index_digest == records["leave.md"].index_digest
    assert (after.revision, after.documents, after.passages) == (before.revision, before.documents, before.passages)
    assert absent == {}


async def test_a_document_that_was_never_in_is_absent_and_counts_nowhere(settings: Settings) -> None:
    before, records, _ = await kept(settings)
    spoil(settings, "new.md")
    await ingest(settings)
    after, failed, absent = await kept(settings)
    assert (after.revision, after.documents, failed) == (before.revision, before.documents, records)
    assert absent["new.md"].failure
    assert absent["new.md"].origin == "folder"


async def test_the_same_failure_is_not_written_twice(settings: Settings) -> None:
    spoil(settings, "leave.md")
    spoil(settings, "new.md")
    await ingest(settings)
    before = await kept(settings)
    await run_until(settings, at=1)  # the first write is `create`, which only looks
    assert await kept(settings) == before


@pytest.mark.parametrize("text", [CORPUS["leave.md"], "# Leave\n\nAnother text.\n"])
async def test_a_document_that_succeeds_again_has_no_failure(settings: Settings, tmp_path: Path, text: str) -> None:
    spoil(settings, "leave.md")
    spoil(settings, "new.md")
    await ingest(settings)
    write_corpus(tmp_path, {"leave.md": text, "new.md": "# New\n\nNow there is text.\n"})
    await ingest(settings)
    _, records, absent = await kept(settings)
    assert (records["leave.md"].failure, records["new.md"].failure, absent) == (None, None, {})


async def test_the_failure_of_a_document_that_disappears_goes_with_it(settings: Settings) -> None:
    spoil(settings, "new.md")
    spoil(settings, "leave.md")
    await ingest(settings)
    for name in ("new.md", "leave.md"):
        drop(settings, name)
    await ingest(settings)
    _, records, absent = await kept(settings)
    assert (set(records), absent) == ({"expenses.md", "on-call.txt"}, {})


async def test_a_version_that_a_cut_job_mixed_up_does_not_stay_when_its_document_fails(
    settings: Settings, tmp_path: Path
) -> None:
    """Whatever the cut left, the document is whole afterwards, in its old version or its new one, or it is absent."""
    _, records, _ = await kept(settings)
    new = "# Leave\n\n## Annual leave\n\nThirty days.\n\n## Carry-over\n\nNone.\n"
    seen = set()
    for at in range(1, 10):
        write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"]})
        await ingest(settings)
        write_corpus(tmp_path, {"leave.md": new})
        try:
            await run_until(settings, at)
        except StoreError:
            spoil(settings, "leave.md")
            await ingest(settings)
        state, after, absent = await kept(settings)
        async with open_store(settings, "job") as (store, _):
            texts = [passage.text for passage in await store.passages(state.collection, "leave.md")]
        if "leave.md" in absent:
            assert (texts, "leave.md" in after) == ([], False)
        else:
            assert len({"28" in " ".join(texts), "Thirty" in " ".join(texts)}) == 2
        seen.add("absent" if "leave.md" in absent else after["leave.md"].index_digest)
    assert {"absent", records["leave.md"].index_digest} < seen


async def test_passages_that_a_cut_job_left_of_an_absent_document_go_and_the_failure_stays(
    settings: Settings, tmp_path: Path
) -> None:
    write_corpus(tmp_path, {"new.md": "# New\n\nSomething new.\n"})
    with pytest.raises(StoreError):
        await run_until(settings, at=4)  # create, updating, flush, the passages; not the record
    spoil(settings, "new.md")
    await ingest(settings)
    state, records, absent = await kept(settings)
    assert (set(absent), "new.md" in records) == ({"new.md"}, False)
    async with open_store(settings, "job") as (store, _):
        assert await store.passages(state.collection, "new.md") == []

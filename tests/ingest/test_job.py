"""The ingestion job on the embedded store, with the real embedder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.adapters.stores import open_store
from app.core import hashing
from app.core.model import Passage
from app.core.records import StateRecord
from app.errors import EmbeddingFailed, StoreError
from app.settings import Settings
from ingest import job
from ingest.errors import JobRunning, NothingToIngest
from ingest.progress import Progress, Summary
from tests import processes
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.qdrant_http import http_server, local_mode
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders

LONG = "# Travel\n\n" + "\n\n".join(f"## Part {n}\n\nRule {n} of the travel policy is number {n}." for n in range(8))
DOCUMENTS = {**CORPUS, "travel/long.md": LONG}

Content = tuple[StateRecord, list[Passage], dict[str, Any]]


async def content(settings: Settings) -> Content:
    """All that counts in an index: its state, its passages, its records; less what tells one run from another."""
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        records = {record.document_id: record async for record in store.documents(state.collection)}
        ids = sorted(await store.document_ids(state.collection))
        passages = [passage for id_ in ids for passage in await store.passages(state.collection, id_)]
        assert sorted(records) == ids
        return structs.replace(state, generation=0, job=None, updated_at=None, last_written=None), passages, records


def counts(summary: Summary) -> tuple[int, ...]:
    documents = summary.documents
    return (documents.added, documents.changed, documents.unchanged, documents.removed, documents.failed)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path, DOCUMENTS)
    return settings_for(tmp_path)


async def test_a_first_run_adds_and_a_second_embeds_nothing(settings: Settings) -> None:
    first = await ingest(settings)
    assert counts(first) == (4, 0, 0, 0, 0)
    assert first.passages.embedded == first.passages.total > 10
    second = await ingest(settings)
    assert counts(second) == (0, 0, 4, 0, 0)
    assert (second.passages.embedded, second.revision, second.state) == (0, first.revision, "ready")


async def test_a_run_that_changes_nothing_writes_nothing(settings: Settings) -> None:
    await ingest(settings)
    async with open_store(settings, "job") as (store, _):
        faulty: Any = FaultyStore(store, 1, breaks)  # the first is `create`, which only looks
        embedder = await embedders.get("bundled")
        before = await store.state()
        await job.run(faulty, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
        assert await store.state() == before


async def test_one_edited_paragraph_embeds_only_what_it_touches(settings: Settings, tmp_path: Path) -> None:
    await ingest(settings)
    write_corpus(tmp_path, {"travel/long.md": LONG.replace("policy is number 3", "policy is number 33")})
    edited = await ingest(settings)
    assert counts(edited) == (0, 1, 3, 0, 0)
    assert (edited.passages.embedded, edited.passages.removed) == (1, 1)
    assert edited.passages.reused == 7


async def test_a_removed_file_leaves_the_index(settings: Settings, tmp_path: Path) -> None:
    await ingest(settings)
    (tmp_path / "corpus" / "leave.md").unlink()
    removed = await ingest(settings)
    assert counts(removed) == (0, 0, 3, 1, 0)
    assert all(passage.document_id != "leave.md" for passage in (await content(settings))[1])


async def test_renamed_and_copied_documents_embed_nothing(settings: Settings, tmp_path: Path) -> None:
    await ingest(settings)
    corpus = tmp_path / "corpus"
    (corpus / "leave.md").rename(corpus / "holidays.md")
    shutil.copy(corpus / "expenses.md", corpus / "copy.md")
    moved = await ingest(settings)
    assert counts(moved) == (2, 0, 3, 1, 0)
    assert moved.passages.embedded == 0


async def test_the_same_text_in_two_new_documents_is_embedded_once(tmp_path: Path) -> None:
    write_corpus(tmp_path, {"a.md": CORPUS["leave.md"], "b.md": CORPUS["leave.md"]})
    summary = await ingest(settings_for(tmp_path))
    assert summary.passages.embedded * 2 == summary.passages.total
    (tmp_path / "corpus" / "a.md").unlink()
    await ingest(settings_for(tmp_path))
    assert {p.document_id for p in (await content(settings_for(tmp_path)))[1]} == {"b.md"}


async def test_metadata_changes_embed_nothing_but_change_the_revision(settings: Settings, tmp_path: Path) -> None:
    first = await ingest(settings)
    write_corpus(tmp_path, {"leave.md": "---\ntags: [hr]\nupdated: 2026-03-01\n---\n" + CORPUS["leave.md"]})
    tagged = await ingest(settings)
    assert (tagged.passages.embedded, tagged.passages.updated) == (0, 2)
    assert tagged.revision != first.revision
    passages = [p for p in (await content(settings))[1] if p.document_id == "leave.md"]
    assert {(p.tags, p.updated_at) for p in passages} == {(("hr",), "2026-03-01")}


async def test_undoing_an_edit_brings_back_the_revision(settings: Settings, tmp_path: Path) -> None:
    first = await ingest(settings)
    write_corpus(tmp_path, {"leave.md": "# Leave\n\nNone.\n"})
    assert (await ingest(settings)).revision != first.revision
    write_corpus(tmp_path, DOCUMENTS)
    undone = await ingest(settings)
    assert undone.revision == first.revision


async def test_the_same_documents_give_the_same_revision_anywhere(settings: Settings, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for name in reversed(DOCUMENTS):  # another folder, another order, other dates
        write_corpus(elsewhere, {name: DOCUMENTS[name]})
    assert (await ingest(settings_for(elsewhere))).revision == (await ingest(settings)).revision


async def test_documents_of_a_folder_that_cannot_be_read_stay(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await ingest(settings)
    (tmp_path / "corpus" / "leave.md").unlink()
    scandir = os.scandir

    def refusing(path: str) -> object:
        """As the kernel does it; the superuser, who may run the tests, is never refused."""
        if str(path).endswith("travel"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    refused = await ingest(settings)
    assert counts(refused) == (0, 0, 2, 1, 1)
    assert "travel/long.md" in (await content(settings))[2]
    monkeypatch.undo()
    write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"]})
    assert (await ingest(settings)).revision == first.revision


async def test_an_unreadable_document_fails_alone_and_keeps_its_last_version(
    settings: Settings, tmp_path: Path
) -> None:
    await ingest(settings)
    before = await content(settings)
    (tmp_path / "corpus" / "leave.md").write_bytes(b"\x00\x01\x02binary")
    reports: list[Progress] = []
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get("bundled")
        failed = await job.run(store, embedder, settings.index_name, Path(settings.corpus), reports.append)
    assert counts(failed) == (0, 0, 3, 0, 1)
    (failure,) = [report.failure for report in reports if report.failure]
    assert failure.document_id == "leave.md"
    state, passages, records = await content(settings)
    assert (state, passages) == before[:2]
    seen = hashing.byte_hash((tmp_path / "corpus" / "leave.md").read_bytes())
    kept = structs.replace(before[2]["leave.md"], failure=failure.reason, failed_bytes=seen)
    assert records == {**before[2], "leave.md": kept}


async def test_a_failing_embedder_leaves_the_old_version(settings: Settings, tmp_path: Path) -> None:
    await ingest(settings)
    before = await content(settings)
    write_corpus(tmp_path, {"travel/long.md": LONG.replace("Rule", "Law"), "new.md": "# New\n\nText.\n"})

    class Failing:
        def __init__(self, embedder: Any) -> None:
            self.identity, self.dimension, self.name = embedder.identity, embedder.dimension, embedder.name
            self.tokenizer = embedder.tokenizer
            self._embedder, self._calls = embedder, 0

        async def embed_passage(self, text: str) -> list[float]:
            self._calls += 1
            if "number 5" in text:
                raise EmbeddingFailed("The embedder broke in the middle of a document.")
            vector: list[float] = await self._embedder.embed_passage(text)
            return vector

    async with open_store(settings, "job") as (store, _):
        failing: Any = Failing(await embedders.get("bundled"))
        failed = await job.run(store, failing, settings.index_name, Path(settings.corpus), lambda _: None)
    assert counts(failed) == (1, 0, 3, 0, 1)
    after = await content(settings)
    assert [p for p in after[1] if p.document_id != "new.md"] == before[1]
    await ingest(settings)
    assert {p.text.split()[-8] for p in (await content(settings))[1] if p.document_id == "travel/long.md"}


async def test_there_must_be_something_to_ingest(settings: Settings, tmp_path: Path) -> None:
    await ingest(settings)
    before = await content(settings)
    shutil.rmtree(tmp_path / "corpus")
    (tmp_path / "corpus").mkdir()
    with pytest.raises(NothingToIngest, match="CORPUS"):
        await ingest(settings)
    assert await content(settings) == before


@pytest.fixture
async def changed(settings: Settings, tmp_path: Path) -> tuple[Settings, Content]:
    """An index, then a change of its documents in every way; with what an undisturbed run makes of it."""
    await ingest(settings)
    write_corpus(
        tmp_path,
        {
            "leave.md": CORPUS["leave.md"].replace("28", "30"),
            "new.md": "# New\n\nSomething new.\n",
            "travel/long.md": "---\ntags: [travel]\n---\n" + LONG.replace("number 3", "number 33"),
        },
    )
    (tmp_path / "corpus" / "expenses.md").unlink()
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(tmp_path / "corpus", undisturbed / "corpus")
    await ingest(settings_for(undisturbed))
    return settings, await content(settings_for(undisturbed))


async def test_an_error_at_any_write_and_a_second_run_end_like_an_undisturbed_run(
    changed: tuple[Settings, Content], tmp_path: Path
) -> None:
    settings, expected = changed
    original = shutil.copytree(settings.store_path, tmp_path / "original")
    embedder = await embedders.get("bundled")
    for at in range(1, 100):
        shutil.rmtree(settings.store_path)
        shutil.copytree(original, settings.store_path)
        async with open_store(settings, "job") as (store, _):
            faulty: Any = FaultyStore(store, at, breaks)
            try:
                await job.run(faulty, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
            except StoreError:
                state = await store.state()
                assert state is not None, "the old index must go on answering"
        await ingest(settings)
        assert await content(settings) == expected
        if not faulty.broke:
            assert at > 15
            return
    pytest.fail("a job of four documents should not need so many writes")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(4))
async def test_kill_9_at_every_write_and_a_second_run_end_like_an_undisturbed_run(
    changed: tuple[Settings, Content], tmp_path: Path, first: int
) -> None:
    settings, expected = changed
    for at in range(first, 60, 4):
        folder = tmp_path / str(at)
        shutil.copytree(settings.corpus, folder / "corpus")
        shutil.copytree(settings.store_path, folder / "qdrant")
        code, _, err = await processes.run(folder, "tests.ingest.faulty_store", str(at))
        assert code in (-9, 0), err
        await ingest(settings_for(folder))
        assert await content(settings_for(folder)) == expected
        shutil.rmtree(folder)
        if code == 0:
            assert at > 10
            return
    pytest.fail("a job of four documents should not need so many writes")


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")
async def test_on_a_server_a_killed_job_is_finished_when_its_lease_has_run_out(
    changed: tuple[Settings, Content], tmp_path: Path
) -> None:
    _, expected = changed
    async with http_server(local_mode()) as server:
        settings = settings_for(tmp_path, QDRANT_URL=server.url)
        for at in (4, 6):
            code, _, err = await processes.run(
                tmp_path, "tests.ingest.faulty_store", str(at), QDRANT_URL=settings.qdrant_url
            )
            assert code == -9, err
            with pytest.raises(JobRunning, match="lease"):
                await ingest(settings)
            await let_leases_run_out(settings)
        await ingest(settings)
        state, passages, records = await content(settings)
        assert (structs.replace(state, cache_epoch=0), passages, records) == expected


async def let_leases_run_out(settings: Settings) -> None:
    async with open_store(settings, "job") as (store, _):
        for collection in await store.collections():
            held = await store.read_state(collection)
            assert held is not None
            assert held.lease is not None
            over = structs.replace(held.lease, until="2026-11-29T10:00:00+00:00")
            await store.write_state(structs.replace(held, lease=over), held)


async def test_an_edit_undone_after_a_cut_job_is_not_taken_for_unchanged(
    changed: tuple[Settings, Content], tmp_path: Path
) -> None:
    settings, _ = changed
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get("bundled")
        for at in (4, 5):  # each gets a little further than the one before
            faulty: Any = FaultyStore(store, at, breaks)
            with pytest.raises(StoreError):
                await job.run(faulty, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
    shutil.rmtree(tmp_path / "corpus")
    write_corpus(tmp_path, DOCUMENTS)
    await ingest(settings)
    untouched = tmp_path / "untouched"
    write_corpus(untouched, DOCUMENTS)
    await ingest(settings_for(untouched))
    assert await content(settings) == await content(settings_for(untouched))

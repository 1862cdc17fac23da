"""On a server a job of another machine may be at work: what is compared meanwhile is of no use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.adapters.qdrant_store import QdrantStore
from ingest import job, verify
from ingest.errors import JobRunning
from ingest.generation import Generation
from ingest.indexing import spec_for
from ingest.intake import Intake
from ingest.progress import Progress
from tests.service import write_corpus
from tests.shared_embedder import embedders
from tests.stores import LOCAL_MODE, memory_store

pytestmark = LOCAL_MODE


@pytest.fixture
async def store() -> AsyncIterator[QdrantStore]:
    async with memory_store() as store:
        yield store


@pytest.fixture
async def arguments(store: QdrantStore, tmp_path: Path) -> tuple[Any, ...]:
    """What a job and a verification take."""
    return store, await embedders.get("bundled"), "vouch", write_corpus(tmp_path), lambda _: None, Intake()


async def test_while_the_first_job_of_all_runs_it_is_named(arguments: tuple[Any, ...]) -> None:
    """Nothing answers yet, so that only the collection that is built tells of it."""
    first = Generation(arguments[0], spec_for("vouch", arguments[1]))
    await first.open()
    with pytest.raises(JobRunning, match="since"):
        await verify.verify(*arguments)
    await first.close()
    assert [finding.kind for finding in (await verify.verify(*arguments)).findings] == ["no_index"]


async def test_a_job_that_begins_while_the_index_is_compared_makes_no_findings(arguments: tuple[Any, ...]) -> None:
    await job.run(*arguments)
    store, embedder, name, corpus, _, intake = arguments
    other = Generation(store, spec_for("vouch", embedder))

    async def removes_a_passage(collection: str, document_id: str) -> Any:
        store.passages = QdrantStore.passages.__get__(store)
        await other.open()
        await other.begin()
        found = await store.passages(collection, document_id)
        await store.delete_passages(collection, [found[0].passage_id])
        return await store.passages(collection, document_id)

    store.passages = removes_a_passage
    steps: list[Progress] = []
    with pytest.raises(JobRunning, match="run it again"):
        await verify.verify(store, embedder, name, corpus, steps.append, intake)
    assert steps[-1].done == 3
    await other.close()

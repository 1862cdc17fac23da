"""A new version of Vouch builds a new collection, and embeds only what the one before does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.adapters.stores import open_store
from app.core import hashing
from app.settings import Settings
from ingest import indexing, job, push
from ingest.metadata import Metadata
from ingest.progress import Summary
from ingest.pushed import Push
from ingest.reading import Readers
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders

PUSHED = Push(
    document_id="app/parking.md",
    data=b"# Parking\n\nThe yard has 40 places for bicycles.\n",
    said=Metadata(language="pl"),
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path)
    return settings_for(tmp_path)


async def built_before(settings: Settings, embedder: Any = None) -> None:
    """The folder, and a document that was pushed."""
    embedder = embedder or await embedders.get("bundled")
    async with open_store(settings, "service") as (store, _), Readers(embedder.tokenizer) as readers:
        await job.run(store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
        await push.put(store, embedder, settings.index_name, PUSHED, readers)


async def vectors(settings: Settings) -> tuple[str, dict[str, list[float]]]:
    """Of the collection that answers, by passage."""
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        ids = await store.document_ids(state.collection)
        passages = [passage for id_ in ids for passage in await store.passages(state.collection, id_)]
        found = await store.vectors(state.collection, [passage.content_hash for passage in passages])
        return state.collection, {passage.passage_id: list(found[passage.content_hash]) for passage in passages}


async def language_of(settings: Settings, document_id: str) -> str | None:
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        return {r.document_id: r.language async for r in store.documents(state.collection)}[document_id]


def counted(summary: Summary) -> tuple[int, int]:
    return summary.passages.embedded, summary.passages.total


@pytest.mark.parametrize(
    ("module", "version"),
    [(hashing, "VECTOR_SCHEMA_VERSION"), (indexing, "CHUNKER_VERSION")],
    ids=["schema", "chunker"],
)
async def test_vectors_are_taken_along_when_the_model_stays(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, version: str
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(module, version, getattr(module, version) - 1)
        await built_before(settings)
    old = await vectors(settings)
    write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "30")})
    summary = await ingest(settings)
    new = await vectors(settings)
    assert counted(summary) == (1, 6)
    assert new[0] != old[0]
    assert await language_of(settings, PUSHED.document_id) == "pl", "its passages alone would tell another one"
    assert len(new[1].keys() & old[1].keys()) == 5
    assert all(new[1][id_] == old[1][id_] for id_ in new[1].keys() & old[1].keys())


async def test_another_model_embeds_everything(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = await embedders.get("bundled")
    with monkeypatch.context() as earlier:
        earlier.setattr(bundled, "identity", "another model")
        await built_before(settings, bundled)
    assert counted(await ingest(settings)) == (6, 6)


async def test_another_preparation_of_the_text_embeds_everything(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(hashing, "TEXT_PREPARATION_VERSION", 0)
        await built_before(settings)
    assert counted(await ingest(settings)) == (6, 6)

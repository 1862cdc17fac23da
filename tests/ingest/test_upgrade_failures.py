"""What can't be read, or embedded, when another collection is built is not lost with the one before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.adapters.stores import open_store
from app.core.records import DocumentRecord
from app.errors import EmbeddingFailed
from app.settings import Settings
from ingest import chunking, indexing, job, verify
from ingest.intake import Intake
from tests.ingest.test_removals import Renamed
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders

NESTED = {"hr/pay.md": "# Pay\n\nPay day is the 25th.\n", "hr/bonus.md": "# Bonus\n\nThere is one in May.\n"}


@pytest.fixture
async def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """An index that the version before built."""
    write_corpus(tmp_path, CORPUS | NESTED)
    settings = settings_for(tmp_path)
    with monkeypatch.context() as earlier:
        earlier.setattr(indexing, "CHUNKER_VERSION", chunking.CHUNKER_VERSION - 1)
        await ingest(settings)
    return settings


async def served(settings: Settings) -> tuple[str, dict[str, DocumentRecord]]:
    """The collection that answers, and its records."""
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        return state.collection, {record.document_id: record async for record in store.documents(state.collection)}


async def findings(settings: Settings) -> list[str]:
    embedder = await embedders.get("bundled")
    async with open_store(settings, "job") as (store, _):
        corpus, intake = Path(settings.corpus), Intake.of(settings)
        found = await verify.verify(store, embedder, settings.index_name, corpus, lambda _: None, intake)
    return [finding.kind for finding in found.findings]


async def test_a_document_that_can_not_be_read_any_more_comes_along(settings: Settings, tmp_path: Path) -> None:
    old, before = await served(settings)
    (tmp_path / "corpus" / "leave.md").write_bytes(b"\x00\x01")
    summary = await ingest(settings)
    new, after = await served(settings)
    assert (summary.documents.failed, summary.passages.embedded, new == old) == (1, 0, False)
    assert after.keys() == before.keys()
    assert after["leave.md"].index_digest == before["leave.md"].index_digest
    assert "binary" in (after["leave.md"].failure or "")
    assert await findings(settings) == []
    write_corpus(tmp_path)
    await ingest(settings)
    assert (await served(settings))[1]["leave.md"] == before["leave.md"]


async def test_what_comes_along_is_held_to_the_ceiling_of_today(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "corpus" / "hr"
    (folder / ".vouchignore").mkdir()  # can't be followed: nobody knows which files count
    (folder / ".access.toml").write_text('access = ["hr"]\n', encoding="utf-8")
    await ingest(settings)
    after = (await served(settings))[1]
    assert {id_: after[id_].access for id_ in NESTED} == dict.fromkeys(NESTED, ("hr",))


async def test_what_answers_comes_along_in_place_of_what_an_older_collection_holds(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when an upgrade is taken back: nobody may see again what was taken out of a document since."""
    await ingest(settings)
    write_corpus(tmp_path, {"leave.md": "---\naccess: [hr]\n---\n" + CORPUS["leave.md"].replace("28", "31")})
    await ingest(settings)
    newest = (await served(settings))[1]["leave.md"]
    (tmp_path / "corpus" / "leave.md").write_bytes(b"\x00\x01")
    monkeypatch.setattr(indexing, "CHUNKER_VERSION", chunking.CHUNKER_VERSION - 1)
    await ingest(settings)
    after = (await served(settings))[1]["leave.md"]
    assert (after.index_digest, after.access) == (newest.index_digest, ("hr",))


async def test_a_model_that_fails_leaves_the_index_to_the_one_before(settings: Settings) -> None:
    before = await served(settings)

    class Failing(Renamed):
        async def embed_passage(self, text: str) -> list[float]:
            raise EmbeddingFailed("The embedding model could not embed a text.")

    embedder: Any = Failing(await embedders.get("bundled"))
    async with open_store(settings, "job") as (store, _):
        with pytest.raises(EmbeddingFailed, match="would be lost"):
            await job.run(store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
    assert await served(settings) == before

"""The language of a document, from what it says of itself to the words by which it is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.adapters.stores import open_store
from app.core.model import Passage, Query, Scope
from app.core.records import StateRecord
from app.ports import VectorStore
from app.settings import Settings
from ingest.intake import Intake
from ingest.verify import verify
from tests.service import ingest, settings_for, write_corpus
from tests.shared_embedder import embedders

GERMAN = (
    "# Urlaub\n\nJeder Beschäftigte hat Anspruch auf zwanzig Tage Urlaub im Jahr. Der Antrag ist bei der Leitung zu"
    " stellen, und sie entscheidet über ihn.\n"
)
ENGLISH = "# Travel\n\nThe desk books the trains for all of us, and it pays for them when we are back.\n"
LISTED = "# Räume\n\nHäuser\n"
"""Nothing in it tells the language."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path, {"de.md": GERMAN, "en.md": ENGLISH, "listed.md": LISTED})
    return settings_for(tmp_path)


@asynccontextmanager
async def built(settings: Settings) -> AsyncIterator[tuple[VectorStore, StateRecord]]:
    async with open_store(settings, "service") as (store, _):
        state = await store.state()
        assert state is not None
        yield store, state


async def passage_of(settings: Settings, document_id: str) -> Passage:
    async with built(settings) as (store, state):
        (passage,) = await store.passages(state.collection, document_id)
        return passage


async def found_by_words(settings: Settings, word: str) -> set[str]:
    async with built(settings) as (store, state):
        query = Query([1.0] + [0.0] * 383, word, state.languages)
        candidates = await store.search(state.collection, query, 10, Scope())
        return {candidate.passage.document_id for candidate in candidates if candidate.sparse is not None}


async def test_each_document_has_its_own_language_and_the_state_tells_of_all(settings: Settings) -> None:
    await ingest(settings)
    assert [(await passage_of(settings, f"{name}.md")).language for name in ("de", "en", "listed")] == [
        "de",
        "en",
        None,
    ]
    async with built(settings) as (store, state):
        assert state.languages == ("de", "en")
        records = {record.document_id: record.language async for record in store.documents(state.collection)}
    assert records == {"de.md": "de", "en.md": "en", "listed.md": None}


async def test_another_language_embeds_nothing_and_the_words_follow(settings: Settings, tmp_path: Path) -> None:
    first = await ingest(settings)
    assert await found_by_words(settings, "Haus") == set()
    write_corpus(tmp_path, {"listed.md": f"---\nlang: de\n---\n{LISTED}"})
    second = await ingest(settings)
    assert (second.passages.embedded, second.passages.updated) == (0, 1)
    assert second.revision != first.revision
    assert await found_by_words(settings, "Haus") == {"listed.md"}
    write_corpus(tmp_path, {"listed.md": LISTED})
    assert (await ingest(settings)).revision == first.revision


async def test_verify_finds_nothing_wrong_with_languages(settings: Settings) -> None:
    await ingest(settings)
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get("bundled")
        corpus = Path(settings.corpus)
        found = await verify(store, embedder, settings.index_name, corpus, lambda _: None, Intake.of(settings))
    assert found.ok, found.findings

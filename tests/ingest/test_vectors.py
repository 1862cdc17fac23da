"""Each text is embedded once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any

from app.ports import VectorStore
from ingest.embedding import Vectors
from tests.stores import LOCAL_MODE, memory_store, passage, spec

pytestmark = LOCAL_MODE


class LateStore:
    """The store behind it; what happens at the end of a look-up comes before the one who asked goes on."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self.at_the_end: Callable[[], None] = lambda: None

    async def vectors(self, collection: str, content_hashes: Collection[str]) -> Mapping[str, list[float]]:
        found = await self._store.vectors(collection, content_hashes)
        asyncio.get_running_loop().call_soon(self.at_the_end)
        return found


class CountingEmbedder:
    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed_passage(self, text: str) -> list[float]:
        self.texts.append(text)
        return [1.0, 0.0, 0.0, 0.0]


async def test_text_of_a_document_that_is_written_meanwhile_is_not_embedded_again() -> None:
    embedder: Any = CountingEmbedder()
    async with memory_store() as store:
        await store.create(spec("c"))
        late: Any = LateStore(store)
        vectors = Vectors(late, "c", embedder)
        first, twin = passage("first.md", content_hash="same"), passage("twin.md", content_hash="same")
        await vectors.of([first])
        late.at_the_end = lambda: vectors.forget([first])
        await vectors.of([twin])
    assert (len(embedder.texts), vectors.embedded) == (1, 1)

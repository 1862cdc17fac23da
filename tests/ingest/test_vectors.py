"""Each text is embedded once."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from app.errors import EmbeddingFailed
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


class ClosedEmbedder:
    """Fails with what it was asked for when it is closed."""

    def __init__(self) -> None:
        self.asked, self.closed = asyncio.Event(), asyncio.Event()

    async def embed_passage(self, text: str) -> list[float]:
        self.asked.set()
        await self.closed.wait()
        raise EmbeddingFailed("closed")


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


async def test_a_text_that_fails_when_its_job_is_over_says_nothing_any_more() -> None:
    """The embedder is closed with texts in its hands: their failure is no news, and no traceback for whoever reads."""
    said: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
    embedder: Any = ClosedEmbedder()
    async with memory_store() as store:
        await store.create(spec("c"))
        vectors = Vectors(store, "c", embedder)
        job = asyncio.create_task(vectors.of([passage("first.md")]))
        await embedder.asked.wait()
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
        vectors.forget([passage("first.md")])
        embedder.closed.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    del vectors
    gc.collect()
    assert said == []

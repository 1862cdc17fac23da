"""Vectors for passages: found by content hash where they stand in the index, made where they do not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.core import hashing
from app.core.model import EmbeddedPassage, Passage
from app.ports import Embedder, VectorStore

IN_FLIGHT = 4
"""Texts handed to the embedder at once: enough to keep its threads busy, few enough for a question to get in."""


class Vectors:
    """Looks up or embeds; a text that several documents share is embedded once."""

    def __init__(self, store: VectorStore, collection: str, embedder: Embedder) -> None:
        self._store = store
        self._collection = collection
        self._embedder = embedder
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._making: dict[str, asyncio.Task[list[float]]] = {}
        self.embedded = 0

    async def of(self, passages: Sequence[Passage]) -> list[EmbeddedPassage]:
        """Each passage with its vector. Raises EmbeddingFailed and StoreError."""
        wanted = {passage.content_hash: passage for passage in passages}
        known = dict(await self._store.vectors(self._collection, wanted.keys()))
        made = {content: self._make(passage) for content, passage in wanted.items() if content not in known}
        known.update(zip(made, await asyncio.gather(*made.values()), strict=True))
        return [EmbeddedPassage(passage, known[passage.content_hash]) for passage in passages]

    def forget(self, passages: Sequence[Passage]) -> None:
        """These passages stand in the store now, or failed: their vectors need not be kept here."""
        for passage in passages:
            self._making.pop(passage.content_hash, None)

    def _make(self, passage: Passage) -> asyncio.Task[list[float]]:
        """The task that embeds this content; one task however many documents wait for it."""
        if passage.content_hash not in self._making:
            self._making[passage.content_hash] = asyncio.create_task(self._embed(passage))
        return self._making[passage.content_hash]

    async def _embed(self, passage: Passage) -> list[float]:
        text = hashing.prepared_text(passage.title, passage.heading, passage.text)
        async with self._room:
            vector = await self._embedder.embed_passage(text)
        self.embedded += 1
        return vector

"""Vectors for passages: found by content hash where they stand in the index, made where they do not.

An index that moves to another collection takes along those of the one before, if the model stays.
"""

from __future__ import annotations

import asyncio
import os
from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeAlias

from app.core import hashing
from app.core.model import EmbeddedPassage, Passage
from app.ports import Embedder, VectorStore
from ingest.concurrency import all_or_first_error

IN_FLIGHT = 2 * min(8, os.cpu_count() or 1)
"""Texts handed to the embedder at once: enough to keep its threads busy, few enough for a question to get in."""
_LOOKED_UP_AT_ONCE = 256
_MOST_KEPT = 8_192
"""Vectors of removed passages: 12 MB at 384 dimensions."""

Vector: TypeAlias = "array[float]"
"""Four bytes a number, as the store keeps it: a list takes eight times as much, and a document may have many."""


class Vectors:
    """Looks up or embeds; a text that several documents share is embedded once."""

    def __init__(self, store: VectorStore, collection: str, embedder: Embedder) -> None:
        self._store = store
        self._collections = [collection]
        self._embedder = embedder
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._making: dict[str, asyncio.Task[Vector]] = {}
        self._kept: dict[str, Vector] = {}
        self.embedded = 0

    async def of(self, passages: Sequence[Passage]) -> list[EmbeddedPassage]:
        """Each passage with its vector. Raises EmbeddingFailed and StoreError."""
        wanted = {passage.content_hash: passage for passage in passages}
        vectors = await self._stored(wanted)
        vectors.update((content, self._kept[content]) for content in wanted.keys() & self._kept.keys())
        missing = [passage for content, passage in wanted.items() if content not in vectors]
        # Taken now: a document that is being written may forget them before their turn comes.
        begun = {content: self._making[content] for content in wanted.keys() & self._making.keys()}
        left = iter(missing)

        async def work() -> None:
            for passage in left:
                making = begun.get(passage.content_hash) or self._making_of(passage)
                vectors[passage.content_hash] = await asyncio.shield(making)

        await all_or_first_error([work() for _ in missing[:IN_FLIGHT]])
        return [EmbeddedPassage(passage, vectors[passage.content_hash]) for passage in passages]

    def look_into(self, collection: str) -> None:
        """Take vectors from there, too; they must be those that the embedder makes."""
        self._collections.append(collection)

    def forget(self, passages: Sequence[Passage]) -> None:
        """These passages stand in the store now, or failed: their vectors need not be kept here."""
        for passage in passages:
            self._making.pop(passage.content_hash, None)

    async def keep(self, content_hashes: Iterable[str]) -> None:
        """To be awaited before passages are removed: a document that comes later may have taken them over."""
        self._kept.update(await self._stored(content_hashes))
        for oldest in list(islice(self._kept, max(0, len(self._kept) - _MOST_KEPT))):
            del self._kept[oldest]

    async def _stored(self, wanted: Iterable[str]) -> dict[str, Vector]:
        vectors: dict[str, Vector] = {}
        contents = list(wanted)
        for collection in self._collections:
            left = iter([content for content in contents if content not in vectors])
            while some := list(islice(left, _LOOKED_UP_AT_ONCE)):
                found = await self._store.vectors(collection, some)
                vectors.update((content, array("f", vector)) for content, vector in found.items())
        return vectors

    def _making_of(self, passage: Passage) -> asyncio.Task[Vector]:
        """Embeds this content once, however many documents wait for it; one that gives up leaves it to the others."""
        if passage.content_hash not in self._making:
            making = asyncio.create_task(self._embed(passage))
            making.add_done_callback(_failure)  # also when nobody waits any more: a job that ends has said why
            self._making[passage.content_hash] = making
        return self._making[passage.content_hash]

    async def _embed(self, passage: Passage) -> Vector:
        text = hashing.prepared_text(passage.title, passage.heading, passage.text)
        async with self._room:
            vector = await self._embedder.embed_passage(text)
        self.embedded += 1
        return array("f", vector)


def _failure(done: asyncio.Task[Vector]) -> BaseException | None:
    """Asked for once, so that asyncio does not print it as one that was never looked at."""
    return None if done.cancelled() else done.exception()

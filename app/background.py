"""How near a question is to general knowledge, under the embedding model at hand."""

from __future__ import annotations

import asyncio
import operator
from array import array
from collections.abc import Sequence

from app.core.background import STATEMENTS
from app.ports import Embedder

_AT_ONCE = 2

Vectors = Sequence[Sequence[float]]


class Background:
    """The vectors of the background texts, embedded once for each model."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vectors] = {}
        self._loading = asyncio.Lock()

    async def load(self, embedder: Embedder) -> Vectors:
        """Takes half a second for the first question to a model. Raises EmbeddingFailed."""
        if embedder.identity not in self._vectors:
            async with self._loading:
                if embedder.identity not in self._vectors:
                    self._vectors[embedder.identity] = await _embedded(embedder)
        return self._vectors[embedder.identity]


async def _embedded(embedder: Embedder) -> Vectors:
    places = asyncio.Semaphore(_AT_ONCE)

    async def embed(text: str) -> array[float]:
        async with places:
            return array("f", await embedder.embed_passage(text))

    return await asyncio.gather(*map(embed, STATEMENTS))


def nearest(vector: Sequence[float], texts: Vectors) -> float:
    """The highest cosine of unit vectors. Takes a millisecond or two: call it in a thread."""
    cosines: list[float] = [sum(map(operator.mul, vector, text)) for text in texts]
    return max(cosines)

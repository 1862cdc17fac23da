"""The support check: looks up every sentence of a finished answer in the sources it cites, on the CPU."""

from __future__ import annotations

import asyncio
import operator
from array import array
from collections.abc import Collection, Mapping, Sequence

from cachetools import LRUCache

from app.core.answer_sentences import read
from app.core.model import Source, Support
from app.core.support import Finding, Terms, find, judge, reference
from app.ports import Embedder

_VECTORS_KEPT = 4096
"""About 8 MB with the bundled model."""
_AT_ONCE = 2
"""Texts of one check in the embedder's hands, so that the questions of others find a place between them."""
_LONGEST = 300
"""Characters of a sentence or window that are embedded: with twice as many it costs more and is right no more often."""


class SupportCheck:
    """Keeps the vectors of sentences, so that a second check of an answer embeds nothing."""

    def __init__(self, words: Terms) -> None:
        self._words = words
        self._vectors: LRUCache[tuple[str, str], array[float]] = LRUCache(_VECTORS_KEPT)

    async def check(self, answer: str, sources: Sequence[Source], embedder: Embedder) -> Support:
        """What of `answer` its sources support. Raises EmbeddingFailed.

        `answer` is the text that left the service, its markers written `[n]`. Costs at most two short embeddings a
        sentence. The same answer, sources and model give the same result.
        """
        compared = await self.compare(answer, sources, embedder)
        sentences = tuple(judge(answer, finding, similarity) for finding, similarity in compared)
        return Support(sentences, unsupported=sum(sentence.supported is False for sentence in sentences))

    async def compare(self, answer: str, sources: Sequence[Source], embedder: Embedder) -> list[tuple[Finding, float]]:
        """What is found for each sentence, and its similarity: all that the judgement rests on."""
        findings = await asyncio.to_thread(self._find, answer, sources)
        vectors = await self._embed({text for finding in findings for text in _compared(finding)}, embedder)
        return [(finding, _similarity(finding, vectors)) for finding in findings]

    def _find(self, answer: str, sources: Sequence[Source]) -> list[Finding]:
        references = [reference(source, self._words) for source in sources]
        return [find(sentence, references, self._words) for sentence in read(answer)]

    async def _embed(self, texts: Collection[str], embedder: Embedder) -> Mapping[str, Sequence[float]]:
        places = asyncio.Semaphore(_AT_ONCE)

        async def embed(text: str) -> Sequence[float]:
            async with places:
                vector = self._vectors.get((embedder.identity, text))
                if vector is None:
                    vector = array("f", await embedder.embed_passage(text))
                    self._vectors[embedder.identity, text] = vector
                return vector

        return dict(zip(texts, await asyncio.gather(*map(embed, texts)), strict=True))


def _compared(finding: Finding) -> tuple[str, ...]:
    """The two texts whose similarity counts; none when nothing was found."""
    return (finding.sentence.words[:_LONGEST], finding.match.text[:_LONGEST]) if finding.match else ()


def _similarity(finding: Finding, vectors: Mapping[str, Sequence[float]]) -> float:
    """Cosine, for the vectors have length 1; 0 when nothing was found."""
    compared = _compared(finding)
    return sum(map(operator.mul, *(vectors[text] for text in compared))) if compared else 0.0

"""The answerer that needs no model: it quotes the sources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence

from qdrant_edge import Bm25, Bm25Config, TokenizerType

from app.core.abstention import ABSTENTION
from app.core.extractive import cited, select
from app.core.model import Source


class ExtractiveAnswerer:
    """Quotes what answers the question word for word, each quote with its marker; NOT_FOUND when nothing does.

    Words are compared as Qdrant's BM25 sees them: stemmed as English, without stop words, and cut by a tokenizer
    that also knows scripts without spaces. The same question and sources give the same answer.
    """

    name = "extractive"
    model = "extractive-1"

    def __init__(self) -> None:
        self._bm25 = Bm25(Bm25Config(language="english", tokenizer=TokenizerType.Multilingual))

    async def stream(self, question: str, sources: Sequence[Source]) -> AsyncIterator[str]:
        """One piece for each quote."""
        for piece in await asyncio.to_thread(self._answer, question, sources):
            yield piece

    def _answer(self, question: str, sources: Sequence[Source]) -> list[str]:
        return cited(select(question, sources, self._terms)) or [ABSTENTION]

    def _terms(self, text: str) -> Collection[int]:
        return self._bm25.embed_query(text).indices

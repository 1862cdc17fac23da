"""The answerer that needs no model: it quotes the sources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from app.adapters import bm25
from app.core.abstention import ABSTENTION
from app.core.extractive import Quote, cited, select
from app.core.links import packed_links
from app.core.model import Source
from app.core.quotes import Quotable
from app.core.structured import ClaimedQuote, Draft


class ExtractiveAnswerer:
    """The ports `Answerer` and `AnswererPool`: quotes what answers word for word, with markers; else NOT_FOUND.

    Words are compared as Qdrant's BM25 sees them: stemmed as English, without stop words, and cut by a tokenizer
    that also knows scripts without spaces. The same question and sources give the same answer.
    """

    name = "extractive"
    model = "extractive-3"

    def begin(self) -> ExtractiveAnswerer:
        return self

    def condition(self) -> tuple[bool, str]:
        return True, f"{self.name}: {self.model}"

    async def stream(self, question: str, sources: Sequence[Source]) -> AsyncGenerator[str, None]:
        """One piece for each quote."""
        for piece in await asyncio.to_thread(self._answer, question, sources):
            yield piece

    async def draft(self, question: str, sources: Sequence[Source]) -> Draft:
        """The same answer with its quotes as citations."""
        return await asyncio.to_thread(self._draft, question, sources)

    def _draft(self, question: str, sources: Sequence[Source]) -> Draft:
        links = packed_links(sources)
        quotes = [quote for quote in select(question, sources, bm25.words) if cited([quote], links)]
        texts = {source.number: Quotable(source.text) for source in sources}
        claims = tuple(claim for quote in quotes for claim in _claims(quote, texts[quote.number]))
        return Draft("".join(cited(quotes, links)) or ABSTENTION, claims, None)

    def _answer(self, question: str, sources: Sequence[Source]) -> list[str]:
        return cited(select(question, sources, bm25.words), packed_links(sources)) or [ABSTENTION]


def _claims(quote: Quote, text: Quotable) -> list[ClaimedQuote]:
    """The quote as one citation, or line by line when lines in between were left out."""
    parts = [quote.text] if text.find(quote.text) else quote.text.splitlines()
    return [ClaimedQuote(quote.number, part) for part in parts if text.find(part)]

"""What a job would do: the job itself, on a store that writes nothing and an embedder that only counts."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from msgspec import Struct

from app.ports import Embedder, VectorStore
from ingest import job
from ingest.errors import RemovalsRefused
from ingest.intake import Intake
from ingest.progress import DocumentCounts, Report, Summary
from ingest.read_only import ReadOnlyStore


class PlannedPassages(Struct, frozen=True):
    embed: int
    reuse: int
    update: int
    remove: int


class Plan(Struct, frozen=True):
    """What a job on the same folder would do now."""

    documents: DocumentCounts
    passages: PlannedPassages
    tokens: int
    """Of all that would be embedded, as the embedding model counts them."""
    refusal: str | None
    """Why the job would stop instead, and how to confirm."""
    seconds: float


async def rehearse(
    store: VectorStore,
    embedder: Embedder,
    index_name: str,
    corpus: Path,
    report: Report,
    intake: Intake,
    *,
    allow_removals: bool,
) -> Plan:
    """The plan of a job. Documents are read and compared as the job would. Raises NothingToIngest and StoreError."""
    started = time.monotonic()
    counting = CountingEmbedder(embedder)

    async def run(allow_removals: bool) -> Summary:
        dry = ReadOnlyStore(store)
        return await job.run(dry, counting, index_name, corpus, report, intake, allow_removals=allow_removals)

    refusal = None
    try:
        summary = await run(allow_removals)
    except RemovalsRefused as exc:
        refusal = str(exc)
        summary = await run(True)
    passages = summary.passages
    return Plan(
        documents=summary.documents,
        passages=PlannedPassages(passages.embedded, passages.reused, passages.updated, passages.removed),
        tokens=counting.tokens,
        refusal=refusal,
        seconds=round(time.monotonic() - started, 3),
    )


class CountingEmbedder:
    """Embedder that says what the one behind it would be given. Its vectors are empty."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.tokenizer = embedder.tokenizer
        self.tokens = 0

    async def embed_query(self, text: str) -> list[float]:
        return await self.embed_passage(text)

    async def embed_passage(self, text: str) -> list[float]:
        counted = await asyncio.to_thread(self.tokenizer.count, text)
        self.tokens += counted  # apart from the await, during which others add
        return []

"""Builds the index of a set with the ingestion job, and asks its questions on the path that the service takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, structs

from app import answering, searching
from app.adapters.fastembed_embedder import Embedders
from app.adapters.stores import open_store
from app.core.model import Candidate, Reply
from app.main import open_services
from app.ports import Embedder
from app.searching import Index
from app.services import Services
from app.settings import Settings
from eval.cases import Case, Dataset
from eval.citing import Citations, score
from ingest import job
from ingest.progress import Summary

T = TypeVar("T")
R = TypeVar("R")
LEG_DEPTH = 100
"""Candidates from which the order of a single leg is read."""
_AT_ONCE = 4


class SharedEmbedders(Embedders):
    """The models of all sets, loaded once: open until `shut`, whichever service closes."""

    def close(self) -> None:
        pass

    def shut(self) -> None:
        super().close()


class Asked(Struct, frozen=True, kw_only=True):
    """A question with all that came of it."""

    case: Case
    reply: Reply
    fused: tuple[Candidate, ...]
    """What the search found, in the order that the gate is given."""
    deep: tuple[Candidate, ...]
    """More of it, for the order of each leg."""
    citations: Citations | None
    """None where nothing was answered."""


class Serving(Struct, frozen=True):
    """An index that was built, and the service over it."""

    index: Index
    services: Services

    @property
    def embedder(self) -> Embedder:
        assert self.index.embedder is not None, "an index that was built has a model"
        return self.index.embedder


def settings_in(folder: Path, base: Settings, *, model: bool = False) -> Settings:
    """`base` with an embedded store of its own and nothing shared; with the chat endpoint only for a `model`."""
    chat = {} if model else {"chat_base_url": "", "chat_model": "", "chat_api_key": "", "chat_fallbacks": ""}
    own = {"qdrant_url": "", "redis_url": "", "api_keys_file": "", "otel_exporter_otlp_endpoint": "", "workers": 1}
    own |= {"calibration_file": ""}
    return structs.replace(base, **{**own, **chat, "qdrant_path": str(folder / "qdrant")})


async def build(dataset: Dataset, settings: Settings, embedders: Embedders) -> Summary:
    """Bring the index in step with the set's documents. Raises VouchError."""
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get(settings.embedding_model)
        return await job.run(store, embedder, settings.index_name, dataset.corpus, lambda _: None, allow_removals=True)


@asynccontextmanager
async def opened(settings: Settings, embedders: Embedders) -> AsyncIterator[Serving]:
    async with open_services(settings, embedders) as parts:
        yield Serving(await searching.open_index(parts.services), parts.services)


async def ask_all(cases: Sequence[Case], service: Serving) -> list[Asked]:
    """Ask each question once, a few at a time."""
    return await _a_few_at_a_time(lambda case: _ask(case, service), cases)


async def repeated(cases: Sequence[Case], service: Serving) -> list[Reply]:
    """The replies to questions that were asked before."""
    return await _a_few_at_a_time(lambda case: _reply(case, service), cases)


async def _ask(case: Case, service: Serving) -> Asked:
    reply = await _reply(case, service)
    fused: list[Candidate] = []
    deep: list[Candidate] = []
    if case.gold:
        ask = answering.ask(case.question, top_k=10)
        fused = await searching.search(ask, service.index, service.services)
        deep = await searching.search(structs.replace(ask, top_k=LEG_DEPTH), service.index, service.services)
    citations = await score(reply, service.services.support, service.embedder)
    return Asked(case=case, reply=reply, fused=tuple(fused), deep=tuple(deep), citations=citations)


async def _reply(case: Case, service: Serving) -> Reply:
    return await answering.answer(answering.ask(case.question), service.index, service.services, lambda _: None)


async def _a_few_at_a_time(work: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(item: T) -> R:
        async with places:
            return await work(item)

    return list(await asyncio.gather(*map(one, items)))

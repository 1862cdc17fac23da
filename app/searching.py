"""Looking up: the index as a request finds it, and the passages that are nearest to its question."""

from __future__ import annotations

from msgspec import Struct

from app import gathering
from app.core import gate
from app.core.gate import Decision
from app.core.model import Bars, Candidate
from app.core.records import StateRecord
from app.deadlines import OutOfTime
from app.errors import ModelUnavailable
from app.metrics import INDEX_DOCUMENTS, INDEX_GENERATION, INDEX_PASSAGES, INDEX_UPDATING
from app.ports import ServingEmbedder
from app.request import Ask
from app.services import Services


class Index(Struct, frozen=True):
    """The index as one request sees it, read once."""

    state: StateRecord | None
    embedder: ServingEmbedder | None
    bars: Bars


async def open_index(services: Services) -> Index:
    """What the path needs before it starts. Raises StoreError and ModelUnavailable."""
    state = await services.store.state()
    _gauge(state)
    model = state.embedding_model if state else services.policy.default_model
    bars = services.policy.bars(model)
    return Index(state, await _embedder(model, services) if state else None, bars)


async def _embedder(model: str, services: Services) -> ServingEmbedder:
    """Raises ModelUnavailable, also when it is not there in time: one may have to be downloaded first."""
    try:
        async with services.deadlines.limit():
            return await services.embedders.get(model)
    except OutOfTime as exc:
        raise ModelUnavailable(f"The embedding model {model} is still being loaded: try again in a while.") from exc


def _gauge(state: StateRecord | None) -> None:
    INDEX_DOCUMENTS.set(state.documents if state else 0)
    INDEX_PASSAGES.set(state.passages if state else 0)
    INDEX_GENERATION.set(state.generation if state else 0)
    INDEX_UPDATING.set(state is not None and state.state == "updating")


async def search(ask: Ask, index: Index, services: Services) -> list[Candidate]:
    """The candidates for a question. Raises StoreError and EmbeddingFailed."""
    if index.state is None or index.embedder is None:
        return []
    vector = await index.embedder.embed_query(ask.embedded)
    return await gathering.find(ask, index.state, vector, services)


async def judged(ask: Ask, index: Index, services: Services) -> tuple[list[Candidate], Decision]:
    """The candidates for a question, and what the gate says to them. Raises StoreError and EmbeddingFailed."""
    if index.state is None or index.embedder is None:
        return [], gate.decide(ask.searched, (), index.bars, services.policy.min_passages, 0.0)
    vector = await index.embedder.embed_query(ask.embedded)
    candidates = await gathering.find(ask, index.state, vector, services)
    return candidates, await gathering.judge(ask, vector, candidates, index.embedder, index.bars, services)

"""Finding what a request is answered from: passages, or for a catalogue the documents themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from app import background, neighbours
from app.core import catalogue, gate, packing
from app.core.catalogue import MAX_LISTED, Entry
from app.core.gate import Decision
from app.core.intent import topic_of
from app.core.model import Bars, Candidate, Query, Relevance, Source
from app.core.records import DocumentRecord, StateRecord
from app.ports import Embedder
from app.request import Ask
from app.run import Run
from app.services import Services

MAX_RECOMMENDED = 12
"""Sources that advice on what to read is written from."""
_PASSAGES_FOR_ADVICE = 40
_PASSAGES_FOR_A_CATALOGUE = 200


class Gathered(Struct, frozen=True):
    """What a request is answered from; `reason` says why it is refused when there is too little."""

    relevance: Relevance
    sources: tuple[Source, ...] = ()
    reason: str | None = None
    text: str | None = None
    """The whole answer, where no answerer is to write it."""
    settled: bool = True
    """False where the reranker was late or broke: the next one who asks may get better sources."""


async def find(ask: Ask, state: StateRecord, vector: list[float], services: Services) -> list[Candidate]:
    """The candidates for a question that was embedded. Raises StoreError."""
    limit = max(ask.top_k, services.policy.min_passages)
    if ask.intent == "recommend":
        limit = max(limit, _PASSAGES_FOR_ADVICE)
    return await services.store.search(state.collection, Query(vector, ask.searched, state.languages), limit, ask.scope)


async def judge(
    ask: Ask,
    vector: Sequence[float],
    candidates: Sequence[Candidate],
    embedder: Embedder,
    bars: Bars,
    services: Services,
) -> Decision:
    """The gate's decision, made in a thread. Raises EmbeddingFailed.

    No single passage has to answer what to read on a topic: there only the cosine counts.
    """
    if ask.intent == "recommend":
        bars = bars.by_cosine()
    texts = await services.background.load(embedder) if bars.answerability else ()

    def decide() -> Decision:
        general = background.nearest(vector, texts) if texts else 0.0
        return gate.decide(ask.searched, candidates, bars, services.policy.min_passages, general)

    return await asyncio.to_thread(decide)


async def passages(
    ask: Ask, state: StateRecord, embedder: Embedder, bars: Bars, services: Services, run: Run
) -> Gathered:
    """The passages to answer from; for advice on what to read at first one of each document."""
    vector = await run.timed("embed", embedder.embed_query(ask.embedded))
    candidates = await run.timed("search", find(ask, state, vector, services))
    decision = await run.timed("gate", judge(ask, vector, candidates, embedder, bars, services))
    if decision.reason is not None:
        return Gathered(decision.relevance, reason=decision.reason)
    accepted, settled = await _reranked(ask, decision.accepted, services, run)
    if ask.intent == "recommend":
        spread = packing.documents_first(accepted)
        packed = packing.pack(spread, services.policy.context_tokens, ask.question)[:MAX_RECOMMENDED]
    else:
        chosen = await asyncio.to_thread(packing.choose, accepted, services.policy.context_tokens, ask.question)
        packed = await run.timed("neighbours", neighbours.merged(chosen, state, ask.scope, services))
    return Gathered(decision.relevance, packed, None if packed else "nothing_packed", settled=settled)


async def _reranked(
    ask: Ask, accepted: Sequence[Candidate], services: Services, run: Run
) -> tuple[Sequence[Candidate], bool]:
    """The passages to pack, best first, and whether another try would give them in the same order."""
    if not services.reranking.wanted:
        return accepted, True
    ordered = await run.timed("rerank", services.reranking.order(ask.searched, accepted))
    return (accepted, False) if ordered is None else (ordered, True)


async def documents(
    ask: Ask, state: StateRecord, embedder: Embedder, bars: Bars, services: Services, run: Run
) -> Gathered:
    """The documents to list and the list itself; `top_k` and MIN_PASSAGES, which count passages, don't bear on it.

    The relevance counts documents: those that the scope may see, and those of them to list.
    """
    topic, threshold = topic_of(ask.question), bars.by_cosine().relevance
    candidates: list[Candidate] = []
    if topic:
        about = topic if ask.searched == ask.question else ask.searched
        vector = await run.timed("embed", embedder.embed_query(about))
        search = services.store.search(state.collection, Query(vector), _PASSAGES_FOR_A_CATALOGUE, ask.scope)
        candidates = await run.timed("search", search)
    records = await run.timed("documents", _records(ask, state, services))
    chosen = await asyncio.to_thread(catalogue.choose, records, candidates, topic, threshold)
    best = candidates[0].score if candidates else None
    relevance = Relevance(best, threshold, len(records), len(chosen))
    listed = catalogue.sources(await _still_visible(chosen[:MAX_LISTED], ask, state, services))
    if not listed:
        return Gathered(relevance, reason="below_threshold" if records and topic else "no_candidates")
    more = max(0, len(chosen) - MAX_LISTED)
    return Gathered(relevance, listed, text=catalogue.compose(listed, more, certain=_exhausted(candidates, threshold)))


async def _records(ask: Ask, state: StateRecord, services: Services) -> list[DocumentRecord]:
    return [record async for record in services.store.find_documents(state.collection, ask.scope)]


async def _still_visible(entries: Sequence[Entry], ask: Ask, state: StateRecord, services: Services) -> list[Entry]:
    """Without documents whose passages are hidden by now: a job writes a document's record after its passages."""
    ids = [entry.record.document_id for entry in entries]
    visible = await services.store.visible(state.collection, ids, ask.scope)
    return [entry for entry in entries if entry.record.document_id in visible]


def _exhausted(candidates: Sequence[Candidate], threshold: float) -> bool:
    """Whether the search saw every passage that is near enough."""
    return len(candidates) < _PASSAGES_FOR_A_CATALOGUE or candidates[-1].score < threshold

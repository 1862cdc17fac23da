"""The path of a question, in one direction: each value is made once and passed forward."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

from msgspec import Struct, structs

from app.core import gate, hashing, packing, prompt, verdict
from app.core.abstention import AbstentionHold
from app.core.citations import CitationFilter
from app.core.model import CachedAnswer, Candidate, Relevance, Reply, Scope, Source, StateRecord, Status
from app.core.question import normalise
from app.deadlines import OutOfTime
from app.errors import AnswererFailed, EmbeddingFailed, StoreError
from app.logs import log
from app.metrics import IN_PROGRESS, MODEL_CALLS
from app.ports import Answerer, Embedder, VectorStore
from app.run import Run, account
from app.services import Services

DEFAULT_TOP_K = 8
MAX_TOP_K = 40
MAX_ANSWER_LENGTH = 16_000
"""Characters shown; past it the answer is stopped."""
_MAX_WRITTEN = 4 * MAX_ANSWER_LENGTH
"""Characters the model may write for that, removed markers included."""
_RECHECK_S = 0.25


class Ask(Struct, frozen=True, kw_only=True):
    """A valid request. The question is normalised and top_k clamped by `ask`."""

    question: str
    top_k: int = DEFAULT_TOP_K
    citation_policy: verdict.CitationPolicy = "drop"
    scope: Scope = Scope()


class SourcesEvent(Struct, frozen=True):
    id: str
    revision: str
    sources: Sequence[Source]


class Delta(Struct, frozen=True):
    text: str


Emit = Callable[[SourcesEvent | Delta], None]


class Index(Struct, frozen=True):
    """The index as one request sees it, read once."""

    state: StateRecord | None
    embedder: Embedder | None
    threshold: float


def ask(question: str, top_k: int, citation_policy: verdict.CitationPolicy, scope: Scope) -> Ask:
    """Raises BadQuestion."""
    clamped = max(1, min(MAX_TOP_K, top_k))
    return Ask(question=normalise(question), top_k=clamped, citation_policy=citation_policy, scope=scope)


async def open_index(services: Services) -> Index:
    """What the path needs before it starts. Raises StoreError and ModelUnavailable."""
    state = await services.store.state()
    model = state.embedding_model if state else services.policy.default_model
    threshold = services.policy.thresholds(model)
    return Index(state, await services.embedders.get(model) if state else None, threshold)


async def search(ask: Ask, index: Index, services: Services) -> list[Candidate]:
    """The candidates for a question. Raises StoreError and EmbeddingFailed."""
    if index.state is None or index.embedder is None:
        return []
    vector = await index.embedder.embed_query(ask.question)
    return await _find(ask, index.state, vector, services)


async def answer(ask: Ask, index: Index, services: Services, emit: Emit) -> Reply:
    """Answer a question; `emit` gets the sources, then the text in pieces. Ends in a verdict, whatever happens.

    Only cancellation gets out: the caller went away, and then nothing is cached.
    """
    run = Run(revision=index.state.revision if index.state else None)
    with IN_PROGRESS.track_inprogress():
        try:
            async with services.deadlines.limit():
                reply = await _answer(ask, index, services, run, emit)
        except Exception as exc:
            reply = run.failed(_reason(exc))
    account(reply)
    return reply


async def _answer(ask: Ask, index: Index, services: Services, run: Run, emit: Emit) -> Reply:
    state, policy = index.state, services.policy
    if state is None or index.embedder is None:
        return run.refused("no_candidates", Relevance(None, index.threshold, 0, 0))
    key = _cache_key(ask, state, index.threshold, services) if state.state == "ready" else None
    if key is not None and (known := await run.timed("cache", services.cache.get(key))):
        return _replay(known, run, emit)
    vector = await run.timed("embed", index.embedder.embed_query(ask.question))
    candidates = await run.timed("search", _find(ask, state, vector, services))
    decision = gate.decide(candidates, index.threshold, policy.min_passages)
    if decision.reason is not None:
        return run.refused(decision.reason, decision.relevance)
    sources = packing.pack(decision.accepted, policy.context_tokens)
    if not sources:
        return run.refused("nothing_packed", decision.relevance)
    run.relevance = decision.relevance
    emit(SourcesEvent(run.id, state.revision, sources))
    reply = await _write(ask, sources, services.answerer, run, emit)
    if key is not None and reply.status is Status.ANSWERED and await _unchanged(state, services.store):
        await services.cache.put(key, _to_cache(reply))
    return reply


async def _find(ask: Ask, state: StateRecord, vector: list[float], services: Services) -> list[Candidate]:
    limit = max(ask.top_k, services.policy.min_passages)
    return await services.store.search(state.collection, vector, limit, ask.scope)


async def _write(ask: Ask, sources: Sequence[Source], answerer: Answerer, run: Run, emit: Emit) -> Reply:
    """Have the answer written, show what the citation filter lets through, and judge it."""
    citations, hold = CitationFilter(len(sources)), AbstentionHold()
    shown = _Shown(emit)
    run.model = answerer.model
    MODEL_CALLS.labels(answerer.name).inc()
    with run.stage("model"):
        async with aclosing(answerer.stream(ask.question, sources)) as pieces:
            async for piece in pieces:
                shown.add(hold.feed(citations.feed(piece)), written=len(piece))
    shown.add(hold.feed(citations.flush()))
    shown.add(hold.flush())
    if hold.abstained:
        return run.refused("model_abstained", run.relevance)
    status, reason = verdict.judge(citations.valid, citations.dropped, ask.citation_policy)
    return run.reply(
        status,
        reason,
        answer=shown.text,
        sources=tuple(sources),
        cited=tuple(sorted(citations.valid)),
        dropped=tuple(citations.dropped),
    )


class _Shown:
    """The text that has been shown, kept within the limits."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._pieces: list[str] = []
        self._length = self._written = 0

    def add(self, text: str, written: int = 0) -> None:
        self._length += len(text)
        self._written += written
        if self._length > MAX_ANSWER_LENGTH or self._written > _MAX_WRITTEN:
            raise AnswererFailed("answer_too_long", verdict.message("answer_too_long"))
        if text:
            self._pieces.append(text)
            self._emit(Delta(text))

    @property
    def text(self) -> str:
        return "".join(self._pieces)


def _cache_key(ask: Ask, state: StateRecord, threshold: float, services: Services) -> str:
    policy = services.policy
    return hashing.cache_key(
        revision=state.revision,
        cache_epoch=state.cache_epoch,
        scope=ask.scope,
        question=ask.question,
        options={"top_k": ask.top_k, "citation_policy": ask.citation_policy},
        answerer=services.answerer.name,
        model=services.answerer.model,
        prompt_version=prompt.PROMPT_VERSION,
        settings_digest=hashing.settings_digest(
            {
                "threshold": threshold,
                "min_passages": policy.min_passages,
                "context_tokens": policy.context_tokens,
                "chat_base_url": policy.chat_base_url,
            }
        ),
    )


def _replay(known: CachedAnswer, run: Run, emit: Emit) -> Reply:
    run.relevance, run.model = known.relevance, known.model
    emit(SourcesEvent(run.id, known.revision, known.sources))
    emit(Delta(known.answer))
    return run.reply(
        Status.ANSWERED,
        None,
        answer=known.answer,
        sources=known.sources,
        cited=known.cited,
        dropped=known.dropped,
        cached=True,
    )


def _to_cache(reply: Reply) -> CachedAnswer:
    kept = structs.asdict(reply)
    return CachedAnswer(**{name: kept[name] for name in CachedAnswer.__struct_fields__})


async def _unchanged(state: StateRecord, store: VectorStore) -> bool:
    """Whether the index still is the one that the answer was made from."""
    try:
        async with asyncio.timeout(_RECHECK_S):
            now = await store.state()
    except (StoreError, TimeoutError):
        return False
    return now is not None and (now.collection, now.generation, now.state) == (
        state.collection,
        state.generation,
        "ready",
    )


def _reason(exc: Exception) -> str:
    match exc:
        case AnswererFailed():
            log.warning("answerer.failed", reason=exc.reason, problem=str(exc))
            return exc.reason
        case OutOfTime():
            return exc.reason
        case EmbeddingFailed():
            return "embedder_failed"
        case StoreError():
            return "index_unavailable"
    log.error("answer.internal_error", exc_info=exc)
    return "internal"

"""The path of a question, in one direction: each value is made once and passed forward."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET, Struct, structs

from app import caching, cleanup, evidence, gathering, tracing
from app.core import followups, verdict
from app.core.citation_text import MarkerText
from app.core.intent import IntentOption, decide
from app.core.links import packed_links
from app.core.model import Bars, CachedAnswer, Extras, Relevance, Reply, Source, Status, Support
from app.core.question import normalise
from app.core.records import StateRecord
from app.deadlines import OutOfTime
from app.errors import AnswererFailed, EmbeddingFailed, StoreError
from app.flights import Show
from app.gathering import Gathered
from app.logs import log
from app.metering import METER
from app.metrics import IN_PROGRESS
from app.ports import Embedder
from app.request import DEFAULT_TOP_K, Ask
from app.run import Run, account, outcome
from app.searching import Index
from app.services import Services
from app.writing import Writer, Written, composed

MAX_TOP_K = 40


class SourcesEvent(Struct, frozen=True):
    id: str
    revision: str
    sources: Sequence[Source]


class Delta(Struct, frozen=True):
    text: str


Emit = Callable[[SourcesEvent | Delta], None]


def ask(
    question: str,
    *,
    top_k: int = DEFAULT_TOP_K,
    earlier: str | None = None,
    intent: IntentOption = "auto",
    **options: Any,
) -> Ask:
    """A request with its question normalised, `top_k` clamped to 1..40 and its intent decided. Raises BadQuestion.

    `earlier` is what was searched with for the answer that the question follows up on: it may widen the search.
    """
    question = normalise(question)
    searched = followups.widened(question, earlier) if earlier else question
    clamped, decided = max(1, min(MAX_TOP_K, top_k)), decide(question, intent)
    return Ask(question=question, searched=searched, top_k=clamped, intent=decided, **options)


async def answer(ask: Ask, index: Index, services: Services, emit: Emit) -> Reply:
    """Answer a question; `emit` gets the sources, then the text in pieces. Ends in a verdict, whatever happens.

    Only cancellation gets out: the caller went away, and then nothing is kept, unless the reply was there already.
    The same question asked meanwhile by who may see the same is answered along with this one.
    """
    run = Run(revision=index.state.revision if index.state else None, intent=ask.intent)
    with IN_PROGRESS.track_inprogress(), tracing.span("vouch.answer", {"vouch.id": run.id}) as tell:
        try:
            async with services.deadlines.limit():
                reply = await _answer(ask, index, services, run, emit)
        except Exception as exc:
            reply = run.failed(_reason(exc))
        kept = evidence.keep(
            services.evidence, reply, run.packed, question=ask.question, searched=ask.searched, caller=ask.caller
        )
        await cleanup.finish(kept)
        tell(outcome(reply))
    account(reply, ask.question if services.policy.log_questions else None)
    return reply


async def _answer(ask: Ask, index: Index, services: Services, run: Run, emit: Emit) -> Reply:
    state, embedder = index.state, index.embedder
    if state is None or embedder is None:
        return run.refused("no_candidates", Relevance(None, index.bars.relevance, 0, 0))
    key = caching.key(ask, state, index.bars, services) if state.state == "ready" else None

    def show(item: Gathered | Delta) -> None:
        if isinstance(item, Delta):
            emit(item)
        elif run.gathered(item.sources, item.relevance, services.answerer.model if item.text is None else None):
            emit(SourcesEvent(run.id, state.revision, run.packed))

    async def make(tell: Show) -> Reply:
        try:
            return await _made(ask, state, embedder, index.bars, key, services, run.for_all(), tell)
        finally:
            await _charge(ask, services)

    reply: Reply = await services.flights.share((key or run.id, ask.verify), make, show)
    return run.adopted(reply)


async def _charge(ask: Ask, services: Services) -> None:
    """Charge the tokens of a model call to whoever had it begun, also when it broke off."""
    if (meter := METER.get()) and meter.tokens:
        await cleanup.finish(services.limiter.charge(ask.caller, meter.tokens))


async def _made(
    ask: Ask,
    state: StateRecord,
    embedder: Embedder,
    bars: Bars,
    key: str | None,
    services: Services,
    run: Run,
    tell: Show,
) -> Reply:
    """The reply for all who ask this now; `tell` gets what is gathered, then the text in pieces."""
    if key is not None and (known := await run.timed("cache", services.cache.get(key))):
        return await _judged(ask, _replay(known, run, tell), embedder, services, run, cached=True)
    gather = gathering.documents if ask.intent == "catalogue" else gathering.passages
    found = await gather(ask, state, embedder, bars, services, run)
    if found.reason is not None:
        return run.refused(found.reason, found.relevance)
    run.packed, run.relevance = found.sources, found.relevance
    tell(found)
    written = await _write(ask, found.text, services, run, tell)
    reply = await _judged(ask, written, embedder, services, run)
    if key is not None and found.settled and reply.status is Status.ANSWERED:
        await caching.keep(key, reply, state, services)
    return reply


async def _write(ask: Ask, listing: str | None, services: Services, run: Run, tell: Show) -> Written:
    def show(text: str) -> None:
        tell(Delta(text))

    links = await asyncio.to_thread(packed_links, run.packed, services.policy.image_hosts, ask.citation_style)
    if listing is not None:
        return composed(listing, "catalogue", len(run.packed), links, show)
    run.model = services.answerer.model
    writer = Writer(services.answerer.begin(), services.fallback)
    with run.stage("model"):
        return await writer.write(ask.mode, ask.question, run.packed, links, show)


async def _judged(
    ask: Ask, written: Written, embedder: Embedder, services: Services, run: Run, *, cached: bool = False
) -> Reply:
    """The verdict on a finished text, with the support check where one was asked for."""
    run.model = written.model
    if written.abstained:
        return run.refused("model_abstained", run.relevance)
    support = await _support(ask, written, embedder, services, run)
    unsupported = support.unsupported if support else 0
    status, reason = verdict.judge(written.valid, written.dropped, unsupported, ask.citation_policy)
    return run.reply(
        status,
        reason,
        answer=written.text,
        sources=run.packed,
        cited=tuple(sorted(written.valid)),
        markers=written.markers,
        dropped=written.dropped,
        extras=structs.replace(written.extras, support=support or UNSET),
        cached=cached,
    )


async def _support(ask: Ask, written: Written, embedder: Embedder, services: Services, run: Run) -> Support | None:
    """What the sources support; None when nobody asked. A check that breaks fails only an answer that needs it.

    A catalogue claims nothing that could be checked.
    """
    needed = ask.citation_policy == "supported"
    if ask.intent == "catalogue" or not (needed or ask.verify):
        return None
    if isinstance(written.extras.support, Support):
        return written.extras.support
    try:
        text = MarkerText(written.text, written.markers)
        found = await run.timed("support", services.support.check(text.text, run.packed, embedder))
        return text.place(found)
    except EmbeddingFailed as exc:
        if needed:
            raise
        log.warning("support.failed", problem=str(exc))
        return None


def _replay(known: CachedAnswer, run: Run, tell: Show) -> Written:
    run.relevance, run.packed = known.relevance, known.sources
    tell(Gathered(known.relevance, known.sources))
    tell(Delta(known.answer))
    extras = Extras(**{name: getattr(known, name) for name in Extras.__struct_fields__})
    return Written(known.answer, False, known.markers, known.dropped, known.model, extras)


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

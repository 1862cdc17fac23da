"""Puts the service together: the only file that knows every part."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from litestar import Litestar
from msgspec import Struct

from app import answering, searching, tracing
from app.adapters import bm25, chat, cross_encoder
from app.adapters.chat_fallbacks import ChatFallbacks
from app.adapters.extractive import ExtractiveAnswerer
from app.adapters.fastembed_embedder import Embedders
from app.adapters.keys_file import KeysFile
from app.adapters.memory_cache import MemoryCache
from app.adapters.memory_limits import MemoryLimits
from app.adapters.redis_cache import RedisCache
from app.adapters.redis_circuit import RedisLink, connect
from app.adapters.redis_evidence import RedisEvidence
from app.adapters.redis_limits import RedisLimits
from app.adapters.sqlite_evidence import SqliteEvidence
from app.adapters.stores import open_store
from app.admission import Admission
from app.background import Background
from app.deadlines import Deadlines
from app.desk import open_desk
from app.errors import VouchError
from app.flights import Flights
from app.limiting import Limiter
from app.logs import log
from app.ports import AnswerCache, AnswererPool, EvidenceStore, Keys
from app.reranking import Reranking
from app.services import Policy, Services
from app.settings import Settings
from app.support import SupportCheck
from app.thresholds import Thresholds
from app.web import (
    answers,
    documents,
    evidence,
    health,
    index,
    limits,
    mcp,
    notices,
    openai,
    page,
    problems,
    pushes,
    schema_page,
)
from app.web.access import Door, admit
from app.web.security_headers import cors, protect
from ingest.hosting import HostedJobs

MAX_BODY_BYTES = 64 * 1024
_LEASE_MARGIN_S = 5.0
"""How much longer than an answer may take its place is kept when its process died."""
VERSION = "0.1.0"


class Opened(Struct, frozen=True):
    """The parts of a running service."""

    services: Services
    token: str
    keys: Keys | None = None

    def __repr__(self) -> str:
        return "Opened(...)"


OpenServices = Callable[[Settings], AbstractAsyncContextManager[Opened]]


@asynccontextmanager
async def open_services(
    settings: Settings, embedders: Embedders | None = None, background: Background | None = None
) -> AsyncIterator[Opened]:
    """Open every client once, close them in reverse. Raises StoreError when the embedded store can't be had.

    Raises SettingsError when API_KEYS_FILE or the calibration is not valid, or EMBEDDING_MODEL has no thresholds.
    """
    thresholds = Thresholds.read(settings)
    keys = KeysFile(Path(settings.api_keys_file)) if settings.api_keys_file else None
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing.exported(settings.otel_exporter_otlp_endpoint))
        store, lock = await stack.enter_async_context(open_store(settings, "service"))
        embedders = embedders or Embedders()
        stack.callback(embedders.close)
        redis = _redis(settings, stack)
        cache = _cache(settings, redis)
        stack.push_async_callback(cache.close)
        answerer = await _answerer(settings, stack)
        reranking = await Reranking.open(settings.reranker_model, cross_encoder.load, settings.reranker_deadline_s)
        stack.callback(reranking.close)
        kept = _evidence(settings, redis)
        stack.push_async_callback(kept.close)
        counts = RedisLimits(redis) if redis else MemoryLimits()
        stack.push_async_callback(counts.close)
        deadlines = Deadlines(settings.chat_deadline_s)
        services = Services(
            store=store,
            embedders=embedders,
            answerer=answerer,
            reranking=reranking,
            fallback=ExtractiveAnswerer(),
            support=SupportCheck(bm25.words),
            background=background or Background(),
            cache=cache,
            evidence=kept,
            deadlines=deadlines,
            flights=Flights(answering.Delta),
            admission=Admission(settings.max_concurrent_answers),
            limiter=Limiter(counts, deadlines.request_s + _LEASE_MARGIN_S),
            policy=_policy(settings, thresholds),
        )
        if lock is not None:
            lock.announce(settings.address)
        await _warm_up(services)
        yield Opened(services, lock.owner.token if lock else secrets.token_urlsafe(32), keys)


def create_app(settings: Settings, open_services: OpenServices = open_services) -> Litestar:
    """The service as an ASGI application. Everything it needs is opened when it starts, nothing before."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with open_services(settings) as opened:
            app.state.services = opened.services
            jobs = HostedJobs(opened.services.store, opened.services.embedders.get, settings)
            app.state.jobs = jobs
            app.state.agents = agents = mcp.Agents(VERSION)
            async with open_desk(settings, opened.keys, jobs) as desk:
                app.state.desk = desk
                app.state.door = _door(settings, opened.token, desk.plans)
                yield
            await agents.close()
            await jobs.stop()

    return Litestar(
        route_handlers=[
            answers.post_answer,
            answers.get_search,
            limits.get_usage,
            evidence.get_answer,
            index.get_index,
            index.post_sync,
            documents.get_documents,
            pushes.router(settings.max_document_mb),
            notices.router,
            health.live,
            health.ready,
            health.metrics,
            openai.router,
            mcp.serve_mcp,
            page.get_page,
        ],
        guards=[admit, limits.count_request],
        middleware=[limits.KeepPlaces()],
        before_send=[limits.tell_rate, protect],
        cors_config=cors(settings.allowed_origins),
        lifespan=[lifespan],
        plugins=[problems.plugin()],
        after_exception=[problems.log_unexpected, problems.count_refusal],
        openapi_config=schema_page.config(VERSION),
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
    )


def _door(settings: Settings, token: str, keys: Keys | None) -> Door:
    return Door(
        token,
        loopback_only=keys is None and not settings.allow_anonymous,
        keys=keys,
        needs_key=keys is not None and not settings.allow_anonymous,
        origins=settings.allowed_origins,
    )


def _redis(settings: Settings, stack: AsyncExitStack) -> RedisLink | None:
    """For all that a question needs of it."""
    if not settings.redis_url:
        return None
    link = RedisLink(connect(settings.redis_url))
    stack.push_async_callback(link.close)
    return link


def _cache(settings: Settings, redis: RedisLink | None) -> AnswerCache:
    return RedisCache(redis, settings.cache_ttl_s) if redis else MemoryCache(settings.cache_ttl_s)


def _evidence(settings: Settings, redis: RedisLink | None) -> EvidenceStore:
    name, ttl_s = settings.index_name, settings.audit_ttl_s
    if redis is None:
        return SqliteEvidence(settings.store_path / "evidence.sqlite", name, ttl_s)
    return RedisEvidence(redis, name, ttl_s)


async def _answerer(settings: Settings, stack: AsyncExitStack) -> AnswererPool:
    """With a client for each endpoint: one that stalls takes up none of another's connections."""
    deadline_s = settings.chat_deadline_s
    endpoints = [
        chat.ChatAnswerer(
            await stack.enter_async_context(chat.connect(deadline_s)),
            base_url=endpoint.base_url,
            model=endpoint.model,
            api_key=endpoint.api_key,
            deadline_s=deadline_s,
        )
        for endpoint in settings.chat_endpoints
    ]
    return ChatFallbacks(endpoints) if endpoints else ExtractiveAnswerer()


def _policy(settings: Settings, thresholds: Thresholds) -> Policy:
    return Policy(
        bars=thresholds.bars,
        void_calibration=thresholds.void,
        default_model=settings.embedding_model,
        min_passages=settings.min_passages,
        context_tokens=settings.context_tokens,
        chat_endpoints=tuple((endpoint.base_url, endpoint.model) for endpoint in settings.chat_endpoints),
        log_questions=settings.log_questions,
        image_hosts=settings.trusted_image_hosts,
    )


async def _warm_up(services: Services) -> None:
    """Load what the first question needs. A store that is away may come up later, so this only tells."""
    await asyncio.to_thread(bm25.warm_up)
    if void := services.policy.void_calibration(services.policy.default_model):
        log.warning("start.void_calibration", problem=void)
    try:
        index = await searching.open_index(services)
        if index.embedder is not None and index.bars.answerability:
            await services.background.load(index.embedder)
    except VouchError as exc:
        log.warning("start.not_ready", problem=str(exc))
        return
    if index.state is None:
        log.warning("start.empty_index", next="run `make ingest`")

"""POST /v1/answers and GET /v1/search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import FromQuery, JSONBody
from litestar.response import Response, Stream
from msgspec import Meta, Struct

from app import answering
from app.answering import Delta, SourcesEvent
from app.core import gate, packing
from app.core.model import Candidate, Relevance, Reply
from app.core.verdict import CitationPolicy
from app.services import Services
from app.web import events
from app.web.access import scope_of
from app.writing import Mode

_EVENT_STREAM = "text/event-stream"


class Filter(Struct, frozen=True, forbid_unknown_fields=True):
    """Narrows the documents that are searched."""

    source_prefix: str | None = None
    tags: tuple[Annotated[str, Meta(min_length=1)], ...] = ()


class AnswerRequest(Struct, frozen=True, forbid_unknown_fields=True):
    question: str
    top_k: int = answering.DEFAULT_TOP_K
    citation_policy: CitationPolicy = "drop"
    mode: Mode = "text"
    filter: Filter = Filter()


class Found(Struct, frozen=True):
    """A candidate of a search: a source without a number."""

    document_id: str
    passage_id: str
    title: str
    heading: tuple[str, ...]
    page: int | None
    url: str | None
    updated_at: str | None
    score: float
    text: str


class SearchReply(Struct, frozen=True):
    candidates: list[Found]
    relevance: Relevance
    would_answer: bool
    reason: str | None
    revision: str | None


@post("/v1/answers", status_code=200)
async def post_answer(request: Request[Any, Any, State], data: JSONBody[AnswerRequest]) -> Response[Any]:
    """Answer a question with citations; JSON, or an event stream for `Accept: text/event-stream`."""
    services: Services = request.app.state.services
    ask = answering.ask(
        data.question,
        top_k=data.top_k,
        citation_policy=data.citation_policy,
        mode=data.mode,
        scope=scope_of(data.filter.source_prefix, data.filter.tags),
    )
    index = await answering.open_index(services)

    async def work(emit: Callable[[SourcesEvent | Delta], None]) -> Reply:
        return await answering.answer(ask, index, services, emit)

    if request.accept.best_match(["application/json", _EVENT_STREAM]) == _EVENT_STREAM:
        return Stream(events.stream(work, _name), media_type=_EVENT_STREAM, headers={"Cache-Control": "no-store"})
    return Response(await events.unless_gone(request, work(lambda _: None)))


@get("/v1/search")
async def get_search(
    request: Request[Any, Any, State],
    q: FromQuery[str],
    top_k: FromQuery[int] = answering.DEFAULT_TOP_K,
) -> SearchReply:
    """What a question would be answered from; no language model is called."""
    services: Services = request.app.state.services
    ask = answering.ask(q, top_k=top_k, scope=scope_of(None, ()))
    index = await answering.open_index(services)
    candidates = await answering.search(ask, index, services)
    decision = gate.decide(candidates, index.threshold, services.policy.min_passages)
    reason = decision.reason
    if reason is None and not packing.pack(decision.accepted, services.policy.context_tokens):
        reason = "nothing_packed"
    return SearchReply(
        candidates=[_found(candidate) for candidate in candidates],
        relevance=decision.relevance,
        would_answer=reason is None,
        reason=reason,
        revision=index.state.revision if index.state else None,
    )


def _name(event: SourcesEvent | Delta) -> str:
    return "sources" if isinstance(event, SourcesEvent) else "delta"


def _found(candidate: Candidate) -> Found:
    passage = candidate.passage
    return Found(
        document_id=passage.document_id,
        passage_id=passage.passage_id,
        title=passage.title,
        heading=passage.heading,
        page=passage.page,
        url=passage.url,
        updated_at=passage.updated_at,
        score=candidate.score,
        text=passage.text,
    )

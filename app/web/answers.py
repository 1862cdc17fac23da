"""POST /v1/answers and GET /v1/search."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromQuery, JSONBody
from litestar.response import Response, Stream
from msgspec import Meta, Struct, field

from app import answering, searching, tracing
from app.admission import check_embedder
from app.answering import Delta, SourcesEvent
from app.core import followups, packing
from app.core.evidence import KeptReply
from app.core.intent import IntentOption
from app.core.links import CitationStyle
from app.core.model import Reply, Source
from app.core.question import normalise
from app.core.search_reply import Found, SearchReply
from app.core.verdict import CitationPolicy
from app.deadlines import OutOfTime
from app.logs import log
from app.request import DEFAULT_TOP_K, Ask, Mode
from app.services import Services
from app.web import events, evidence, limits
from app.web.access import caller_of, scope_of
from app.web.bodies import check_types
from app.web.negotiation import EVENT_STREAM, json_in_and_out, wants_events
from app.web.parameters import only_known_parameters
from app.web.problems import (
    BAD_REQUEST,
    INDEX_UNAVAILABLE,
    NOT_LOCAL,
    OUT_OF_TIME,
    UNKNOWN_ANSWER,
    Problem,
    documented,
)

Tag = Annotated[str, Meta(min_length=1)]


class Filter(Struct, frozen=True, forbid_unknown_fields=True):
    """Narrows the documents that are searched."""

    source_prefix: Annotated[str | None, Meta(description="Only documents at or below this path.")] = None
    tags: Annotated[tuple[Tag, ...], Meta(description="Only documents with one of these tags.")] = ()


class AnswerOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a question is to be answered."""

    top_k: Annotated[int, Meta(description="Passages that are looked at; clamped to 1..40.")] = DEFAULT_TOP_K
    citation_policy: Annotated[
        CitationPolicy,
        Meta(
            description="drop: invented citations are removed; strict: an answer with one is ungrounded; "
            "supported: so is one with a sentence that its sources do not support."
        ),
    ] = "drop"
    citation_style: Annotated[CitationStyle, Meta(description="[n], or [title](url) where the document has a URL.")] = (
        "markers"
    )
    mode: Annotated[
        Mode, Meta(description="structured: with quotes and a confidence; validated: no broken Markdown.")
    ] = "text"
    verify: Annotated[bool, Meta(description="Check sentence by sentence what the cited sources support.")] = False
    intent: Annotated[
        IntentOption,
        Meta(
            description="Whether to answer, to list documents or to advise what to read; by default the question tells."
        ),
    ] = "auto"
    filter: Filter = field(default_factory=Filter)
    previous: Annotated[str | None, Meta(description="The id of the answer that the question follows up on.")] = None


class AnswerRequest(AnswerOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: Annotated[str, Meta(examples=["How many days of annual leave do I get?"])]


_RESPONSES = {
    200: ResponseSpec(
        Reply,
        generate_examples=False,
        description="The reply; with `Accept: text/event-stream` events, of which `done` carries it.",
    ),
    **documented(BAD_REQUEST, NOT_LOCAL, UNKNOWN_ANSWER, INDEX_UNAVAILABLE),
}


@post("/v1/answers", status_code=200, responses=_RESPONSES, guards=[json_in_and_out])
async def post_answer(request: Request[Any, Any, State], data: JSONBody[AnswerRequest]) -> Response[Any]:
    """Answer a question with citations; JSON, or an event stream for `Accept: text/event-stream`."""
    await check_types(request, AnswerRequest)
    work = await prepare(request, data)
    if wants_events(request):
        return Stream(events.stream(work, _name), media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})
    return Response(await events.unless_gone(request, work(lambda _: None)))


async def prepare(request: Request[Any, Any, State], data: AnswerRequest, earlier: str | None = None) -> events.Work:
    """What answers the request, once everything that may refuse it before the path starts has been asked.

    `earlier` is what the question before it was searched with, where the caller knows no kept answer to it.
    """
    services: Services = request.app.state.services
    about, previous = await _earlier(request, data)
    if about is not None and previous is not None:
        return _retelling(followups.retold(about, previous))
    ask = answering.ask(
        data.question,
        earlier=previous.searched if previous else earlier,
        top_k=data.top_k,
        citation_policy=data.citation_policy,
        citation_style=data.citation_style,
        mode=data.mode,
        verify=data.verify,
        intent=data.intent,
        scope=scope_of(request, data.filter.source_prefix, data.filter.tags),
        caller=caller_of(request).name,
    )
    index = await searching.open_index(services)
    work = tracing.continued(request.headers, lambda emit: answering.answer(ask, index, services, emit))
    return await limits.with_place(request, index, work)


async def _earlier(
    request: Request[Any, Any, State], data: AnswerRequest
) -> tuple[followups.AboutTheAnswer | None, KeptReply | None]:
    """Whether the question is about the answer it follows up on, and that answer."""
    if data.previous is None:
        return None, None
    question = normalise(data.question)
    return followups.about_the_answer(question), await evidence.earlier(request, data.previous, question)


def _retelling(reply: Reply) -> events.Work:
    async def tell(emit: answering.Emit) -> Reply:
        if reply.answer is not None:
            emit(SourcesEvent(reply.id, reply.revision or "", reply.sources))
            emit(Delta(reply.answer))
        log.info("answer.retold", id=reply.id, status=reply.status)
        return reply

    return tell


@get(
    "/v1/search",
    guards=[only_known_parameters],
    responses=documented(BAD_REQUEST, NOT_LOCAL, INDEX_UNAVAILABLE),
)
async def get_search(
    request: Request[Any, Any, State],
    q: FromQuery[str],
    top_k: FromQuery[int] = DEFAULT_TOP_K,
    source_prefix: FromQuery[str | None] = None,
    tags: FromQuery[list[str] | None] = None,
) -> SearchReply:
    """What a question would be answered from; no language model is called."""
    scope = scope_of(request, source_prefix, tuple(tags or ()))
    ask = answering.ask(q, top_k=top_k, intent="answer", scope=scope)
    return await found(ask, request.app.state.services)


async def found(ask: Ask, services: Services) -> SearchReply:
    """What would be answered from. Raises StoreError, ModelUnavailable, EmbeddingFailed, Overloaded and Problem."""
    index = await searching.open_index(services)
    check_embedder(index.embedder)
    try:
        async with services.deadlines.limit():
            candidates, decision = await searching.judged(ask, index, services)
    except OutOfTime as exc:
        raise Problem(OUT_OF_TIME, "Nothing was found in the time that a request has: try again.") from exc
    reason = decision.reason
    if reason is None and not packing.pack(decision.accepted, services.policy.context_tokens):
        reason = "nothing_packed"
    return SearchReply(
        candidates=[_found(packing.source(0, candidate)) for candidate in candidates],
        relevance=decision.relevance,
        would_answer=reason is None,
        reason=reason,
        revision=index.state.revision if index.state else None,
    )


def _name(event: SourcesEvent | Delta) -> str:
    return "sources" if isinstance(event, SourcesEvent) else "delta"


def _found(source: Source) -> Found:
    return Found(**{name: getattr(source, name) for name in Found.__struct_fields__})

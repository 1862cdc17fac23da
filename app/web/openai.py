"""POST /v1/chat/completions and GET /v1/models: the path of a question behind the OpenAI API."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody
from litestar.response import Response, Stream
from msgspec import Meta, Struct, structs

from app.answering import Delta, SourcesEvent
from app.core import openai_messages, openai_parameters
from app.core.model import Reply, Status
from app.core.openai_completion import MODEL, Chunk, Chunks, Completion, completion
from app.core.openai_messages import ChatMessage
from app.core.openai_parameters import Fault
from app.web import events
from app.web.answers import AnswerOptions, AnswerRequest, prepare
from app.web.bodies import check_types
from app.web.events import Done
from app.web.openai_errors import HANDLERS, ErrorReply, Refused, failed, failure

MAX_BODY_BYTES = 1024 * 1024
"""More than elsewhere: a conversation is sent whole each time."""

_EVENT_STREAM = "text/event-stream"
_STARTED = int(time.time())
_DONE = b"data: [DONE]\n\n"


_ERRORS = {
    status: ResponseSpec(ErrorReply, generate_examples=False, description=description)
    for status, description in {
        400: "The request is not valid, or asks for what can't be done here",
        401: "A valid key is needed",
        403: "This service answers only its own machine",
        429: "A limit of the caller is reached",
        404: "There is no such model, or no such answer to repeat",
        502: "The language model's reply can't be used",
        503: "The index or the language model does not answer",
        504: "The answer did not come in time",
    }.items()
}
_UNHEARD = {status: _ERRORS[status] for status in (401, 403)}
_COMPLETION = ResponseSpec(
    Completion, generate_examples=False, description="The completion; with `stream` chunks of one, as an event stream."
)


class StreamOptions(Struct, frozen=True):
    include_usage: bool | None = None


class ChatRequest(Struct, frozen=True, kw_only=True):
    """What is read of a request; `app.core.openai_parameters` says what becomes of the rest."""

    model: Annotated[str, Meta(examples=[MODEL])]
    messages: Annotated[
        tuple[ChatMessage, ...],
        Meta(min_length=1, examples=[[{"role": "user", "content": "How many days of annual leave do I get?"}]]),
    ]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    vouch: AnswerOptions | None = None
    """Options that the OpenAI API has no word for: `extra_body` in its SDK."""

    @property
    def with_usage(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)


class Model(Struct, frozen=True):
    id: str = MODEL
    created: int = _STARTED
    object: str = "model"
    owned_by: str = "vouch"


class Models(Struct, frozen=True):
    data: tuple[Model, ...] = (Model(),)
    object: str = "list"


@get("/models", responses=_UNHEARD)
async def get_models() -> Models:
    """The one model there is."""
    return Models()


@get("/models/{model:str}", responses={404: _ERRORS[404], **_UNHEARD})
async def get_model(model: FromPath[str]) -> Model:
    """That model by its name."""
    _require(model)
    return Model()


@post(
    "/chat/completions",
    status_code=200,
    request_max_body_size=MAX_BODY_BYTES,
    responses={200: _COMPLETION, **_ERRORS},
)
async def post_completion(request: Request[Any, Any, State], data: JSONBody[ChatRequest]) -> Response[Any]:
    """Answer the last message of the user, as a chat completion, or as chunks of one when `stream` is set.

    Its other messages are no evidence and never shown to a model; earlier questions may widen the search.
    """
    await check_types(request, ChatRequest)
    _check(await request.json(), data)
    conversation = openai_messages.read(data.messages)
    options = data.vouch or AnswerOptions()
    previous = options.previous or conversation.previous
    if conversation.about is not None and previous is None:
        conversation = conversation.asked_again()
    asked = AnswerRequest(question=conversation.question, **structs.asdict(options) | {"previous": previous})
    work = await prepare(request, asked, conversation.searched)
    if data.stream:
        chunks = Chunks(conversation.question, int(time.time()), with_usage=data.with_usage)
        return await _streamed(request, events.follow(work), conversation.question, chunks)
    reply = await events.unless_gone(request, work(lambda _: None))
    return _whole(reply, conversation.question)


router = Router("/v1", route_handlers=[get_models, get_model, post_completion], exception_handlers=HANDLERS)


def _check(body: dict[str, Any], data: ChatRequest) -> None:
    """Raises Refused."""
    if fault := openai_parameters.fault(body) or openai_messages.fault(data.messages):
        raise Refused(fault)
    _require(data.model)


def _require(model: str) -> None:
    if model != MODEL:
        message = f"The model '{model}' does not exist; the one there is goes by '{MODEL}'."
        raise Refused(Fault(message, "model", "model_not_found", 404))


def _whole(reply: Reply, question: str) -> Response[Any]:
    if reply.status is Status.FAILED:
        return failed(reply, question)
    return Response(completion(reply, question, int(time.time())))


async def _streamed(
    request: Request[Any, Any, State], items: AsyncGenerator[Any, None], question: str, chunks: Chunks
) -> Response[Any]:
    """The headers wait for the first text, or 15 s, so that a failure before them has a status of its own."""
    opening = await events.unless_gone(request, _until_text(items))
    match opening[-1]:
        case Done(result=Reply(status=Status.FAILED) as reply):
            return failed(reply, question)
    lines = _encoded(opening, items, question, chunks)
    return Stream(lines, media_type=_EVENT_STREAM, headers={"Cache-Control": "no-store"})


async def _until_text(items: AsyncGenerator[Any, None]) -> list[Any]:
    """All up to the first text, the first silence or the end."""
    opening: list[Any] = []
    while not opening or isinstance(opening[-1], SourcesEvent):
        opening.append(await anext(items))
    return opening


async def _encoded(
    opening: list[Any], items: AsyncGenerator[Any, None], question: str, chunks: Chunks
) -> AsyncIterator[bytes]:
    async with aclosing(items):
        for item in opening:
            yield _lines(item, question, chunks)
        async for item in items:
            yield _lines(item, question, chunks)
    yield _DONE


def _lines(item: Any, question: str, chunks: Chunks) -> bytes:
    match item:
        case None:
            return events.PING
        case SourcesEvent():
            chunks.start(item.id, item.revision or None)
            return b""
        case Delta():
            return _data(*chunks.text(item.text))
        case Done(result=Reply(status=Status.FAILED) as reply) if not chunks.spoken:
            return _data(failure(reply, question)[1])
        case Done():
            return _data(*chunks.end(item.result))
    raise TypeError(item)


def _data(*payloads: Chunk | ErrorReply) -> bytes:
    return b"".join(b"data: %b\n\n" % msgspec.json.encode(payload) for payload in payloads)

"""A reply in the shapes of the OpenAI chat API: a completion, or the chunks of a streamed one.

The text of a completion is the answer, or the sentence that says why there is none. What that API has no place for
stands in `vouch`: the reply as `POST /v1/answers` gives it. A message holds the id of its answer too, so that a
caller who sends the message back names the answer that the next question follows up on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from app.core.document_uri import document_uri
from app.core.model import Reply, Source, Status
from app.core.openai_messages import AnswerId
from app.core.packing import estimated_tokens

MODEL = "vouch"
"""The one model there is, whichever writes the answers."""

FinishReason = Literal["stop", "error"]


class UrlCitation(Struct, frozen=True):
    start_index: int
    end_index: int
    """The citation is content[start_index:end_index], in characters."""
    url: str
    title: str


class Annotation(Struct, frozen=True):
    url_citation: UrlCitation
    type: Literal["url_citation"] = "url_citation"


class Usage(Struct, frozen=True):
    """Estimates: of the question with the sources listed, and of the text. They say nothing about what was paid."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Vouch(Reply, frozen=True, kw_only=True):
    """The reply, and the question it answers: another one than was sent when that asked to repeat an answer."""

    question: str


class Message(Struct, frozen=True):
    content: str
    annotations: tuple[Annotation, ...]
    vouch: AnswerId
    role: Literal["assistant"] = "assistant"
    refusal: None = None
    """For a model's own refusals; a verdict is no such thing."""


class Choice(Struct, frozen=True):
    message: Message
    finish_reason: FinishReason
    index: int = 0
    logprobs: None = None


class Completion(Struct, frozen=True):
    id: str
    created: int
    system_fingerprint: str | None
    """The revision of the index: another one may give another answer."""
    choices: tuple[Choice, ...]
    usage: Usage
    vouch: Vouch
    model: str = MODEL
    object: Literal["chat.completion"] = "chat.completion"


class Delta(Struct, frozen=True):
    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    annotations: tuple[Annotation, ...] | UnsetType = UNSET
    vouch: AnswerId | UnsetType = UNSET


class ChunkChoice(Struct, frozen=True):
    delta: Delta
    finish_reason: FinishReason | None = None
    index: int = 0
    logprobs: None = None


class Chunk(Struct, frozen=True):
    id: str
    created: int
    system_fingerprint: str | None
    choices: tuple[ChunkChoice, ...]
    usage: Usage | UnsetType | None = UNSET
    """Where it was asked for: null but in the last chunk."""
    vouch: Vouch | UnsetType = UNSET
    model: str = MODEL
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"


def completion(reply: Reply, question: str, created: int) -> Completion:
    """A reply that did not fail. `created` is Unix time in seconds."""
    message = Message(_text(reply), _annotations(reply), AnswerId(reply.id))
    return Completion(
        id=_completion_id(reply.id),
        created=created,
        system_fingerprint=reply.revision,
        choices=(Choice(message, "stop"),),
        usage=_usage(reply, question),
        vouch=extension(reply, question),
    )


def extension(reply: Reply, question: str) -> Vouch:
    return Vouch(question=question, **{name: getattr(reply, name) for name in Reply.__struct_fields__})


class Chunks:
    """The chunks of one streamed completion: `text` for each piece, then `end`. `created` is Unix time in seconds."""

    def __init__(self, question: str, created: int, *, with_usage: bool) -> None:
        self._question = question
        self._created = created
        self._with_usage = with_usage
        self._answer_id = ""
        self._revision: str | None = None
        self._spoken = False

    @property
    def spoken(self) -> bool:
        """Whether the caller has got some text, which a failure can only take back."""
        return self._spoken

    def start(self, answer_id: str, revision: str | None) -> None:
        """What every chunk tells; before the first of them."""
        self._answer_id, self._revision = answer_id, revision

    def text(self, piece: str) -> Iterator[Chunk]:
        if not self._spoken:
            yield self._chunk(Delta(role="assistant", content=""))
        self._spoken = True
        yield self._chunk(Delta(content=piece))

    def end(self, reply: Reply) -> Iterator[Chunk]:
        """The end of a reply that did not fail before its first text."""
        self.start(reply.id, reply.revision)
        if not self._spoken:
            yield from self.text(_text(reply))
        last = Delta(annotations=_annotations(reply), vouch=AnswerId(reply.id))
        finish_reason: FinishReason = "error" if reply.status is Status.FAILED else "stop"
        yield self._chunk(last, finish_reason, extension(reply, self._question))
        if self._with_usage:
            yield self._made((), usage=_usage(reply, self._question))

    def _chunk(
        self, delta: Delta, finish_reason: FinishReason | None = None, vouch: Vouch | UnsetType = UNSET
    ) -> Chunk:
        choice = ChunkChoice(delta, finish_reason)
        return self._made((choice,), usage=None if self._with_usage else UNSET, vouch=vouch)

    def _made(
        self, choices: tuple[ChunkChoice, ...], usage: Usage | UnsetType | None, vouch: Vouch | UnsetType = UNSET
    ) -> Chunk:
        id, revision = _completion_id(self._answer_id), self._revision
        return Chunk(id, self._created, revision, choices, usage=usage, vouch=vouch)


def _completion_id(answer_id: str) -> str:
    return f"chatcmpl-{answer_id}"


def _text(reply: Reply) -> str:
    return reply.message if reply.answer is None else reply.answer


def _annotations(reply: Reply) -> tuple[Annotation, ...]:
    sources = {source.number: source for source in reply.sources}
    return tuple(Annotation(_citation(sources[marker.number], marker.start, marker.end)) for marker in reply.markers)


def _citation(source: Source, start: int, end: int) -> UrlCitation:
    return UrlCitation(start, end, source.url or document_uri(source.document_id), source.title)


def _usage(reply: Reply, question: str) -> Usage:
    read = estimated_tokens(question) + sum(
        estimated_tokens(source.title) + estimated_tokens(source.text) for source in reply.sources
    )
    written = estimated_tokens(_text(reply))
    return Usage(read, written, read + written)

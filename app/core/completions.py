"""Reading the events of an OpenAI-compatible `/chat/completions` stream."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from app.errors import AnswererFailed

_UNFIT_ENDINGS = {
    "length": "answer_truncated",
    "max_tokens": "answer_truncated",
    "model_length": "answer_truncated",
    "model_context_window_exceeded": "answer_truncated",
    "content_filter": "content_filtered",
    "sensitive": "content_filtered",
    "safety": "content_filtered",
    "recitation": "content_filtered",
    "prohibited_content": "content_filtered",
    "error": "provider_error",
    "network_error": "provider_error",
    "insufficient_system_resource": "provider_error",
    "tool_calls": "provider_protocol",
    "function_call": "provider_protocol",
}
"""Reason codes by finish reason, of OpenAI and of Mistral, DeepSeek, Z.ai, Gemini and OpenRouter. One that is not
listed counts as finished: endpoints name a normal end in their own ways (`eos`, `end_turn`, `STOP`)."""

_SENTENCES = {
    "answer_truncated": "The chat model stopped at its length limit; ask a narrower question.",
    "content_filtered": "The chat model's provider filtered the answer; put the question in other words.",
    "provider_error": "The chat endpoint reported an error while it answered; try again later.",
    "provider_protocol": "The chat model called a tool, though none was offered; choose another CHAT_MODEL.",
}


class _Part(Struct):
    type: str = ""
    text: str | None = None


class _Delta(Struct):
    content: str | list[_Part] | None = None
    tool_calls: Any = None
    function_call: Any = None

    @property
    def text(self) -> str:
        """The answer's part; thoughts and refusals come in fields and parts of their own."""
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content if part.type == "text")
        return self.content or ""


class _Choice(Struct):
    index: int | None = 0
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(Struct):
    """One event. `error`, or `object` with that value, stands in place of an answer."""

    choices: list[_Choice] | None = None
    error: Any = None
    kind: Any = field(name="object", default=None)

    @property
    def failed(self) -> bool:
        return bool(self.error) or self.kind == "error"

    @property
    def first(self) -> _Choice:
        """The choice that was asked for. There is none in chunks that only count tokens or check the prompt."""
        return next((choice for choice in self.choices or () if not choice.index), _Choice())


def read(data: str, event: str = "") -> tuple[str, bool]:
    """The text that an event adds to the answer, and whether it says that the answer is complete.

    `event` is the event's type, seldom set. Raises AnswererFailed for an error, an answer that ended unfinished,
    and what is no chunk of a completion; no message repeats the provider's words.
    """
    if data in ("", "[DONE]"):
        return "", bool(data)
    chunk = _decode(data)
    if chunk.failed or event == "error":
        raise _failure("provider_error")
    choice = chunk.first
    delta = choice.delta or _Delta()
    if delta.tool_calls or delta.function_call:
        raise _failure("provider_protocol")
    if reason := _UNFIT_ENDINGS.get((choice.finish_reason or "").lower()):
        raise _failure(reason)
    return delta.text, bool(choice.finish_reason)


def check_plain(body: bytes) -> None:
    """Raises AnswererFailed for a JSON body that holds an error object, or that is no JSON object."""
    if _decode(body).failed:
        raise _failure("provider_error")


def _decode(data: str | bytes) -> _Chunk:
    try:
        return msgspec.json.decode(data, type=_Chunk)
    except (msgspec.DecodeError, RecursionError) as exc:
        message = "The chat endpoint sent what is not a chat completion; check CHAT_BASE_URL."
        raise AnswererFailed("provider_protocol", message) from exc


def _failure(reason: str) -> AnswererFailed:
    return AnswererFailed(reason, _SENTENCES[reason])

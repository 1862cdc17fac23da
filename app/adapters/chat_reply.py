"""The reply of a chat endpoint before it is read as an answer: its status, its headers, its events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import httpx
from httpx_sse import EventSource, ServerSentEvent

from app.core import completions
from app.errors import AnswererFailed

EVENT_LIMIT = 1 << 20
"""Bytes kept while an event has no end. A chunk of an answer takes a few hundred."""

_HINTS = {
    400: "check that CHAT_MODEL exists there and takes chat completions",
    401: "check CHAT_API_KEY",
    403: "check CHAT_API_KEY",
    404: "check CHAT_BASE_URL and CHAT_MODEL",
    429: "it limits requests, so try again later",
}


class FormatRefused(AnswererFailed):
    """The endpoint takes no `response_format`, as far as its reply tells."""


class Rejected(AnswererFailed):
    """The endpoint answered with an error status. `retry_after_s` is when it may be asked again, if it said so."""

    def __init__(self, message: str, status: int, retry_after_s: float | None) -> None:
        super().__init__("provider_error", message)
        self.status = status
        self.retry_after_s = retry_after_s


async def check_format(response: httpx.Response) -> None:
    """Raises FormatRefused for a reply that may mean a `response_format`: a 400, or a 422 that names it."""
    status = response.status_code
    if status == 400 or (status == 422 and b"response_format" in await _start_of_body(response)):
        raise FormatRefused("provider_error", "The chat endpoint takes no response_format.")


async def check(response: httpx.Response) -> None:
    """Raises AnswererFailed unless an event stream follows. No message repeats the provider's words."""
    status = response.status_code
    if status >= 400:
        hint = _HINTS.get(status, "try again later")
        message = f"The chat endpoint refused the request (HTTP {status}): {hint}."
        raise Rejected(message, status, _seconds(response.headers.get("retry-after", "")))
    if status != 200:
        message = f"The chat endpoint answered HTTP {status} and no stream (redirects are not followed)."
        raise AnswererFailed("provider_protocol", message)
    if response.headers.get("content-encoding", "identity") != "identity":
        raise AnswererFailed("provider_protocol", "The chat endpoint compressed its reply, which was not asked for.")
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "application/json":
        completions.check_plain(await _start_of_body(response))
    if media_type != "text/event-stream":
        message = "The chat endpoint did not answer with an event stream; check CHAT_BASE_URL."
        raise AnswererFailed("provider_protocol", message)


def _seconds(retry_after: str) -> float | None:
    """The header in seconds; None for a date, which asks for more patience than a question has."""
    return float(retry_after) if retry_after.isascii() and retry_after.isdecimal() else None


async def _start_of_body(response: httpx.Response) -> bytes:
    """The body, or as much of it as may be kept."""
    body = bytearray()
    async for data in response.aiter_bytes():
        body += data
        if len(body) > EVENT_LIMIT:
            break
    return bytes(body)


class Body(httpx.AsyncByteStream):
    """The body of a reply on its way to the event parser, which keeps all it gets until an event ends."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._pending = 0

    async def events(self) -> AsyncGenerator[ServerSentEvent, None]:
        # An event stream is UTF-8 whatever its header says, and may open with a byte order mark.
        headers = {"content-type": "text/event-stream; charset=utf-8-sig"}
        source = EventSource(httpx.Response(200, headers=headers, stream=self))
        async with aclosing(source.aiter_sse()) as events:
            async for event in events:
                self._pending = 0
                yield event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._response.aiter_bytes():
            self._pending += len(data)
            if self._pending > EVENT_LIMIT:
                raise AnswererFailed("provider_protocol", "The chat endpoint sent an event that is far too long.")
            yield data
        yield b"\n\n"  # some endpoints leave out the blank line that makes the last event count

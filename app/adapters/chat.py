"""The answerer that asks a language model: an OpenAI-compatible endpoint, streamed over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

import httpx
from httpx_sse import EventSource, ServerSentEvent

from app.core import completions, prompt
from app.core.model import Source
from app.core.thinking import ThinkingFilter
from app.errors import AnswererFailed, SettingsError

CONNECT_TIMEOUT_S = 5.0
EVENT_LIMIT = 1 << 20
"""Bytes kept while an event has no end. A chunk of an answer takes a few hundred."""
TAIL_S = 0.25
"""How long what follows the end of an answer may take. It mostly comes at once, and when it is read to its end
the next question can use the same connection."""

_HINTS = {
    400: "check that CHAT_MODEL exists there and takes chat completions",
    401: "check CHAT_API_KEY",
    403: "check CHAT_API_KEY",
    404: "check CHAT_BASE_URL and CHAT_MODEL",
    429: "it limits requests, so try again later",
}


class ChatAnswerer:
    """The port `Answerer` on a ready client (see `connect`).

    `base_url` is what stands before `/chat/completions` (a query is kept); `deadline_s` is for the whole reply.
    Raises SettingsError for a URL or a key that no request can carry.
    """

    name = "chat"

    def __init__(
        self, client: httpx.AsyncClient, *, base_url: str, model: str, api_key: str, deadline_s: float
    ) -> None:
        self.model = model
        self._client = client
        self._url = _completions_url(base_url)
        self._headers = _headers(api_key)
        self._deadline_s = deadline_s

    async def stream(self, question: str, sources: Sequence[Source]) -> AsyncGenerator[str, None]:
        """The answer's text in pieces, without the model's thoughts. Raises AnswererFailed."""
        thinking = ThinkingFilter()
        async with aclosing(self._written(prompt.build(question, sources))) as pieces:
            async for piece in pieces:
                if text := thinking.feed(piece):
                    yield text
        if text := thinking.flush():
            yield text

    async def _written(self, messages: list[dict[str, str]]) -> AsyncGenerator[str, None]:
        """What the model writes, until it says that the answer is complete and at most TAIL_S longer."""
        now = asyncio.get_running_loop().time
        deadline = until = now() + self._deadline_s
        complete = False
        async with aclosing(self._events(messages)) as events:
            while event := await self._next(events, until, complete):
                text, ends = completions.read(event.data, event.event)
                if text:
                    yield text
                complete = complete or ends
                if complete and (text or ends):
                    until = min(deadline, now() + TAIL_S)
        if not complete:
            raise AnswererFailed("provider_protocol", "The chat endpoint's stream broke off; try again.")

    async def _next(
        self, events: AsyncIterator[ServerSentEvent], until: float, complete: bool
    ) -> ServerSentEvent | None:
        """The next event, or None at the end: for a complete answer also when its tail breaks or is late.

        Each read has the timeout, not all of them together: that one would fire in the code that takes the pieces
        and cancel it.
        """
        try:
            async with asyncio.timeout_at(until):
                return await anext(events, None)
        except TimeoutError as exc:
            if not complete:
                raise self._too_late() from exc
        except AnswererFailed:
            if not complete:
                raise
        return None

    async def _events(self, messages: list[dict[str, str]]) -> AsyncGenerator[ServerSentEvent, None]:
        # No `stream_options`: nothing here reads the usage, and some endpoints refuse fields they do not know.
        # No `temperature` either: reasoning models refuse every value but their own.
        body = {"model": self.model, "messages": messages, "stream": True}
        try:
            async with self._client.stream(
                "POST", self._url, json=body, headers=self._headers, follow_redirects=False
            ) as response:
                await _check(response)
                async with aclosing(_Body(response).events()) as events:
                    async for event in events:
                        yield event
        except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
            message = "The chat endpoint can't be reached; check CHAT_BASE_URL and that it is running."
            raise AnswererFailed("provider_unreachable", message) from exc
        except httpx.TimeoutException as exc:
            raise self._too_late() from exc
        except httpx.HTTPError as exc:
            message = "The connection to the chat endpoint broke off; try again."
            raise AnswererFailed("provider_protocol", message) from exc

    def _too_late(self) -> AnswererFailed:
        message = f"The chat model did not finish within {self._deadline_s:g} s; try again, or raise CHAT_DEADLINE_S."
        return AnswererFailed("provider_timeout", message)


class _Body(httpx.AsyncByteStream):
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


def connect(deadline_s: float) -> httpx.AsyncClient:
    """A client for one chat endpoint, which the caller closes. No proxy and no redirect gets to see the key."""
    return httpx.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(deadline_s, connect=min(deadline_s, CONNECT_TIMEOUT_S)),
        # Many servers close a connection after 5 s of rest; one kept for longer would fail the next question.
        limits=httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=4.0),
    )


def _completions_url(base_url: str) -> httpx.URL:
    try:
        base = httpx.URL(base_url)
        if (base.port or 0) > 65_535:
            raise httpx.InvalidURL("no such port")
    except httpx.InvalidURL as exc:
        raise SettingsError("CHAT_BASE_URL must be a URL such as https://api.openai.com/v1.") from exc
    return base.copy_with(path=base.path.rstrip("/") + "/chat/completions")


def _headers(api_key: str) -> dict[str, str]:
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise SettingsError("CHAT_API_KEY must be printable ASCII characters without a space.")
    # A compressed stream would come late, and could grow without bound on its way to the parser.
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
    return {**headers, "Authorization": f"Bearer {api_key}"} if api_key else headers


async def _check(response: httpx.Response) -> None:
    """Raises AnswererFailed unless an event stream follows. No message repeats the provider's words."""
    status = response.status_code
    if status >= 400:
        hint = _HINTS.get(status, "try again later")
        raise AnswererFailed("provider_error", f"The chat endpoint refused the request (HTTP {status}): {hint}.")
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


async def _start_of_body(response: httpx.Response) -> bytes:
    """The body, or as much of it as may be kept."""
    body = bytearray()
    async for data in response.aiter_bytes():
        body += data
        if len(body) > EVENT_LIMIT:
            break
    return bytes(body)

"""The answerer that asks a language model: an OpenAI-compatible endpoint, streamed over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import httpx
from httpx_sse import ServerSentEvent
from msgspec import Struct

from app import metering, tracing
from app.adapters.chat_reply import Body, FormatRefused, check, check_format
from app.core import completions, prompt, structured
from app.core.model import Source
from app.core.packing import estimated_tokens
from app.core.thinking import ThinkingFilter
from app.errors import AnswererFailed, SettingsError
from app.metrics import CALLS_IN_PROGRESS

CONNECT_TIMEOUT_S = 5.0
TAIL_S = 0.25
"""How long what follows the end of an answer may take. It mostly comes at once, and when it is read to its end
the next question can use the same connection."""
MAX_COMPLETION = 64_000
"""Characters of a completion that is handed over whole."""


class TimeLimit(Struct, frozen=True):
    """Loop times by which a reply must be complete, and by which it must have begun."""

    until: float
    begun_by: float


class ChatAnswerer:
    """The ports `Answerer` and `Completer` on a ready client (see `connect`).

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
        self._refuses_format = False

    def deadline(self) -> float:
        """The loop time at which a reply that is asked for now must be complete."""
        return asyncio.get_running_loop().time() + self._deadline_s

    async def stream(
        self, question: str, sources: Sequence[Source], *, limit: TimeLimit | None = None
    ) -> AsyncGenerator[str, None]:
        """The answer's text in pieces, without the model's thoughts. Raises AnswererFailed."""
        body = self._body(prompt.build(question, sources))
        async with aclosing(self._answer(body, limit or _whole(self.deadline()))) as pieces:
            async for piece in pieces:
                yield piece

    async def draft(self, question: str, sources: Sequence[Source]) -> structured.Draft:
        """The answer and its quotes, as the model claims them. Raises AnswererFailed, StructuredFault included."""
        messages = prompt.build_structured(question, sources)
        return structured.parse(await self.complete(messages, schema=structured.SCHEMA))

    async def complete(
        self,
        messages: prompt.Messages,
        *,
        schema: Mapping[str, Any] | None = None,
        until: float | None = None,
        begun_by: float | None = None,
    ) -> str:
        """What the model replies to `messages`, whole and without its thoughts. Raises AnswererFailed.

        `schema` is asked for through `response_format`. When the endpoint may have refused that, it is asked once
        more, with the schema told in the messages; and it is spared the attempt from then on if that was answered.
        All of it ends by `until`, a loop time (see `deadline`); the default is a deadline of its own. The model must
        begin by `begun_by`.
        """
        limit = _whole(self.deadline() if until is None else until)
        limit = limit if begun_by is None else TimeLimit(limit.until, begun_by)
        if schema and not self._refuses_format:
            try:
                return await self._joined(self._body(messages, schema), limit)
            except FormatRefused:
                pass
        text = await self._joined(self._body(prompt.with_schema(messages, schema) if schema else messages), limit)
        self._refuses_format = self._refuses_format or bool(schema)
        return text

    async def _joined(self, body: dict[str, Any], limit: TimeLimit) -> str:
        text = ""
        async with aclosing(self._answer(body, limit)) as pieces:
            async for piece in pieces:
                text += piece
                if len(text) > MAX_COMPLETION:
                    raise AnswererFailed("answer_too_long", "The chat model wrote without an end; ask again.")
        return text

    async def _answer(self, body: dict[str, Any], limit: TimeLimit) -> AsyncGenerator[str, None]:
        """What the model writes, without its thoughts."""
        thinking = ThinkingFilter()
        async with aclosing(self._written(body, limit)) as pieces:
            async for piece in pieces:
                if text := thinking.feed(piece):
                    yield text
        if text := thinking.flush():
            yield text

    async def _written(self, body: dict[str, Any], limit: TimeLimit) -> AsyncGenerator[str, None]:
        """What `_pieces` gives, counted."""
        metering.count_tokens("prompt", sum(estimated_tokens(message["content"]) for message in body["messages"]))
        with CALLS_IN_PROGRESS.labels("chat").track_inprogress():
            async with aclosing(self._pieces(body, limit)) as pieces:
                async for piece in pieces:
                    metering.count_tokens("completion", estimated_tokens(piece))
                    yield piece

    async def _pieces(self, body: dict[str, Any], limit: TimeLimit) -> AsyncGenerator[str, None]:
        """What the model writes, until it says that the answer is complete and at most TAIL_S longer."""
        now = asyncio.get_running_loop().time
        until, complete = limit.begun_by, False
        async with aclosing(self._events(body)) as events:
            while event := await self._next(events, until, complete):
                text, ends = completions.read(event.data, event.event)
                until = until if complete else limit.until
                if text:
                    yield text
                complete = complete or ends
                if complete and (text or ends):
                    until = min(limit.until, now() + TAIL_S)
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

    def _body(self, messages: prompt.Messages, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        # No `stream_options`: nothing here reads the usage, and some endpoints refuse fields they do not know.
        # No `temperature` either: reasoning models refuse every value but their own.
        body: dict[str, Any] = {"model": self.model, "messages": messages, "stream": True}
        if schema:
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body

    async def _events(self, body: dict[str, Any]) -> AsyncGenerator[ServerSentEvent, None]:
        try:
            async with self._client.stream(
                "POST", self._url, json=body, headers={**self._headers, **tracing.headers()}, follow_redirects=False
            ) as response:
                if "response_format" in body:
                    await check_format(response)
                await check(response)
                async with aclosing(Body(response).events()) as events:
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


def connect(deadline_s: float) -> httpx.AsyncClient:
    """A client for one chat endpoint, which the caller closes. No proxy and no redirect gets to see the key."""
    return httpx.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(deadline_s, connect=min(deadline_s, CONNECT_TIMEOUT_S)),
        # Many servers close a connection after 5 s of rest; one kept for longer would fail the next question.
        limits=httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=4.0),
    )


def _whole(deadline: float) -> TimeLimit:
    """A limit that lets the reply begin as late as it must be complete."""
    return TimeLimit(deadline, deadline)


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

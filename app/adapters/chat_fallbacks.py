"""Several chat endpoints as one answerer: the next is asked when one fails before it began to write."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from app.adapters.breaker import Breaker
from app.adapters.chat import ChatAnswerer, TimeLimit
from app.adapters.chat_reply import Rejected
from app.core import prompt, structured
from app.core.model import Source
from app.core.retry_budget import RetryBudget
from app.errors import AnswererFailed
from app.logs import log
from app.metrics import CHAT_CIRCUIT, CHAT_FALLBACKS, CHAT_RETRIES

MAX_RETRY_AFTER_S = 2.0
"""An endpoint that wants more patience than this is not asked again for the same question."""
_RECONNECT_S = (0.05, 0.25)
_JITTER_S = (0.0, 0.25)
_OUTAGES = frozenset({"provider_unreachable", "provider_timeout", "provider_error", "provider_protocol"})
"""What may go better elsewhere. A filtered answer is none: another model is not there to get around the filter."""
_OVERLOADED = frozenset({408, 429})
"""Of the client errors, those that say something of the endpoint and not of the request."""

_Pieces = AsyncGenerator[str, None]
_Ask = Callable[[ChatAnswerer, TimeLimit], _Pieces]


@dataclass(frozen=True)
class _Endpoint:
    answerer: ChatAnswerer
    label: str
    breaker: Breaker = field(default_factory=Breaker)

    def report(self, failure: AnswererFailed | None) -> None:
        """Tell the breaker how a call went. A request that was refused for its content says nothing of the endpoint."""
        if isinstance(failure, Rejected) and failure.status < 500 and failure.status not in _OVERLOADED:
            return
        if failure is None or failure.reason not in _OUTAGES:
            self.breaker.succeeded()
        else:
            self.breaker.failed()
        CHAT_CIRCUIT.labels(self.label).set(self.breaker.state != "closed")


class ChatFallbacks:
    """The port `AnswererPool` on chat endpoints in the order in which they are to be asked."""

    name = "chat"

    def __init__(self, answerers: Sequence[ChatAnswerer]) -> None:
        self._endpoints = [_Endpoint(answerer, str(number)) for number, answerer in enumerate(answerers)]
        self._budget = RetryBudget()
        for endpoint in self._endpoints:
            CHAT_CIRCUIT.labels(endpoint.label).set(0)

    @property
    def model(self) -> str:
        return self._endpoints[0].answerer.model

    def begin(self) -> ChatTurn:
        return ChatTurn(self._endpoints, self._budget)

    def condition(self) -> tuple[bool, str]:
        states = [f"{endpoint.answerer.model} (circuit {endpoint.breaker.state})" for endpoint in self._endpoints]
        works = any(endpoint.breaker.state == "closed" for endpoint in self._endpoints)
        return works, f"{self.name}: {', then '.join(states)}"


class ChatTurn:
    """The ports `Answerer` and `Completer` for one request, which ends by one deadline whoever answers.

    While others are left, an endpoint must begin within an equal share of the time that is left. The last one is
    asked again, once, where that is safe: it could not be reached, or said itself that it may be asked again soon.
    """

    name = "chat"

    def __init__(self, endpoints: Sequence[_Endpoint], budget: RetryBudget) -> None:
        self.model = endpoints[0].answerer.model
        self._endpoints = endpoints
        self._budget = budget
        self._retried = False

    def deadline(self) -> float:
        return self._endpoints[0].answerer.deadline()

    async def stream(self, question: str, sources: Sequence[Source]) -> _Pieces:
        def ask(answerer: ChatAnswerer, limit: TimeLimit) -> _Pieces:
            return answerer.stream(question, sources, limit=limit)

        async with aclosing(self._first_that_works(ask, self.deadline())) as pieces:
            async for piece in pieces:
                yield piece

    async def draft(self, question: str, sources: Sequence[Source]) -> structured.Draft:
        messages = prompt.build_structured(question, sources)
        return structured.parse(await self.complete(messages, schema=structured.SCHEMA))

    async def complete(
        self, messages: prompt.Messages, *, schema: Mapping[str, Any] | None = None, until: float | None = None
    ) -> str:
        async def ask(answerer: ChatAnswerer, limit: TimeLimit) -> _Pieces:
            yield await answerer.complete(messages, schema=schema, until=limit.until, begun_by=limit.begun_by)

        async with aclosing(self._first_that_works(ask, self.deadline() if until is None else until)) as pieces:
            return "".join([piece async for piece in pieces])

    async def _first_that_works(self, ask: _Ask, until: float) -> _Pieces:
        self._budget.request()
        failure = AnswererFailed(
            "provider_unreachable", "The chat endpoint failed just now; try again in some seconds."
        )
        left = deque(self._endpoints)
        while left:
            endpoint = left.popleft()
            if not endpoint.breaker.admits():
                continue
            self.model, begun = endpoint.answerer.model, False
            try:
                async with aclosing(ask(endpoint.answerer, _share(until, len(left) + 1))) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
            except AnswererFailed as exc:
                endpoint.report(exc)
                if begun or exc.reason not in _OUTAGES:
                    raise
                failure = exc
            else:
                endpoint.report(None)
                return
            await self._prepare_next(left, endpoint, failure, until)
        raise failure

    async def _prepare_next(
        self, left: deque[_Endpoint], failed: _Endpoint, failure: AnswererFailed, until: float
    ) -> None:
        """See to it that `left` begins with whom to ask next, which may be `failed` again after a pause."""
        if left:
            CHAT_FALLBACKS.labels(failure.reason).inc()
            log.warning("chat.falls_back", reason=failure.reason, problem=str(failure), failed=failed.answerer.model)
            return
        pause = _pause(failure)
        in_time = pause is not None and asyncio.get_running_loop().time() + pause < until
        if pause is None or not in_time or self._retried or not self._budget.retry():
            return
        self._retried = True
        CHAT_RETRIES.inc()
        await asyncio.sleep(pause)
        left.append(failed)


def _share(until: float, endpoints: int) -> TimeLimit:
    now = asyncio.get_running_loop().time()
    return TimeLimit(until, now + (until - now) / endpoints)


def _pause(failure: AnswererFailed) -> float | None:
    """Seconds after which the same endpoint may be asked again; None when that is not safe, or vain."""
    if failure.reason == "provider_unreachable":
        return random.uniform(*_RECONNECT_S)  # noqa: S311 - spreads callers in time
    if not isinstance(failure, Rejected) or failure.status not in (429, 503) or failure.retry_after_s is None:
        return None
    if failure.retry_after_s > MAX_RETRY_AFTER_S:
        return None
    return failure.retry_after_s + random.uniform(*_JITTER_S)  # noqa: S311

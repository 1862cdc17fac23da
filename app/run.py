"""One request on its way, and the account given of it at the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from msgspec import UNSET, structs

from app import tracing
from app.core import verdict
from app.core.model import Extras, Intent, Marker, Relevance, Reply, Source, Status
from app.errors import StoreUnavailable
from app.logs import log
from app.metrics import ANSWERS, CACHE_REQUESTS, STAGE_SECONDS

_T = TypeVar("_T")


@dataclass
class Run:
    """One request on its way: what its reply will say, whichever way it ends."""

    revision: str | None
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    relevance: Relevance | None = None
    model: str | None = None
    intent: Intent = "answer"
    packed: tuple[Source, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    _started: float = field(default_factory=time.perf_counter)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with tracing.span(f"vouch.{name}"):
                yield
        finally:
            self.timings_ms[name] = _milliseconds(started)

    async def timed(self, name: str, work: Awaitable[_T]) -> _T:
        with self.stage(name):
            return await work

    def for_all(self) -> Run:
        """The run of work that is begun by this one and shared with others: it takes its time on this one's account."""
        return replace(self)

    def gathered(self, sources: tuple[Source, ...], relevance: Relevance, model: str | None) -> bool:
        """Take note of what the answer is made from. False when that is known already: the work was begun anew.

        Raises StoreUnavailable when it is not the same: what was shown can't be taken back.
        """
        if self.packed and self.packed != sources:
            raise StoreUnavailable("The index changed while the question was asked again; ask once more.")
        known = bool(self.packed)
        self.packed, self.relevance, self.model = sources, relevance, model
        return not known

    def adopted(self, reply: Reply) -> Reply:
        """The reply to this run's request, when it was made for another one."""
        if reply.id == self.id:
            return reply
        timings = {**self.timings_ms, "total": _milliseconds(self._started)}
        return structs.replace(reply, id=self.id, timings_ms=timings)

    def refused(self, reason: str, relevance: Relevance | None) -> Reply:
        self.relevance = relevance
        return self.reply(Status.REFUSED, reason)

    def failed(self, reason: str) -> Reply:
        return self.reply(Status.FAILED, reason)

    def reply(
        self,
        status: Status,
        reason: str | None,
        *,
        answer: str | None = None,
        sources: tuple[Source, ...] = (),
        cited: tuple[int, ...] = (),
        markers: tuple[Marker, ...] = (),
        dropped: tuple[str, ...] = (),
        extras: Extras = Extras(),  # noqa: B008 - frozen
        cached: bool = False,
    ) -> Reply:
        extras = structs.replace(extras, intent=UNSET if self.intent == "answer" else self.intent)
        return Reply(
            id=self.id,
            status=status,
            reason=reason,
            message=verdict.message(reason, self.relevance),
            answer=answer,
            sources=sources,
            cited=cited,
            markers=markers,
            dropped=dropped,
            relevance=self.relevance,
            cached=cached,
            revision=self.revision,
            model=self.model,
            timings_ms={**self.timings_ms, "total": _milliseconds(self._started)},
            **{name: getattr(extras, name) for name in Extras.__struct_fields__},
        )


def _milliseconds(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 2)


def outcome(reply: Reply) -> dict[str, str | bool | int]:
    """What a trace tells of an answer."""
    return {
        "vouch.status": reply.status.value,
        "vouch.reason": reply.reason or "",
        "vouch.intent": reply.intent or "answer",
        "vouch.cached": reply.cached,
        "vouch.cited": len(reply.cited),
        "vouch.dropped": len(reply.dropped),
        "vouch.revision": reply.revision or "",
        "vouch.model": reply.model or "",
    }


def account(reply: Reply, question: str | None = None) -> None:
    """Count the answer, and log one line that explains it: never with a document's text, with the question if given."""
    ANSWERS.labels(reply.status, reply.reason or "", str(reply.cached).lower()).inc()
    if "cache" in reply.timings_ms:
        CACHE_REQUESTS.labels("hit" if reply.cached else "miss").inc()
    for stage, milliseconds in reply.timings_ms.items():
        STAGE_SECONDS.labels(stage).observe(milliseconds / 1000)
    log.info(
        "answer.done",
        id=reply.id,
        intent=reply.intent or "answer",
        status=reply.status,
        reason=reply.reason,
        cached=reply.cached,
        cited=reply.cited,
        dropped=len(reply.dropped),  # a foreign id may hold words of a document
        best=reply.relevance.best if reply.relevance else None,
        answerability=reply.relevance.answerability if reply.relevance else None,
        revision=reply.revision,
        timings_ms=reply.timings_ms,
        **({"question": question} if question else {}),
    )

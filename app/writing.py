"""Having an answer written in the mode that was asked for, and letting through only what may be shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

from msgspec import Struct, structs

from app import metering
from app.core import prompt, verdict
from app.core.abstention import AbstentionHold
from app.core.citation_text import MarkerText
from app.core.citations import CitationFilter
from app.core.grounding import ground
from app.core.links import Links
from app.core.markdown_faults import faults
from app.core.model import Extras, Marker, Source
from app.core.structured import StructuredFault
from app.errors import AnswererFailed
from app.metrics import CITATIONS_DROPPED, LINKS_DEFANGED, QUOTES_REJECTED, STRUCTURED_PARSE_FAILURES
from app.ports import Answerer, Completer
from app.request import Mode

MAX_ANSWER_LENGTH = 16_000
"""Characters shown; past it the answer is stopped."""
_MAX_WRITTEN = 4 * MAX_ANSWER_LENGTH
"""Characters the model may write for that, removed markers included."""


class Written(Struct, frozen=True):
    """A finished text. `model` says whose it is."""

    text: str
    abstained: bool
    markers: tuple[Marker, ...]
    dropped: tuple[str, ...]
    model: str
    extras: Extras = Extras()

    @property
    def valid(self) -> frozenset[int]:
        return frozenset(marker.number for marker in self.markers)


class Screen:
    """What stands between a model's text and the caller: the citation filter, the abstention, the limits."""

    def __init__(self, source_count: int, links: Links, show: Callable[[str], None]) -> None:
        self._citations = CitationFilter(source_count, links=links)
        self._hold = AbstentionHold()
        self._show = show
        self._shown: list[str] = []
        self._length = self._written = 0

    def feed(self, piece: str) -> None:
        """Raises AnswererFailed when the answer grows too long."""
        self._written += len(piece)
        if self._written > _MAX_WRITTEN:  # before it is filtered: a piece may be a megabyte
            raise _too_long()
        self._release(self._hold.feed(self._citations.feed(piece)))

    def finish(self, model: str) -> Written:
        self._release(self._hold.feed(self._citations.flush()))
        self._release(self._hold.flush())
        for form in self._citations.dropped_forms:
            CITATIONS_DROPPED.labels(form).inc()
        LINKS_DEFANGED.inc(self._citations.defanged)
        markers, dropped = tuple(self._citations.markers), tuple(self._citations.dropped)
        return Written("".join(self._shown), self._hold.abstained, markers, dropped, model)

    def _release(self, text: str) -> None:
        self._length += len(text)
        if self._length > MAX_ANSWER_LENGTH:
            raise _too_long()
        if text:
            self._shown.append(text)
            self._show(text)


def composed(text: str, author: str, source_count: int, links: Links, show: Callable[[str], None]) -> Written:
    """A text of our own, let through as a model's is. Raises AnswererFailed."""
    screen = Screen(source_count, links, show)
    screen.feed(text)
    return screen.finish(author)


def _too_long() -> AnswererFailed:
    return AnswererFailed("answer_too_long", verdict.message("answer_too_long"))


class Writer:
    """Writes with `answerer`; `fallback` stands in where a model's text can't be used."""

    def __init__(self, answerer: Answerer, fallback: Answerer) -> None:
        self._answerer = answerer
        self._fallback = fallback

    async def write(
        self, mode: Mode, question: str, sources: Sequence[Source], links: Links, show: Callable[[str], None]
    ) -> Written:
        """The answer, shown piece by piece in mode `text`, in one piece otherwise. Raises AnswererFailed."""
        screen = Screen(len(sources), links, show)
        metering.count_call(self._answerer.name)
        match mode:
            case "structured":
                return await self._structured(question, sources, screen)
            case "validated" if isinstance(self._answerer, Completer):
                return await self._validated(self._answerer, question, sources, screen)
        return await _streamed(self._answerer, question, sources, screen)

    async def _structured(self, question: str, sources: Sequence[Source], screen: Screen) -> Written:
        try:
            draft = await self._answerer.draft(question, sources)
        except StructuredFault as fault:
            STRUCTURED_PARSE_FAILURES.labels(fault.kind).inc()
            raise
        screen.feed(draft.answer)
        written = screen.finish(self._answerer.model)
        answer = MarkerText(written.text, written.markers).text
        grounded = await asyncio.to_thread(ground, answer, draft, sources)
        QUOTES_REJECTED.inc(len(grounded.rejected_quotes))
        extras = Extras(
            citations=grounded.citations,
            rejected_quotes=grounded.rejected_quotes,
            confidence=grounded.confidence,
            claimed_confidence=grounded.claimed_confidence,
        )
        return structs.replace(written, extras=extras)

    async def _validated(
        self, completer: Completer, question: str, sources: Sequence[Source], screen: Screen
    ) -> Written:
        text = await self._without_faults(completer, question, sources)
        if text is None:
            written = await _streamed(self._fallback, question, sources, screen)
            return structs.replace(written, extras=Extras(fallback=True))
        screen.feed(text)
        return structs.replace(screen.finish(self._answerer.model), extras=Extras(fallback=False))

    async def _without_faults(self, completer: Completer, question: str, sources: Sequence[Source]) -> str | None:
        """The model's text, from its first or its second try, both within one deadline; None when both have faults."""
        until = completer.deadline()
        messages = prompt.build(question, sources)
        text = await completer.complete(messages, until=until)
        found = await asyncio.to_thread(faults, text, len(sources))
        if not found:
            return text
        metering.count_call(self._answerer.name)
        again = prompt.retry(messages, text, [fault.sentence for fault in found])
        try:
            text = await completer.complete(again, until=until)
        except AnswererFailed:
            return None
        return None if await asyncio.to_thread(faults, text, len(sources)) else text


async def _streamed(answerer: Answerer, question: str, sources: Sequence[Source], screen: Screen) -> Written:
    async with aclosing(answerer.stream(question, sources)) as pieces:
        async for piece in pieces:
            screen.feed(piece)
    return screen.finish(answerer.model)

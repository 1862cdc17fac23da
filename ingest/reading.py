"""Reads documents in processes of their own, so that none can take the job or the service down.

Each process has a bound of memory, and one of time for a document. A document whose reader hangs, takes too much
memory, crashes or is killed fails alone; its process is replaced. A process is started when a document needs it, and
ends with the job, or with the death of the process that started it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from types import TracebackType

from app.ports import Tokenizer
from ingest.errors import UnreadableDocument
from ingest.metadata import UNSAID, Metadata
from ingest.reader_client import ReadDocument, ReaderProcess, Spoilt
from ingest.reader_messages import Order, Start

TIMEOUT_S = 120
MEMORY_MB = 1_024
"""About 40 MB of Markdown need as much."""
PROCESSES = min(4, os.cpu_count() or 1)

_PROGRAM = "ingest.reader_process"
_PATIENCE_S = 1.0
"""Most documents are read in milliseconds: then one process is enough, and a second costs more than it gains."""


class Readers:
    """An async context manager, in which any number of tasks may `read`."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        timeout_s: int = TIMEOUT_S,
        memory_mb: int = MEMORY_MB,
        processes: int = PROCESSES,
        program: str = _PROGRAM,
    ) -> None:
        """`tokenizer` must be picklable; `program` is the module that a process runs."""
        self._tokenizer = tokenizer
        self._bounds = (memory_mb, timeout_s)
        self._program = program
        self._processes = processes
        self._idle: list[ReaderProcess] = []
        self._busy = 0
        self._freed = asyncio.Condition()

    async def __aenter__(self) -> Readers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._idle:
            await self._idle.pop().end()

    async def read(
        self, document_id: str, data: bytes, *, name: str | None = None, said: Metadata = UNSAID
    ) -> ReadDocument:
        """The passages of a document, whose `name` (its id, when left out) tells the format.

        Raises UnreadableDocument with the reason in a few words, and ReadersUnavailable when no process starts.
        """
        order = Order(document_id, data, name or document_id, said)
        async with self._turn():
            if self._idle:
                with suppress(Spoilt):  # an earlier document may have hurt the process: a fresh one has the last word
                    return await self._read(self._idle.pop(), order)
            fresh = await ReaderProcess.start(self._program, self._start)
            try:
                return await self._read(fresh, order)
            except Spoilt as exc:
                raise UnreadableDocument(str(exc)) from exc

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for an idle process, or room for a fresh one; for a moment rather for the first."""
        async with self._freed:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE_S):
                    await self._freed.wait_for(lambda: self._idle or not self._busy)
            await self._freed.wait_for(lambda: self._busy < self._processes)
            self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            async with self._freed:
                self._freed.notify_all()

    @cached_property
    def _start(self) -> Start:
        return Start(*self._bounds, os.getpid(), pickle.dumps(self._tokenizer))

    async def _read(self, process: ReaderProcess, order: Order) -> ReadDocument:
        """Raises UnreadableDocument, and Spoilt when the process had to be ended."""
        try:
            read = await process.read(order)
        except UnreadableDocument:
            if process.running:
                self._idle.append(process)
            raise
        except BaseException:
            await process.end()
            raise
        self._idle.append(process)
        return read

"""The job's side of one reader process: start it, hand it documents, end it, and say what became of it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress

import msgspec
from msgspec import Struct

from app.core.model import Passage
from app.logs import log
from ingest.document import Document
from ingest.errors import ReadersUnavailable, UnreadableDocument
from ingest.reader_messages import (
    LENGTH_BYTES,
    Batch,
    Broke,
    Done,
    Head,
    Order,
    Overrun,
    Refused,
    Reply,
    Start,
    framed,
)

_START_S = 60.0
_DYING_S = 2.0
_SLICE = 2**20
_LONGEST_FRAME = 64 * 2**20
_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
"""No more of the environment reaches a process that opens strangers' files: keys stand in it."""


class ReadDocument(Struct, frozen=True):
    document: Document
    """Without its blocks; the title as its passages carry it."""
    passages: list[Passage]
    """In order, at least one."""


class Spoilt(Exception):
    """The process is of no further use; the text is the reason."""


class ReaderProcess:
    def __init__(self, process: Process, start: Start) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._orders = process.stdin
        self._replies = process.stdout
        self._start = start

    @classmethod
    async def start(cls, program: str, start: Start) -> ReaderProcess:
        """Raises ReadersUnavailable."""
        try:
            reader = cls(await _started(program), start)
        except OSError as exc:
            raise ReadersUnavailable(f"No process to read documents in could be started: {exc.strerror}.") from exc
        try:
            await reader._make_ready(program)
        except BaseException:
            await reader.end()
            raise
        return reader

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    async def read(self, order: Order) -> ReadDocument:
        """Raises UnreadableDocument, and Spoilt when the process must be ended."""
        try:
            async with asyncio.timeout(self._start.timeout_s):
                await self._send(order)
                return await self._collect(order.document_id)
        except TimeoutError as exc:
            await self.end()  # and that is final: a second try would take as long
            raise UnreadableDocument(f"its reader took longer than {self._start.timeout_s} s") from exc
        except msgspec.MsgspecError as exc:
            raise Spoilt("its reader answered rubbish") from exc
        except (OSError, EOFError) as exc:
            raise Spoilt(await self._cause_of_death()) from exc

    async def end(self) -> None:
        """Kill the process, and wait until it is gone."""
        if self.running:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)  # Popen's own way may reap it before asyncio does
        self._orders.close()
        await self._process.wait()

    async def _make_ready(self, program: str) -> None:
        try:
            async with asyncio.timeout(_START_S):
                await self._send(self._start)
                await self._receive()
        except (TimeoutError, OSError, EOFError) as exc:
            raise ReadersUnavailable(
                f"The process to read documents in does not start: see what `python -m {program} < /dev/null` says."
            ) from exc

    async def _collect(self, document_id: str) -> ReadDocument:
        head = await self._receive()
        match head:
            case Head():
                return ReadDocument(head.document, await self._passages())
            case Refused():
                raise UnreadableDocument(head.reason)
            case Broke():
                log.error("ingest.reader_failed", document_id=document_id, details=head.details)
                raise UnreadableDocument(f"its reader failed ({head.error})")
            case Overrun():
                raise Spoilt(f"its reader needed more than {self._start.memory_mb} MB")
            case _:
                raise msgspec.MsgspecError("no head")

    async def _passages(self) -> list[Passage]:
        passages: list[Passage] = []
        while isinstance(reply := await self._receive(), Batch):
            passages += reply.passages
        if not isinstance(reply, Done):
            raise msgspec.MsgspecError("no end")
        return passages

    async def _send(self, message: Start | Order) -> None:
        """In slices: what the process is slow to take shall not pile up in buffers."""
        frame = memoryview(framed(message))
        for first in range(0, len(frame), _SLICE):
            self._orders.write(frame[first : first + _SLICE])
            await self._orders.drain()

    async def _receive(self) -> Reply:
        length = int.from_bytes(await self._replies.readexactly(LENGTH_BYTES), "big")
        if length > _LONGEST_FRAME:
            raise msgspec.MsgspecError("too long a frame")
        return msgspec.msgpack.decode(await self._replies.readexactly(length), type=Reply)

    async def _cause_of_death(self) -> str:
        with suppress(TimeoutError):
            async with asyncio.timeout(_DYING_S):
                await self._process.wait()
        match self._process.returncode:
            case None:
                return "its reader broke off"
            case code if code == -signal.SIGKILL:
                return "its reader was killed: is the machine short of memory?"
            case code if code < 0:
                return f"its reader crashed ({signal.strsignal(-code)})"
            case code:
                return f"its reader ended with exit code {code}"


async def _started(program: str) -> Process:
    # -P: no file of the working directory may be taken for a library.
    environment = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
    )

"""Stands between the service and an outside system, and makes the system fail as a network or a process does."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import StrEnum


class Fault(StrEnum):
    KILLED = "killed"
    STALLED = "stalled"
    SLOW = "slow"
    RUBBISH = "rubbish"
    RESTARTED = "restarted"


DELAY_S = 0.3
"""By which each piece of a slow system's replies is late."""


class Proxy:
    """A TCP proxy to `port` of loopback. `rubbish` is what a broken system says instead of its reply."""

    def __init__(self, port: int, rubbish: bytes) -> None:
        self.port = 0
        self._upstream = port
        self._rubbish = rubbish
        self._fault: Fault | None = None
        self._answers = asyncio.Event()
        self._answers.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Proxy:
        await self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def suffer(self, fault: Fault) -> None:
        """From now on, also for connections that stand."""
        self._fault = fault
        match fault:
            case Fault.STALLED:
                self._answers.clear()
            case Fault.KILLED:
                self._cut()
            case Fault.RESTARTED:
                self._cut()
                await self.mend()

    async def mend(self) -> None:
        self._fault = None
        self._answers.set()
        if not self._server.is_serving():
            await self._listen()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def _cut(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened = {writer}
        self._writers.add(writer)
        try:
            answers, questions = await asyncio.open_connection("127.0.0.1", self._upstream)
            opened.add(questions)
            self._writers.add(questions)
            ends = {asyncio.create_task(_pass(reader, questions)), asyncio.create_task(self._answer(answers, writer))}
            _, others = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for end in others:
                end.cancel()
            await asyncio.gather(*ends, return_exceptions=True)
        except OSError:
            pass
        finally:
            for each in opened:
                each.transport.abort()
            self._writers -= opened

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(2**16):
                await self._answers.wait()
                if self._fault is Fault.SLOW:
                    await asyncio.sleep(DELAY_S)
                babbles = self._fault is Fault.RUBBISH
                writer.write(self._rubbish if babbles else data)
                await writer.drain()
                if babbles:
                    break
            writer.close()
            await writer.wait_closed()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(2**16):
            writer.write(data)
            await writer.drain()

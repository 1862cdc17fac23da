"""One HTTP/1.1 connection of a server whose replies are scripted byte for byte."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum


class Stall:
    """The reply waits here until `released` is set, the client has gone or the server is closed."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.released = asyncio.Event()


class Cut(Enum):
    CLOSE = "as when the process ends"
    RESET = "as when a proxy in between gives up"


Step = bytes | Stall | Cut


class Connection:
    """Requests are read while replies are written, so that a client's leaving is seen at once."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests: asyncio.Queue[tuple[str, dict[str, str], bytes] | None] = asyncio.Queue()
        self._reader = reader
        self._writer = writer
        self._gone = asyncio.Event()

    async def listen(self) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                self.requests.put_nowait(await self._read_request())
        self._gone.set()
        self.requests.put_nowait(None)

    async def _read_request(self) -> tuple[str, dict[str, str], bytes]:
        start, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return start.split()[1], headers, body

    async def play(self, steps: Iterable[Step]) -> bool:
        """Take the steps; False when the client left before the last one was done."""
        for step in steps:
            if self._gone.is_set():
                return False
            match step:
                case Stall():
                    step.reached.set()
                    await _first_of(step.released, self._gone)
                case Cut():
                    self._cut(step)
                    return True
                case _:
                    await self._send(step)
        return True

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        with suppress(ConnectionError):
            await self._writer.drain()
        await asyncio.sleep(0)  # the listening task may have a hang-up to note

    def _cut(self, cut: Cut) -> None:
        if cut is Cut.RESET:
            linger = struct.pack("ii", 1, 0)  # on, for no time: closing then sends a reset
            self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.close()


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()

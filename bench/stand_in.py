"""A chat endpoint on loopback that always writes the same, in pieces."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

ANSWER = ("You get 28 days ", "of annual leave a year [", "1", "], not 30 [", "97] ", "(see [1,", "98]).")
"""How the stand-in writes it: with markers in pieces, and with sources that it was not given."""


@asynccontextmanager
async def stand_in() -> AsyncIterator[str]:
    """The URL of a chat endpoint that always writes ANSWER, piece by piece."""
    server = await asyncio.start_server(_serve_chat, "127.0.0.1", 0, backlog=1024)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def _serve_chat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = re.search(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for piece in ANSWER:
                _write_event(writer, {"content": piece}, None)
                await writer.drain()
                await asyncio.sleep(0.02)
            _write_event(writer, {}, "stop")
            writer.write(b"0\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


def _write_event(writer: asyncio.StreamWriter, delta: dict[str, str], finish: str | None) -> None:
    payload = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    event = b"data: " + msgspec.json.encode(payload) + b"\n\n"
    writer.write(b"%x\r\n%b\r\n" % (len(event), event))

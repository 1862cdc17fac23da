"""What a command says whose job was handed over to a service that does not finish it."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from pathlib import Path

import pytest

from app.settings import Settings
from ingest import handover
from ingest.commands import Order
from ingest.errors import JobFailed

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = b'event: progress\ndata: {"done":1,"total":2,"embedded":0,"failure":null}\n\n'


def carry_out(port: int, corpus: Path) -> None:
    order = Order(corpus=str(corpus))
    handover.carry_out(f"http://127.0.0.1:{port}", "token", order, Settings.from_env({}), lambda _: None)


@pytest.mark.parametrize("end", [b"", b"0\r\n\r\n"], ids=["killed", "stopped"])
async def test_a_job_that_was_broken_off_is_to_be_run_again(tmp_path: Path, end: bytes) -> None:
    async def begin(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"}")  # the whole order
        writer.write(STREAM + f"{len(EVENT):x}\r\n".encode() + EVENT + b"\r\n" + end)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(begin, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(JobFailed, match=r"broke off.*run the command again"):
            await asyncio.to_thread(carry_out, port, tmp_path)


def test_a_service_that_is_gone_could_not_be_asked(tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match="could not be asked"):
        carry_out(1, tmp_path)

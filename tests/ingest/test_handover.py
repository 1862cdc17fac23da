"""What a command says whose job was handed over to a service that does not finish it."""

from __future__ import annotations

import asyncio
import signal
from asyncio import StreamReader, StreamWriter
from pathlib import Path

import pytest

from app.adapters.store_lock import own_store
from app.settings import Settings
from ingest import handover
from ingest.commands import Order
from ingest.errors import JobFailed
from tests import processes
from tests.service import write_corpus

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = (
    b'event: progress\ndata: {"done":1,"total":2,"embedded":0,"failure":{"document_id":"a.md","reason":"empty"}}\n\n'
)
BEGUN = STREAM + f"{len(EVENT):x}\r\n".encode() + EVENT + b"\r\n"


def carry_out(port: int, corpus: Path) -> None:
    order = Order(corpus=str(corpus))
    handover.carry_out(f"http://127.0.0.1:{port}", "token", order, Settings.from_env({}), lambda _: None)


@pytest.mark.parametrize("end", [b"", b"0\r\n\r\n"], ids=["killed", "stopped"])
async def test_a_job_that_was_broken_off_is_to_be_run_again(tmp_path: Path, end: bytes) -> None:
    async def begin(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"}")  # the whole order
        writer.write(BEGUN + end)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(begin, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(JobFailed, match=r"broke off.*run the command again"):
            await asyncio.to_thread(carry_out, port, tmp_path)


def test_a_service_that_is_gone_could_not_be_asked(tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match="could not be asked"):
        carry_out(1, tmp_path)


async def test_ctrl_c_does_not_claim_that_the_job_has_stopped(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    gone = asyncio.Event()

    async def begin(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"}")
        writer.write(BEGUN)
        await reader.read()
        writer.close()
        gone.set()

    with own_store(tmp_path / "qdrant", "service") as lock:
        async with await asyncio.start_server(begin, "127.0.0.1", 0) as server:
            lock.announce(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            process = await processes.start(tmp_path, "ingest")
            assert process.stderr is not None
            assert await process.stderr.readline() == b"Failed: a.md: empty\n"
            process.send_signal(signal.SIGINT)
            said = (await process.communicate())[1].decode()
            await gone.wait()
    assert process.returncode == 130
    assert "goes on in the service" in said
    assert "Stopped" not in said

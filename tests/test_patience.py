"""A time limit that only the other side uses up."""

from __future__ import annotations

import asyncio
import time

import pytest

from app.patience import patience

LIMIT_S = 0.1


async def test_who_does_not_answer_is_given_up() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        async with patience(LIMIT_S):
            await asyncio.Event().wait()
    assert time.monotonic() - began >= LIMIT_S * 0.9


async def test_a_reply_that_lay_there_while_the_loop_was_held_up_is_read() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while question := await reader.readline():
            time.sleep(LIMIT_S * 1.5)  # noqa: ASYNC251 - it holds up the loop of both sides
            writer.write(question)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with patience(LIMIT_S):
            for question in (b"a\n", b"b\n", b"c\n"):
                writer.write(question)
                assert await reader.readline() == question
        writer.close()
        await writer.wait_closed()


async def test_the_limit_ends_with_its_body() -> None:
    async with patience(LIMIT_S):
        pass
    await asyncio.sleep(LIMIT_S * 1.5)


async def test_leaving_is_no_timeout() -> None:
    async def wait() -> None:
        async with patience(60):
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

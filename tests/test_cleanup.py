"""Clean-up goes on when the caller leaves, and ends in any case."""

from __future__ import annotations

import asyncio

import pytest

from app import cleanup


async def test_a_caller_that_leaves_does_not_cut_it_short() -> None:
    begun, go_on, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()
        done.set()

    leaving = asyncio.create_task(cleanup.finish(work()))
    await begun.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    go_on.set()
    async with asyncio.timeout(1):
        await done.wait()


async def test_what_never_ends_is_given_up() -> None:
    async with asyncio.timeout(1):
        await cleanup.finish(asyncio.Event().wait(), within_s=0.01)  # type: ignore[arg-type]


async def test_what_fails_fails_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    async def broken() -> None:
        raise OSError("secret")

    await cleanup.finish(broken())
    said = "".join(capsys.readouterr())
    assert "cleanup.failed" in said
    assert "secret" not in said

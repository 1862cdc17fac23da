from __future__ import annotations

import asyncio

import pytest

from app.deadlines import Deadlines, OutOfTime


def stopping_soon() -> Deadlines:
    """After `stop`, an answer may go on for a moment only."""
    return Deadlines(chat_deadline_s=-1.95)


async def test_a_request_that_overruns_its_deadline_says_so() -> None:
    with pytest.raises(OutOfTime) as caught:
        async with Deadlines(chat_deadline_s=-9.95).limit():
            await asyncio.Event().wait()
    assert caught.value.reason == "deadline"


async def test_a_stop_shortens_what_runs_and_what_comes_after() -> None:
    deadlines = stopping_soon()
    reasons = []

    async def answer() -> None:
        try:
            async with deadlines.limit():
                await asyncio.Event().wait()
        except OutOfTime as exc:
            reasons.append(exc.reason)

    running = asyncio.create_task(answer())
    await asyncio.sleep(0)
    assert not deadlines.stopping
    deadlines.stop()
    assert deadlines.stopping
    await asyncio.gather(running, answer())
    assert reasons == ["shutting_down", "shutting_down"]


async def test_a_timeout_of_someone_else_stays_theirs() -> None:
    with pytest.raises(TimeoutError):
        async with Deadlines(20).limit():
            raise TimeoutError


async def test_a_stop_never_lengthens_a_deadline() -> None:
    deadlines = Deadlines(chat_deadline_s=-9.95)
    deadlines._stop_s = 60
    deadlines.stop()
    with pytest.raises(OutOfTime) as caught:
        async with deadlines.limit():
            await asyncio.Event().wait()
    assert caught.value.reason == "deadline"

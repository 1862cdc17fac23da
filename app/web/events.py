"""Event streams, and work that ends when the caller goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec
from litestar import Request
from msgspec import Struct

PING_S = 15.0
PING = b": ping\n\n"

Work = Callable[[Callable[[Any], None]], Coroutine[Any, Any, Any]]
"""Does something, hands out what it has on the way, returns what it ends with."""
_T = TypeVar("_T")


class CallerGone(Exception):
    """The caller closed the connection; there is nobody to reply to."""


class Done(Struct, frozen=True):
    """What a work ended with."""

    result: Any


async def follow(work: Work) -> AsyncGenerator[Any, None]:
    """What `work` hands out, then Done with what it returns; None in every PING_S of silence.

    Closing it cancels the work at once.
    """
    queue: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.ensure_future(work(queue.put_nowait))
    ended = object()
    task.add_done_callback(lambda _: queue.put_nowait(ended))
    try:
        while (item := await _next(queue)) is not ended:
            yield item
        yield Done(task.result())
    finally:
        task.cancel()


async def stream(work: Work, name_of: Callable[[Any], str]) -> AsyncIterator[bytes]:
    """The events of `work`, then what it returns as `done`; a comment line in every PING_S of silence.

    Closing the stream cancels the work at once.
    """
    async with aclosing(follow(work)) as items:
        async for item in items:
            match item:
                case None:
                    yield PING
                case Done():
                    yield encode("done", item.result)
                case _:
                    yield encode(name_of(item), item)


async def _next(queue: asyncio.Queue[Any]) -> Any:
    """The next item; None after PING_S without one."""
    try:
        async with asyncio.timeout(PING_S):
            return await queue.get()
    except TimeoutError:
        return None


def encode(event: str, data: Any) -> bytes:
    # JSON has no line breaks of its own, so the data is always one line.
    return b"event: %b\ndata: %b\n\n" % (event.encode(), msgspec.json.encode(data))


async def unless_gone(request: Request[Any, Any, Any], work: Awaitable[_T]) -> _T:
    """The result of `work`, which is cancelled when the caller goes away. Raises CallerGone then."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise CallerGone
        return task.result()
    finally:
        gone.cancel()
        task.cancel()


async def _disconnected(request: Request[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

"""What is sent to /mcp, looked at before the SDK reads it, which has nothing but a 500 for what it can't read."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar.types import Receive, ReceiveMessage

from app.web.problems import BAD_REQUEST, Problem

MAX_BODY_BYTES = 64 * 1024
_MAX_DEPTH = 100
"""Of objects and arrays in each other: no call needs ten, and parsers give up near a thousand."""


async def legible(receive: Receive) -> Receive:
    """`receive` again, its body known to be JSON that can be read; one over MAX_BODY_BYTES is left to the SDK.

    Raises Problem.
    """
    messages: list[Any] = [await receive()]
    while messages[-1].get("more_body") and _size(messages) <= MAX_BODY_BYTES:
        messages.append(await receive())
    if messages[-1]["type"] == "http.request" and _size(messages) <= MAX_BODY_BYTES:
        _check(b"".join(message["body"] for message in messages))
    read = iter(messages)

    async def again() -> ReceiveMessage:
        return next(read, None) or await receive()

    return again


def _size(messages: list[Any]) -> int:
    return sum(len(message.get("body", b"")) for message in messages)


def _check(body: bytes) -> None:
    try:
        if _depth(msgspec.json.decode(body)) <= _MAX_DEPTH:
            return
    except msgspec.DecodeError as exc:
        raise Problem(BAD_REQUEST, f"The message is not valid JSON: {exc}.") from exc
    except RecursionError:
        pass
    raise Problem(BAD_REQUEST, "The message is nested too deeply.")


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [inner for outer in level for inner in _parts(outer)]
    return depth


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []

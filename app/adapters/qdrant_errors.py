"""What qdrant_client raises, as errors of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import httpx
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from app.errors import StoreUnavailable

# Its own errors, httpx's, the deadline; ValueError (bad JSON among it) and AssertionError on
# rubbish; and in local mode ValueError, KeyError and RuntimeError where a server would answer with a status.
_FAILURES = (
    ApiException,
    QdrantException,
    httpx.HTTPError,
    TimeoutError,
    OSError,
    ValueError,
    LookupError,
    RuntimeError,
    AssertionError,
)

T = TypeVar("T")


class NoCollection(StoreUnavailable):
    """The server answers, and has no collection or alias of that name."""


async def answer(request: Awaitable[T], timeout_s: float) -> T:
    """What a call of the client returns, within `timeout_s` (its own deadline knows whole seconds only).

    Raises StoreUnavailable.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await request
    except _FAILURES as error:
        if _is_missing(error):
            raise NoCollection("Qdrant has no such collection: run `make ingest`.") from error
        raise StoreUnavailable(
            f"Qdrant failed ({_reason(error)}): check QDRANT_URL and that the server is up."
        ) from error


def _is_missing(error: Exception) -> bool:
    """A 404 of Qdrant's own, not of some other server at that URL; or local mode's words for it."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code == 404 and b"doesn't exist" in error.content
    return isinstance(error, ValueError) and "not found" in str(error)


def _reason(error: Exception) -> str:
    """In few words, and never a body: it may be anyone's."""
    if isinstance(error, UnexpectedResponse):
        return f"HTTP {error.status_code}"
    return type(getattr(error, "source", error)).__name__

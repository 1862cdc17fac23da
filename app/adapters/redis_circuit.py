"""What the Redis adapters share: a client that gives up at once, and one rest for all of them after a failure."""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import Counter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from app.adapters.circuit import CALL_TIMEOUT_S, Circuit, Rest
from app.patience import patience

# A peer that is no Redis makes the protocol parser raise plain ValueErrors as well.
ERRORS = (RedisError, OSError, TimeoutError, ValueError)
_SOCKET_TIMEOUT_S = 5.0
"""For what no circuit bounds, such as closing a connection. Calls have their circuit's limit."""


class RedisLink:
    """One Redis for all who keep something in it; whoever opened it closes it.

    A Redis that hangs makes a request wait once, whatever the request needs of it: after the first call that fails
    there is none by anyone, until the Redis answers a ping that nobody waits for.
    """

    def __init__(self, client: Redis, clock: Callable[[], float] = time.monotonic) -> None:
        self.client = client
        self._rest = Rest(clock, self.answers)

    def circuit(self, name: str, failures: Counter) -> Circuit:
        return Circuit(name, failures, ERRORS, self._rest)

    async def answers(self) -> bool:
        try:
            async with patience(CALL_TIMEOUT_S):
                return bool(await self.client.ping())
        except ERRORS:
            return False

    async def close(self) -> None:
        await self.client.aclose()


def connect(url: str, timeout_s: float = _SOCKET_TIMEOUT_S) -> Redis:
    """A client that gives up at once instead of retrying: by default redis-py tries for up to a minute."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=64,
        timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        socket_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=30,
    )
    return Redis.from_pool(pool)

"""What the Redis adapters share: a client that gives up at once, and the circuit in front of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import Counter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from app.adapters.circuit import CALL_TIMEOUT_S, Circuit

# A peer that is no Redis makes the protocol parser raise plain ValueErrors as well.
ERRORS = (RedisError, OSError, TimeoutError, ValueError)


def redis_circuit(name: str, failures: Counter, clock: Callable[[], float] = time.monotonic) -> Circuit:
    return Circuit(name, failures, ERRORS, clock)


def connect(url: str, timeout_s: float = CALL_TIMEOUT_S) -> Redis:
    """A client that gives up at once instead of retrying: by default redis-py tries for up to a minute."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=32,
        timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        socket_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=30,
    )
    return Redis.from_pool(pool)

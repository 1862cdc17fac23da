"""The answer cache of one process: least recently used entries go first, each lives for a fixed time."""

from __future__ import annotations

from cachetools import TTLCache

from app.core.model import CachedAnswer

MAX_ENTRIES = 1_000


class MemoryCache:
    """The port `AnswerCache` without Redis."""

    def __init__(self, ttl_s: float) -> None:
        self._entries: TTLCache[str, CachedAnswer] = TTLCache(MAX_ENTRIES, ttl_s)

    async def get(self, key: str) -> CachedAnswer | None:
        return self._entries.get(key)

    async def put(self, key: str, answer: CachedAnswer) -> None:
        self._entries[key] = answer

    async def healthy(self) -> bool:
        return True

    async def close(self) -> None:
        self._entries.clear()

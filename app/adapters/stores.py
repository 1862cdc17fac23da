"""Opens the store that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from app.adapters.edge_store import EdgeStore
from app.adapters.store_lock import StoreLock, own_store
from app.ports import VectorStore
from app.settings import Settings


@asynccontextmanager
async def open_store(
    settings: Settings, role: Literal["service", "job"]
) -> AsyncIterator[tuple[VectorStore, StoreLock | None]]:
    """The store, and the lock on it when it is embedded; closed and released at the end.

    A server is not waited for: it may come up later. Raises StoreHeld, StoreUnavailable.
    """
    if settings.qdrant_url:
        from app.adapters import qdrant_store  # takes seconds to import: only for a server

        client = qdrant_store.connect(settings.qdrant_url, settings.qdrant_api_key)
        store = qdrant_store.QdrantStore(client, settings.index_name)
        try:
            yield store, None
        finally:
            await store.close()
        return
    with own_store(settings.store_path, role) as lock:
        embedded = EdgeStore(settings.store_path, settings.index_name)
        try:
            yield embedded, lock
        finally:
            await embedded.close()

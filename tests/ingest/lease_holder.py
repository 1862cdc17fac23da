"""A job that holds the lease of a collection on the server at a URL, does nothing until it is told, and goes on then.

`python -m tests.ingest.lease_holder URL COLLECTION` says "holds", waits for a line, tries to write and to finish, and
says what came of each.
"""

from __future__ import annotations

import asyncio
import sys

from app.adapters.qdrant_store import QdrantStore, connect
from app.errors import LeaseMissing
from ingest.generation import Generation
from tests.stores import spec

LEASE_S, MARGIN_S = 1.5, 0.5


async def _main(url: str, collection: str) -> None:
    store = QdrantStore(connect(url, api_key=None), "vouch")
    generation = Generation(store, spec(collection), LEASE_S, MARGIN_S)
    await generation.open()
    await generation.begin()
    print("holds", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for attempt in (generation.begin(), generation.finish([])):
        try:
            await attempt
            print("allowed", flush=True)
        except LeaseMissing:
            print("refused", flush=True)
    await generation.close()
    await store.close()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))

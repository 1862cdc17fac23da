"""A job that holds the lease of a collection on the server at a URL, does nothing until it is told, and goes on then.

`python -m tests.ingest.lease_holder URL COLLECTION` says "holds", waits for a line, tries to write, and says what came
of it.
"""

from __future__ import annotations

import asyncio
import sys

from app.adapters.qdrant_store import QdrantStore, connect
from app.errors import LeaseMissing
from ingest.lease import StateKeeper
from tests.stores import state

LASTS_S, MARGIN_S = 1.5, 0.5


async def _main(url: str, collection: str) -> None:
    store = QdrantStore(connect(url, api_key=None), "vouch")
    keeper = StateKeeper(store, LASTS_S, MARGIN_S)
    await keeper.take(state(collection, generation=1))
    print("holds", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for attempt in (_check, _finish):
        try:
            await attempt(keeper, collection)
            print("allowed", flush=True)
        except LeaseMissing as exc:
            print(f"refused: {exc}", flush=True)
    await keeper.give_up()
    await store.close()


async def _check(keeper: StateKeeper, _: str) -> None:
    keeper.check()


async def _finish(keeper: StateKeeper, collection: str) -> None:
    await keeper.write(state(collection, generation=1, revision="stale"))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))

"""A store that breaks at its n-th write: by an error, or by the death of the process.

As a program it is a whole job that is killed there: `python -m tests.ingest.faulty_store N`, settings from the
environment.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.adapters import fastembed_embedder
from app.adapters.stores import open_store
from app.errors import StoreUnavailable
from app.settings import Settings
from ingest import job

WRITES = {
    "create",
    "write_state",
    "switch",
    "write_documents",
    "write_absent",
    "delete_documents",
    "write_passages",
    "update_passages",
    "delete_passages",
    "flush",
}


class FaultyStore:
    """Everything of the store behind it, until the `at`-th write (from 0) calls `fault` instead."""

    def __init__(self, store: object, at: int, fault: Callable[[], None]) -> None:
        self._store = store
        self._left = at
        self._fault = fault

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        return self._counted(method) if name in WRITES else method

    def _counted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        async def write(*arguments: object) -> Any:
            self._left -= 1
            if self._left < 0:
                self._fault()
            return await method(*arguments)

        return write

    @property
    def broke(self) -> bool:
        return self._left < 0


def breaks() -> None:
    raise StoreUnavailable("The store broke, as the test said.")


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def _main(at: int) -> None:
    settings = Settings.from_env(os.environ)
    async with open_store(settings, "job") as (store, _):
        embedder = await asyncio.to_thread(fastembed_embedder.load, settings.embedding_model)
        faulty: Any = FaultyStore(store, at, dies)
        await job.run(faulty, embedder, settings.index_name, Path(settings.corpus), lambda _: None)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))

"""What must outlive the process of signed notices, in an SQLite file: what is to be synced, what was seen, and plans.

Every call is on disk when it returns. Several processes may share the file.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from app.core.plans import Plan
from app.errors import NoticesUnavailable

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pending (number INTEGER PRIMARY KEY AUTOINCREMENT, document_id TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS seen (notice TEXT PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS plans (caller TEXT PRIMARY KEY, signed_at INTEGER NOT NULL, plan BLOB NOT NULL);
"""
_KEEP = (
    "INSERT INTO plans VALUES (?, ?, ?) ON CONFLICT (caller) DO UPDATE"
    " SET signed_at = excluded.signed_at, plan = excluded.plan WHERE excluded.signed_at >= signed_at"
)
_LOCK_TIMEOUT_S = 2.0
"""For another process at the same file."""

_T = TypeVar("_T")


class NoticeFile:
    """The port `NoticeStore`."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since 1970. The file is made when it is needed first."""
        self._file = file
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="notices")

    async def is_new(self, notice: str, lasts_s: float) -> bool:
        return await self._on_thread(lambda open_file: self._remember(open_file, notice, lasts_s))

    async def keep(self, caller: str, plan: Plan) -> None:
        row = (caller, plan.signed_at, msgspec.json.encode(plan))
        await self._on_thread(lambda open_file: open_file.execute(_KEEP, row))

    async def plans(self) -> dict[str, Plan]:
        if not self._is_made:
            return {}
        rows = await self._on_thread(lambda open_file: open_file.execute("SELECT caller, plan FROM plans").fetchall())
        return {caller: msgspec.json.decode(plan, type=Plan) for caller, plan in rows}

    async def add(self, document_ids: Collection[str]) -> None:
        rows = [(document_id,) for document_id in document_ids]
        await self._on_thread(
            lambda open_file: open_file.executemany("INSERT OR REPLACE INTO pending (document_id) VALUES (?)", rows)
        )

    async def pending(self) -> dict[str, int]:
        if not self._is_made:
            return {}
        rows = "SELECT document_id, number FROM pending ORDER BY number"
        return await self._on_thread(lambda open_file: dict(open_file.execute(rows).fetchall()))

    async def done(self, pending: Mapping[str, int]) -> None:
        rows = list(pending.items())
        await self._on_thread(
            lambda open_file: open_file.executemany("DELETE FROM pending WHERE document_id = ? AND number = ?", rows)
        )

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    @property
    def _is_made(self) -> bool:
        """Whether there is a file: to look into one is no reason to make it."""
        return self._connection is not None or self._file.exists()

    async def _on_thread(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._transaction, work)
        except (sqlite3.Error, OSError) as exc:
            raise NoticesUnavailable(
                f"Notices can't be kept ({type(exc).__name__}): see to the folder in QDRANT_PATH, and send it again."
            ) from exc

    def _transaction(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        if self._connection is None:
            self._connection = self._connect()
        with self._connection as transaction:
            return work(transaction)

    def _connect(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, timeout=_LOCK_TIMEOUT_S)
        try:
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _remember(self, open_file: sqlite3.Connection, notice: str, lasts_s: float) -> bool:
        now = self._clock()
        open_file.execute("DELETE FROM seen WHERE until <= ?", (now,))
        added = open_file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (notice, now + lasts_s))
        return added.rowcount == 1

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

"""Kept answers in an SQLite file beside the embedded store, on one thread of their own.

Times are seconds since 1970: a text expires with the youngest answer that needs it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from app.adapters import evidence_codec as codec
from app.adapters.circuit import CALL_TIMEOUT_S, CallFailed, Circuit
from app.core.evidence import Evidence, Record
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_FAILURES

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, expires_at REAL NOT NULL, record BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, expires_at REAL NOT NULL, text BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS answers_expire ON answers (expires_at);
CREATE INDEX IF NOT EXISTS texts_expire ON texts (expires_at);
"""

_SWEPT = 100
"""Expired rows removed with each write: more than a write adds, and never long."""

_T = TypeVar("_T")


class SqliteEvidence:
    """The port `EvidenceStore` in one file, which is opened in the background: trouble with it is only a warning.

    The index name is part of an answer's key: access is checked against the index that it was made from.
    """

    def __init__(self, file: Path, index_name: str, ttl_s: float, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._index_name = index_name
        self._ttl_s = ttl_s
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evidence")
        # A closed pool raises RuntimeError.
        self._circuit = Circuit("evidence", EVIDENCE_FAILURES, (sqlite3.Error, OSError, RuntimeError))
        # Making the file waits for the disk several times. Should it fail, the first call tries again and says so.
        self._thread.submit(self._open)

    async def put(self, evidence: Evidence) -> None:
        record, texts = codec.encode(evidence)
        try:
            await self._run("put", lambda: self._write(self._key(evidence.reply.id), record, texts))
        except CallFailed as exc:
            raise EvidenceUnavailable(f"The answer could not be kept: {exc}.") from exc

    async def get(self, answer_id: str) -> Evidence | None:
        try:
            stored = await self._run("get", lambda: self._read(self._key(answer_id)))
        except CallFailed as exc:
            raise EvidenceUnavailable(f"Kept answers can't be read: {exc}. Try again later.") from exc
        return codec.decode(*stored) if stored else None

    async def close(self) -> None:
        """Waits for the write that has begun."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    async def _run(self, kind: str, work: Callable[[], _T]) -> _T:
        loop = asyncio.get_running_loop()
        return await self._circuit.call(kind, lambda: loop.run_in_executor(self._thread, work))

    def _key(self, answer_id: str) -> str:
        return f"{self._index_name}:{answer_id}"

    def _write(self, key: str, record: bytes, texts: dict[str, bytes]) -> None:
        now = self._clock()
        expires_at = now + self._ttl_s
        with self._open() as transaction:
            transaction.executemany(
                "INSERT INTO texts VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)",
                [(text_key, expires_at, text) for text_key, text in texts.items()],
            )
            transaction.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, expires_at, record))
            for table in ("answers", "texts"):
                transaction.execute(
                    f"DELETE FROM {table} WHERE key IN (SELECT key FROM {table} WHERE expires_at <= ? LIMIT ?)",  # noqa: S608
                    (now, _SWEPT),
                )

    def _read(self, key: str) -> tuple[Record, dict[str, bytes | str]] | None:
        connection = self._open()
        found = connection.execute("SELECT record FROM answers WHERE key = ? AND expires_at > ?", (key, self._clock()))
        row = found.fetchone()
        record = codec.decode_record(row[0]) if row else None
        if record is None:
            return None
        marks = ", ".join("?" * len(record.text_keys))
        texts = connection.execute(f"SELECT key, text FROM texts WHERE key IN ({marks})", record.text_keys)  # noqa: S608
        return record, dict(texts.fetchall())

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch(mode=0o600)  # questions are nobody else's business
            connection = sqlite3.connect(self._file, timeout=CALL_TIMEOUT_S)
            try:
                connection.executescript(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

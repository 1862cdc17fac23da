"""Kept answers in an SQLite file beside the embedded store, on one thread of their own.

An answer does not wait for the disk: its evidence is handed to the thread, and whoever reads comes after it there.
Times are seconds since 1970: a text expires with the youngest answer that needs it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore

from app.adapters import evidence_codec as codec
from app.adapters.circuit import CallFailed, Circuit, Rest
from app.core.evidence import Evidence, Record
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_FAILURES, EVIDENCE_LOST

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, expires_at REAL NOT NULL, record BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, expires_at REAL NOT NULL, text BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS answers_expire ON answers (expires_at);
CREATE INDEX IF NOT EXISTS texts_expire ON texts (expires_at);
"""

_READ_TIMEOUT_S = 1.0
_LOCK_TIMEOUT_S = 0.5
"""For another process at the same file."""
_BACKLOG = 100
"""Answers that may wait for a slow disk; those after them are not kept."""
_SWEPT = 100
"""Expired rows removed with each write: more than a write adds, and never long."""

_ERRORS = (sqlite3.Error, OSError)


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
        self._room = BoundedSemaphore(_BACKLOG)
        self._circuit = Circuit("evidence", EVIDENCE_FAILURES, _ERRORS, Rest())
        # Making the file waits for the disk several times. Should it fail, the first call tries again and says so.
        self._thread.submit(self._open)

    async def put(self, evidence: Evidence) -> None:
        record, texts = codec.encode(evidence)
        if self._circuit.is_open or not self._room.acquire(blocking=False):
            raise EvidenceUnavailable("The answer could not be kept: its file can't be written to, or not fast enough.")
        self._thread.submit(self._write_or_tell, self._key(evidence.reply.id), record, texts, self._clock())

    async def get(self, answer_id: str) -> Evidence | None:
        try:
            stored = await self._circuit.call("get", lambda: self._on_thread(answer_id), _READ_TIMEOUT_S)
        except CallFailed as exc:
            raise EvidenceUnavailable(f"Kept answers can't be read: {exc}. Try again later.") from exc
        return codec.decode(*stored) if stored else None

    async def close(self) -> None:
        """Waits for what was handed to the thread before it."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    def _on_thread(self, answer_id: str) -> asyncio.Future[tuple[Record, dict[str, bytes | str]] | None]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._read, self._key(answer_id), self._clock())

    def _key(self, answer_id: str) -> str:
        return f"{self._index_name}:{answer_id}"

    def _write_or_tell(self, key: str, record: bytes, texts: dict[str, bytes], now: float) -> None:
        try:
            self._write(key, record, texts, now)
        except _ERRORS as exc:
            EVIDENCE_LOST.inc()
            self._circuit.failed("put", exc)
        finally:
            self._room.release()

    def _write(self, key: str, record: bytes, texts: dict[str, bytes], now: float) -> None:
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

    def _read(self, key: str, now: float) -> tuple[Record, dict[str, bytes | str]] | None:
        connection = self._open()
        found = connection.execute("SELECT record FROM answers WHERE key = ? AND expires_at > ?", (key, now))
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
            connection = sqlite3.connect(self._file, timeout=_LOCK_TIMEOUT_S)
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

"""Kept answers in Redis, shared by replicas.

vouch:evidence:<index name>:<answer id>                    one answer, without the texts of its sources
vouch:passage:<revision>:<passage id>:<content hash>       what one of them said, for all answers of a revision
"""

from __future__ import annotations

import time
from collections.abc import Callable

from redis.asyncio import Redis

from app.adapters import evidence_codec as codec
from app.adapters.circuit import CALL_TIMEOUT_S, CallFailed
from app.adapters.redis_circuit import redis_circuit
from app.core.evidence import Evidence, Record
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_FAILURES

_ANSWER = "vouch:evidence:"
_TEXT = "vouch:passage:"


class RedisEvidence:
    """The port `EvidenceStore` on a ready client (see redis_circuit.connect), which it closes.

    The index name is part of an answer's key: access is checked against the index that it was made from.
    """

    def __init__(
        self,
        client: Redis,
        index_name: str,
        ttl_s: int,
        *,
        timeout_s: float = CALL_TIMEOUT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._prefix = f"{_ANSWER}{index_name}:"
        self._ttl_s = ttl_s
        self._timeout_s = timeout_s
        self._circuit = redis_circuit("evidence", EVIDENCE_FAILURES, clock)

    async def put(self, evidence: Evidence) -> None:
        record, texts = codec.encode(evidence)
        values = {_TEXT + key: text for key, text in texts.items()} | {self._prefix + evidence.reply.id: record}
        try:
            await self._circuit.call("put", lambda: self._write(values), self._timeout_s)
        except CallFailed as exc:
            raise EvidenceUnavailable(f"The answer could not be kept: {exc}.") from exc

    async def get(self, answer_id: str) -> Evidence | None:
        try:
            stored = await self._circuit.call("get", lambda: self._read(answer_id), self._timeout_s)
        except CallFailed as exc:
            raise EvidenceUnavailable(f"Kept answers can't be read: {exc}. Try again later.") from exc
        return codec.decode(*stored) if stored else None

    async def close(self) -> None:
        await self._client.aclose()

    async def _write(self, values: dict[str, bytes]) -> None:
        """All or none. Writing a text again renews its time, so it outlives the answers that came before."""
        async with self._client.pipeline(transaction=True) as pipeline:
            for key, value in values.items():
                pipeline.set(key, value, ex=self._ttl_s)
            await pipeline.execute()

    async def _read(self, answer_id: str) -> tuple[Record, dict[str, bytes | str]] | None:
        stored = await self._client.get(self._prefix + answer_id)
        record = codec.decode_record(stored) if stored is not None else None
        if record is None:
            return None
        if not record.text_keys:
            return record, {}
        texts = await self._client.mget([_TEXT + key for key in record.text_keys])
        return record, {key: text for key, text in zip(record.text_keys, texts, strict=True) if text is not None}

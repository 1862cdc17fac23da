"""Kept answers in Redis, shared by replicas.

vouch:evidence:<index name>:<answer id>                    one answer, without the texts of its sources
vouch:passage:<revision>:<passage id>:<content hash>       what one of them said, for all answers of a revision
"""

from __future__ import annotations

from app.adapters import evidence_codec as codec
from app.adapters.circuit import CALL_TIMEOUT_S, CallFailed
from app.adapters.redis_circuit import RedisLink
from app.core.evidence import Evidence, Record
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_FAILURES

_ANSWER = "vouch:evidence:"
_TEXT = "vouch:passage:"


class RedisEvidence:
    """The port `EvidenceStore` on a link that others use, too.

    The index name is part of an answer's key: access is checked against the index that it was made from.
    """

    def __init__(self, link: RedisLink, index_name: str, ttl_s: int, *, timeout_s: float = CALL_TIMEOUT_S) -> None:
        self._client = link.client
        self._prefix = f"{_ANSWER}{index_name}:"
        self._ttl_s = ttl_s
        self._timeout_s = timeout_s
        self._circuit = link.circuit("evidence", EVIDENCE_FAILURES)

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
        """Nothing of its own: the link stays open for the others."""

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

"""The records of a Qdrant server: the documents', and the state with the lease in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import Any

from qdrant_client import models

from app.adapters import payloads
from app.adapters.payloads import batches
from app.adapters.qdrant_errors import NoCollection
from app.adapters.qdrant_upkeep import BATCH, QdrantUpkeep, records_of
from app.core import hashing
from app.core.model import Scope
from app.core.records import AbsentDocument, DocumentRecord, StateRecord

MARKS = (payloads.LEASE_TOKEN, payloads.LAST_JOB)
"""Filtered on by a server alone, so they have an index there alone."""


class QdrantRecords(QdrantUpkeep):
    """The part of VectorStore (qdrant_store.py) that is not about passages."""

    async def read_state(self, collection: str) -> StateRecord | None:
        try:
            found = await self._call(self._client.retrieve(records_of(collection), [hashing.STATE_ID]))
        except NoCollection:
            return None
        return payloads.to_state(found[0].payload) if found else None

    async def write_state(self, state: StateRecord, known: StateRecord | None = None) -> None:
        """The server compares and writes in one step, in one order on every replica. It does not say whether it
        wrote, so the record is read again: that it bears the marks of `state` shows it."""
        marks = payloads.state_marks(known)
        if known is None:
            del marks[payloads.LAST_JOB]
        writing = self._client.upsert(
            records_of(state.collection),
            [models.PointStruct(id=hashing.STATE_ID, vector={}, payload=payloads.state_payload(state))],
            wait=True,
            ordering=models.WriteOrdering.STRONG,
            update_filter=_has(marks),
            update_mode=models.UpdateMode.UPDATE_ONLY if known else models.UpdateMode.UPSERT,
        )
        await self._call(writing)
        standing = await self.read_state(state.collection)
        if payloads.state_marks(standing) != payloads.state_marks(state):
            raise payloads.lease_missing(standing)

    async def documents(self, collection: str) -> AsyncIterator[DocumentRecord]:
        async for record in self._scroll(records_of(collection), filter_of(payloads.ALL_DOCUMENTS)):
            yield payloads.to_document(record.payload)

    async def find_documents(self, collection: str, scope: Scope) -> AsyncIterator[DocumentRecord]:
        conditions = payloads.ALL_DOCUMENTS + payloads.scope_conditions(scope)
        async for record in self._scroll(records_of(collection), filter_of(conditions)):
            yield payloads.to_document(record.payload)

    async def write_documents(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        points = {hashing.record_id(r.document_id): payloads.document_payload(r) for r in records}
        await self._write_records(collection, points)

    async def delete_documents(self, collection: str, document_ids: Collection[str]) -> None:
        await self._delete(records_of(collection), [hashing.record_id(name) for name in document_ids])

    async def absent_documents(self, collection: str) -> AsyncIterator[AbsentDocument]:
        async for record in self._scroll(records_of(collection), filter_of(payloads.ALL_ABSENT)):
            yield payloads.to_absent(record.payload)

    async def write_absent(self, collection: str, documents: Sequence[AbsentDocument]) -> None:
        points = {hashing.record_id(d.document_id): payloads.absent_payload(d) for d in documents}
        await self._write_records(collection, points)

    async def count_failures(self, collection: str, scope: Scope | None) -> int:
        conditions = payloads.ALL_FAILING + (payloads.scope_conditions(scope) if scope else [])
        counting = self._client.count(records_of(collection), filter_of(conditions), exact=True)
        return (await self._call(counting)).count

    async def _write_records(self, collection: str, points: Mapping[str, dict[str, Any]]) -> None:
        records = [models.PointStruct(id=id_, vector={}, payload=payload) for id_, payload in points.items()]
        for batch in batches(records, BATCH):
            await self._call(self._client.upsert(records_of(collection), list(batch), wait=True))

    async def _delete(self, name: str, ids: Sequence[str]) -> None:
        for batch in batches(ids, BATCH):
            await self._call(self._client.delete(name, [*batch], wait=True))


def filter_of(conditions: Iterable[payloads.Condition]) -> models.Filter:
    conditions = list(conditions)
    exclusive = [condition for condition in conditions if isinstance(condition, payloads.Only)]
    return models.Filter(
        must=[models.FieldCondition(key=field, match=models.MatchAny(any=values)) for field, values in conditions],
        must_not=[_beside(each) for each in exclusive] or None,
    )


def _beside(condition: payloads.Only) -> models.Condition:
    """Fulfilled by a value that is none of the condition's."""
    return models.FieldCondition(key=condition.field, match=models.MatchExcept(**{"except": condition.values}))


def _has(marks: Mapping[str, str | None]) -> models.Filter:
    return models.Filter(must=[_is(field, value) for field, value in marks.items()])


def _is(field: str, value: str | None) -> models.Condition:
    if value is None:
        return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))

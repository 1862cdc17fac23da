"""Looking after the collections of a Qdrant server: which there are, what stands in them, and removing one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar, cast

from qdrant_client import AsyncQdrantClient, models

from app.adapters import payloads
from app.adapters.qdrant_errors import answer
from app.core.model import Passage
from app.metrics import CALLS_IN_PROGRESS

BATCH = 128
"""Points a request: about 1 MB of JSON."""

_RECORDS = "-records"
_STRAYS = models.Filter(
    should=[models.IsEmptyCondition(is_empty=models.PayloadField(key=field)) for field in payloads.NEEDED_FIELDS]
)
_READABLE = models.Filter(must_not=[_STRAYS])

T = TypeVar("T")


class QdrantUpkeep:
    """The part of VectorStore (qdrant_store.py) that commands use and answers do not."""

    def __init__(self, client: AsyncQdrantClient, index_name: str, timeout_s: float) -> None:
        self._client = client
        self._index_name = index_name
        self._timeout_s = timeout_s

    async def totals(self, collection: str) -> tuple[int, int]:
        is_document = models.FieldCondition(key="kind", match=models.MatchAny(any=["document"]))
        counting = self._client.count(records_of(collection), models.Filter(must=[is_document]), exact=True)
        documents = await self._call(counting)
        passages = await self._call(self._client.count(collection, exact=True))
        return documents.count, passages.count

    async def strays(self, collection: str) -> list[str]:
        return [str(record.id) async for record in self._scroll(collection, _STRAYS, with_payload=False)]

    async def broken_vectors(self, collection: str) -> AsyncIterator[Passage]:
        async for record in self._scroll(collection, _READABLE, with_vectors=[payloads.VECTOR]):
            if payloads.is_broken(vector_of(record)):
                yield payloads.to_passage(record.id, record.payload)

    async def collections(self) -> list[str]:
        there = await self._call(self._client.get_collections())
        names = {collection.name.removesuffix(_RECORDS) for collection in there.collections}
        return sorted(name for name in names if payloads.is_collection_of(self._index_name, name))

    async def drop(self, collection: str) -> None:
        for name in (records_of(collection), collection):
            await self._call(self._client.delete_collection(name))

    async def _scroll(
        self,
        name: str,
        wanted: models.Filter,
        with_payload: bool | list[str] = True,
        with_vectors: bool | list[str] = False,
    ) -> AsyncIterator[models.Record]:
        offset = None
        while True:
            request = self._client.scroll(
                name, wanted, limit=BATCH, offset=offset, with_payload=with_payload, with_vectors=with_vectors
            )
            page, offset = await self._call(request)
            for record in page:
                yield record
            if offset is None:
                return

    async def _call(self, request: Awaitable[T]) -> T:
        with CALLS_IN_PROGRESS.labels("qdrant").track_inprogress():
            return await answer(request, self._timeout_s)


def vector_of(record: models.Record) -> list[float] | None:
    return cast("dict[str, list[float]]", record.vector or {}).get(payloads.VECTOR)


def records_of(name: str) -> str:
    """The collection, or alias, that holds the records beside the passages of `name`."""
    return f"{name}{_RECORDS}"

"""A Qdrant server or cluster, behind the port VectorStore.

    <collection>             passages
    <collection>-records     documents and the state record
    <index name>             alias of the first; <index name>-records of the second; always switched together

Import this module only when it is used: qdrant_client takes seconds to load.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import httpx
from qdrant_client import AsyncQdrantClient, models

from app.adapters import bm25, payloads, qdrant_search
from app.adapters.payloads import batches
from app.adapters.qdrant_records import MARKS, QdrantRecords, filter_of
from app.adapters.qdrant_upkeep import BATCH, records_of, vector_of
from app.core import fusion
from app.core.model import Candidate, EmbeddedPassage, Passage, Place, Query, Scope
from app.core.records import IndexSpec, StateRecord
from app.errors import StoreUnavailable

TIMEOUT_S = 10.0


class _Vectors(NamedTuple):
    """What points of a collection have, by name."""

    dense: Mapping[str, models.VectorParams]
    sparse: Mapping[str, models.SparseVectorParams]


def connect(url: str, api_key: str | None, timeout_s: float = TIMEOUT_S) -> AsyncQdrantClient:
    """A client for the server at `url`. Connects with its first request."""
    return AsyncQdrantClient(
        url=url,
        api_key=api_key or None,
        timeout=math.ceil(timeout_s),
        # The client keeps no connection to localhost alive unless it is told to.
        limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
        check_compatibility=False,  # asks in a thread of its own, and only to warn
    )


class QdrantStore(QdrantRecords):
    """VectorStore on a ready client, which it closes. `timeout_s` bounds each request."""

    def __init__(self, client: AsyncQdrantClient, index_name: str, *, timeout_s: float = TIMEOUT_S) -> None:
        super().__init__(client, index_name, timeout_s)
        self.shared = True

    async def state(self) -> StateRecord | None:
        return await self.read_state(self._index_name)  # the alias stands for the collection

    async def search(self, collection: str, query: Query, limit: int, scope: Scope) -> list[Candidate]:
        """In one request, unless scores tie where a leg is cut off."""
        terms = bm25.of_question(query.text, query.languages)
        depth = max(limit, fusion.DEPTH) if terms.indices else limit
        fetched = depth + 1
        legs = await self._legs(collection, qdrant_search.requests(query, terms, fetched, scope))
        while any(payloads.tie_is_cut([point.score for point in leg], depth, fetched) for leg in legs[:2]):
            fetched *= 2
            legs = await self._legs(collection, qdrant_search.requests(query, terms, fetched, scope))
        return fusion.fused(qdrant_search.candidates(legs), limit)

    async def passages_at(self, collection: str, places: Collection[Place], scope: Scope) -> list[Passage]:
        if not places:
            return []
        there = qdrant_search.at(places, scope)
        records, _ = await self._call(self._client.scroll(collection, there, limit=2 * len(places)))
        return [payloads.to_passage(record.id, record.payload) for record in records]

    async def count(self, collection: str, scope: Scope) -> tuple[int, int]:
        visible = filter_of(payloads.scope_conditions(scope))
        documents = await self._call(self._client.count(records_of(collection), visible, exact=True))
        passages = await self._call(self._client.count(collection, visible, exact=True))
        return documents.count, passages.count

    async def visible(self, collection: str, document_ids: Collection[str], scope: Scope) -> set[str]:
        wanted = filter_of([*payloads.scope_conditions(scope), ("document_id", list(document_ids))])
        facet = self._client.facet(collection, "document_id", wanted, limit=max(1, len(document_ids)), exact=True)
        return {str(hit.value) for hit in (await self._call(facet)).hits}

    async def create(self, spec: IndexSpec) -> None:
        dense = models.VectorParams(size=spec.dimension, distance=models.Distance.COSINE)
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        passages = _Vectors({payloads.VECTOR: dense}, {payloads.SPARSE: sparse})
        await self._ensure(spec.collection, passages, payloads.PASSAGE_FIELDS)
        await self._ensure(records_of(spec.collection), _Vectors({}, {}), (*payloads.RECORD_FIELDS, *MARKS))
        await self._check_dimension(spec)

    async def switch(self, collection: str) -> None:
        """Creating an alias that stands moves it; the server applies all operations of one request at once."""
        moves = [(self._index_name, collection), (records_of(self._index_name), records_of(collection))]
        operations = [
            models.CreateAliasOperation(create_alias=models.CreateAlias(alias_name=alias, collection_name=name))
            for alias, name in moves
        ]
        await self._call(self._client.update_collection_aliases(operations))

    async def passages(self, collection: str, document_id: str) -> list[Passage]:
        records = self._scroll(collection, filter_of([("document_id", [document_id])]))
        found = [payloads.to_passage(record.id, record.payload) async for record in records]
        return sorted(found, key=lambda passage: (passage.position, passage.passage_id))

    async def document_ids(self, collection: str) -> set[str]:
        records = self._scroll(collection, filter_of([]), with_payload=["document_id"])
        return {id_ async for record in records if (id_ := (record.payload or {}).get("document_id"))}

    async def vectors(self, collection: str, content_hashes: Collection[str]) -> Mapping[str, list[float]]:
        found: dict[str, list[float]] = {}
        for batch in batches(list(content_hashes), BATCH):
            wanted = set(batch)
            # A page may hold many points of one hash: ask again for the rest until nothing more comes.
            while wanted and (some := await self._some_vectors(collection, wanted)):
                found |= some
                wanted -= some.keys()
        return found

    async def write_passages(self, collection: str, passages: Sequence[EmbeddedPassage]) -> None:
        for batch in batches(passages, BATCH):
            points = [
                models.PointStruct(
                    id=item.passage.passage_id,
                    vector={payloads.VECTOR: payloads.unit(item.vector), payloads.SPARSE: _sparse(item.passage)},
                    payload=payloads.passage_payload(item.passage),
                )
                for item in batch
            ]
            await self._call(self._client.upsert(collection, points, wait=True))

    async def update_passages(self, collection: str, passages: Sequence[Passage]) -> None:
        for batch in batches(passages, BATCH):
            ids: list[models.ExtendedPointId] = [passage.passage_id for passage in batch]
            standing = await self._call(self._client.retrieve(collection, ids, with_payload=False))
            if len(standing) < len(set(ids)):
                raise StoreUnavailable("A passage to update is not in the index: run `make ingest` again.")
            operations = [
                models.OverwritePayloadOperation(
                    overwrite_payload=models.SetPayload(
                        payload=payloads.passage_payload(passage), points=[passage.passage_id]
                    )
                )
                for passage in batch
            ]
            sparse = [models.PointVectors(id=p.passage_id, vector={payloads.SPARSE: _sparse(p)}) for p in batch]
            vectors = models.UpdateVectorsOperation(update_vectors=models.UpdateVectors(points=sparse))
            await self._call(self._client.batch_update_points(collection, [*operations, vectors], wait=True))

    async def delete_passages(self, collection: str, passage_ids: Collection[str]) -> None:
        await self._delete(collection, list(passage_ids))

    async def flush(self, collection: str) -> None:
        """Nothing to do: every write waited until the server had it in its log and applied it."""

    async def close(self) -> None:
        await self._call(self._client.close())

    async def _legs(self, collection: str, requests: Sequence[models.QueryRequest]) -> list[list[models.ScoredPoint]]:
        found = await self._call(self._client.query_batch_points(collection, requests))
        if len(found) != len(requests):
            raise StoreUnavailable("Qdrant answered another question: check QDRANT_URL.")
        return [response.points for response in found]

    async def _ensure(self, name: str, vectors: _Vectors, fields: Iterable[str]) -> None:
        if not await self._call(self._client.collection_exists(name)):
            await self._create(name, vectors)
        for field in fields:
            await self._call(self._client.create_payload_index(name, field, _index_of(field), wait=True))

    async def _create(self, name: str, vectors: _Vectors) -> None:
        try:
            creating = self._client.create_collection(
                name, vectors_config=vectors.dense, sparse_vectors_config=vectors.sparse
            )
            await self._call(creating)
        except StoreUnavailable:  # another job may have been faster
            if not await self._call(self._client.collection_exists(name)):
                raise

    async def _check_dimension(self, spec: IndexSpec) -> None:
        info = await self._call(self._client.get_collection(spec.collection))
        vectors = cast("dict[str, models.VectorParams]", info.config.params.vectors)
        if vectors[payloads.VECTOR].size != spec.dimension:
            raise StoreUnavailable(f"The collection {spec.collection} was built for another dimension.")

    async def _some_vectors(self, collection: str, content_hashes: Iterable[str]) -> dict[str, list[float]]:
        wanted = filter_of([("content_hash", list(content_hashes))])
        request = self._client.scroll(collection, wanted, limit=BATCH, with_payload=["content_hash"], with_vectors=True)
        page, _ = await self._call(request)
        return payloads.whole_vectors((record.payload or {}, vector_of(record)) for record in page)


def _sparse(passage: Passage) -> models.SparseVector:
    terms = bm25.of_passage(passage)
    return models.SparseVector(indices=terms.indices, values=terms.values)


def _index_of(field: str) -> models.KeywordIndexParams | models.IntegerIndexParams:
    if field == payloads.POSITION:
        return models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False)
    return models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD, is_tenant=True if field == payloads.TENANTS else None
    )

"""A store that a whole job can run on without changing anything."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence

from app.core.model import Candidate, EmbeddedPassage, Passage, Place, Query, Scope
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, StateRecord
from app.errors import StoreUnavailable
from app.ports import VectorStore


class ReadOnlyStore:
    """VectorStore that reads from the one behind it and forgets what it is told to write, except which contents were
    given a vector and which passages were removed. A collection that would have to be created looks empty.

    Every method stands here by name: one that is added to the port can't slip through and write.
    """

    shared = False  # who writes nothing needs no lease

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self._missing: str | None = None
        self._made: set[str] = set()
        self._removed: set[str] = set()

    async def state(self) -> StateRecord | None:
        return await self._store.state()

    async def search(self, collection: str, query: Query, limit: int, scope: Scope) -> list[Candidate]:
        return await self._store.search(collection, query, limit, scope)

    async def passages_at(self, collection: str, places: Collection[Place], scope: Scope) -> list[Passage]:
        return await self._store.passages_at(collection, places, scope)

    async def count(self, collection: str, scope: Scope) -> tuple[int, int]:
        return await self._store.count(collection, scope)

    async def visible(self, collection: str, document_ids: Collection[str], scope: Scope) -> set[str]:
        return await self._store.visible(collection, document_ids, scope)

    async def create(self, spec: IndexSpec) -> None:
        await self._store.read_state(spec.collection)  # raises when the store does not answer
        try:
            await self._store.totals(spec.collection)
        except StoreUnavailable:
            self._missing = spec.collection

    async def read_state(self, collection: str) -> StateRecord | None:
        return await self._store.read_state(collection)

    async def write_state(self, state: StateRecord, known: StateRecord | None = None) -> None:
        pass

    async def switch(self, collection: str) -> None:
        pass

    async def documents(self, collection: str) -> AsyncIterator[DocumentRecord]:
        if collection != self._missing:
            async for record in self._store.documents(collection):
                yield record

    def find_documents(self, collection: str, scope: Scope) -> AsyncIterator[DocumentRecord]:
        return self._store.find_documents(collection, scope)

    async def write_documents(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        pass

    async def delete_documents(self, collection: str, document_ids: Collection[str]) -> None:
        pass

    async def absent_documents(self, collection: str) -> AsyncIterator[AbsentDocument]:
        if collection != self._missing:
            async for document in self._store.absent_documents(collection):
                yield document

    async def write_absent(self, collection: str, documents: Sequence[AbsentDocument]) -> None:
        pass

    async def count_failures(self, collection: str, scope: Scope | None) -> int:
        return await self._store.count_failures(collection, scope)

    async def passages(self, collection: str, document_id: str) -> list[Passage]:
        stored = [] if collection == self._missing else await self._store.passages(collection, document_id)
        return [passage for passage in stored if passage.passage_id not in self._removed]

    async def document_ids(self, collection: str) -> set[str]:
        return set() if collection == self._missing else await self._store.document_ids(collection)

    async def vectors(self, collection: str, content_hashes: Collection[str]) -> Mapping[str, list[float]]:
        stored = {} if collection == self._missing else await self._store.vectors(collection, content_hashes)
        # Looked up last: another document may have been written during the await.
        return {**stored, **{content: [] for content in content_hashes if content in self._made}}

    async def write_passages(self, collection: str, passages: Sequence[EmbeddedPassage]) -> None:
        self._made.update(item.passage.content_hash for item in passages)

    async def update_passages(self, collection: str, passages: Sequence[Passage]) -> None:
        pass

    async def delete_passages(self, collection: str, passage_ids: Collection[str]) -> None:
        self._removed.update(passage_ids)

    async def flush(self, collection: str) -> None:
        pass

    async def totals(self, collection: str) -> tuple[int, int]:
        return (0, 0) if collection == self._missing else await self._store.totals(collection)

    async def strays(self, collection: str) -> list[str]:
        return [] if collection == self._missing else await self._store.strays(collection)

    async def broken_vectors(self, collection: str) -> AsyncIterator[Passage]:
        if collection != self._missing:
            async for passage in self._store.broken_vectors(collection):
                if passage.passage_id not in self._removed:
                    yield passage

    async def collections(self) -> list[str]:
        return await self._store.collections()

    async def drop(self, collection: str) -> None:
        pass

    async def close(self) -> None:
        pass

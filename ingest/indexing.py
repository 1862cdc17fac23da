"""Bringing single documents of the index to a wanted version: what a job and a push have in common.

The order of writes makes it safe to stop anywhere: `updating` before anything else, a document's new passages
before its old ones go, its record after its passages, the revision and `ready` last.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from msgspec import structs

from app.core import hashing
from app.core.model import Passage
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, Origin, StateRecord
from app.errors import StoreUnavailable
from app.ports import Embedder, VectorStore
from ingest import integrity, plan
from ingest.access import Access, narrowed
from ingest.chunking import CHUNKER_VERSION
from ingest.embedding import Vectors
from ingest.generation import Generation
from ingest.progress import PassageCounts

WRITES_AT_ONCE = 128
"""Points: one request to a server."""

T = TypeVar("T")


def spec_for(index_name: str, embedder: Embedder) -> IndexSpec:
    """The physical collection that this embedder and this chunker build."""
    fingerprint = hashing.fingerprint(embedder.identity, embedder.dimension, CHUNKER_VERSION)
    return IndexSpec(f"{index_name}-{fingerprint}", fingerprint, embedder.name, embedder.dimension)


def _embeds_alike(state: StateRecord, embedder: Embedder) -> bool:
    return hashing.embeds_alike(state.fingerprint, embedder.identity, embedder.dimension, CHUNKER_VERSION)


class Indexer:
    """Writes to one collection, while it is `opened`, and knows every document's record."""

    def __init__(self, store: VectorStore, embedder: Embedder, spec: IndexSpec) -> None:
        self._store = store
        self._embedder = embedder
        self.collection = spec.collection
        self._generation = Generation(store, spec)
        self._vectors = Vectors(store, spec.collection, embedder)
        self.resumed = False
        """Whether an earlier job was cut short, or passages were lost: no record is believed before it was compared."""
        self.records: dict[str, DocumentRecord] = {}
        self.absent: dict[str, AbsentDocument] = {}
        """Those that failed and have no good version."""
        self.passages = PassageCounts()

    @asynccontextmanager
    async def opened(self, mend: bool = False) -> AsyncIterator[None]:
        """Hold the index for the length of the block, in which nobody else writes; with `mend`, believe no record.

        Raises JobRunning when another job holds it.
        """
        try:
            await self._open(mend)
            yield
        finally:
            await self._generation.close()

    async def _open(self, mend: bool) -> None:
        self.resumed = await self._generation.open(mend)
        self.records = {r.document_id: r async for r in self._store.documents(self.collection)}
        self.absent = {a.document_id: a async for a in self._store.absent_documents(self.collection)}
        if not self.resumed and not await self._holds_last_written():
            self._generation.distrust()
            self.resumed = True
        served = await self._store.state()
        if served is not None and served.collection != self.collection and _embeds_alike(served, self._embedder):
            self._vectors.look_into(served.collection)

    async def answering(self) -> Collection[DocumentRecord]:
        """The records of what answers now: of this collection, or of the one that it will follow."""
        served = await self._store.state()
        if served is None:
            return []
        if served.collection == self.collection:
            return self.records.values()
        return [record async for record in self._store.documents(served.collection)]

    async def finish(self) -> StateRecord:
        """Make it durable and let it answer. The counts are complete then."""
        state = await self._generation.finish(self.records.values())
        self.passages.embedded = self.embedded
        self.passages.reused -= self.embedded
        self.passages.total = state.passages
        return state

    async def leave(self) -> StateRecord:
        """Make it durable, and leave the index to a job that can mend what another one left half done."""
        return await self._generation.leave()

    @property
    def embedded(self) -> int:
        """Passages embedded so far."""
        return self._vectors.embedded

    async def holds(self, record: DocumentRecord) -> bool:
        """Whether the passages are those that the record tells of."""
        if not self.resumed:
            return True
        stored = await self._store.passages(self.collection, record.document_id)
        return not integrity.findings(record, stored)

    async def _holds_last_written(self) -> bool:
        """Whether the newest passages are there: not so where an older copy of the passages alone was put in place."""
        record = self.records.get(self._generation.last_written or "")
        if record is None:  # it was removed since
            return True
        try:
            stored = await self._store.passages(self.collection, record.document_id)
        except StoreUnavailable:  # one of them is no whole passage; or the next call says the same
            return False
        return not integrity.findings(record, stored)

    async def holds_folder(self) -> bool:
        """Whether every document of the folder is whole: only a job that reads the folder could mend one."""
        folder = [record for record in self.records.values() if record.origin == "folder"]
        return not self.resumed or all([await self.holds(record) for record in folder])

    async def write(self, record: DocumentRecord, wanted: Sequence[Passage]) -> None:
        """Make the stored passages of one document the wanted ones, then its record. Raises EmbeddingFailed before
        the first write."""
        stored = await self._store.passages(self.collection, record.document_id)
        changes = plan.changes(wanted, stored)
        try:
            embedded = await self._vectors.of(changes.add)  # every one before the first write: all or nothing
            await self._each(self._store.write_passages, embedded)
        finally:
            self._vectors.forget(changes.add)
        await self._each(self._store.update_passages, changes.update)
        if any(structs.astuple(changes)):
            self._generation.wrote(record.document_id)
        removed = set(changes.remove)
        await self._vectors.keep(passage.content_hash for passage in stored if passage.passage_id in removed)
        await self._each(self._store.delete_passages, changes.remove)
        await self._write_record(record)
        self.passages.reused += len(wanted)  # those embedded are taken off at the end
        self.passages.updated += len(changes.update)
        self.passages.removed += len(changes.remove)

    async def fail(self, document_id: str, origin: Origin, failure: str, failed_bytes: str | None = None) -> None:
        """Keep why a document failed; its last good version stays. A document of another origin is not touched.

        A version that a job cut short has mixed with another one is no good version, and goes.
        """
        record = self.records.get(document_id)
        if record is not None and record.origin != origin:
            return
        if record is not None and not await self.holds(record):
            await self.remove(document_id)
            record = None
        if record is None:
            absent = AbsentDocument(document_id=document_id, origin=origin, failure=failure, failed_bytes=failed_bytes)
            await self._write_absent(absent)
        elif (record.failure, record.failed_bytes) != (failure, failed_bytes):
            await self._write_record(structs.replace(record, failure=failure, failed_bytes=failed_bytes))

    async def narrow(self, record: DocumentRecord, ceiling: Access) -> None:
        """Let nobody see a document whom `ceiling` does not let in, without reading it again."""
        access = narrowed(record.access, ceiling)
        if set(access) == set(record.access):
            return
        stored = await self._store.passages(self.collection, record.document_id)
        passages = [structs.replace(passage, access=access) for passage in stored]
        await self._each(self._store.update_passages, passages)
        # Without its byte hash it is read again as soon as it can be, and then has the access that it asks for.
        digest = hashing.index_digest(passages)
        await self._write_record(structs.replace(record, access=access, index_digest=digest, byte_hash=""))

    async def succeed(self, record: DocumentRecord) -> None:
        """Forget a failure of the document: its newest version is the one that stands here."""
        if record.failure is not None:
            await self._write_record(structs.replace(record, failure=None, failed_bytes=None))

    async def remove(self, document_id: str) -> None:
        """Remove a document, its passages first."""
        await self._remove_passages(document_id)
        await self._each(self._store.delete_documents, [document_id])
        self.records.pop(document_id, None)
        self.absent.pop(document_id, None)

    async def remove_strays(self) -> None:
        """Remove what stands among the passages and can't be read as one."""
        if self.resumed:
            await self._each(self._store.delete_passages, await self._store.strays(self.collection))

    async def mend_vectors(self) -> None:
        """Embed again what stands there whole but for its vector. Raises EmbeddingFailed."""
        if self.resumed:
            broken: list[Passage] = []
            async for passage in self._store.broken_vectors(self.collection):
                broken.append(passage)
                if len(broken) == WRITES_AT_ONCE:
                    await self._embed_again(broken)
                    broken = []
            await self._embed_again(broken)

    async def remove_broken_pushes(self) -> None:
        """Remove pushed documents that lost passages or are a mix of two versions: no file can make them whole again.

        That they must be pushed again is kept as their failure.
        """
        if self.resumed:
            for record in [record for record in self.records.values() if record.origin == "push"]:
                if not await self.holds(record):
                    await self.fail(record.document_id, "push", "passages of it were lost: push it again")

    async def remove_orphans(self) -> None:
        """Remove passages that a job cut short left without a record."""
        if self.resumed:
            for document_id in await self._store.document_ids(self.collection) - self.records.keys():
                await self._remove_passages(document_id)

    async def _embed_again(self, passages: Sequence[Passage]) -> None:
        await self._each(self._store.write_passages, await self._vectors.of(passages))
        self.passages.reused += len(passages)  # those embedded are taken off at the end
        self._vectors.forget(passages)

    async def _remove_passages(self, document_id: str) -> None:
        stored = await self._store.passages(self.collection, document_id)
        await self._each(self._store.delete_passages, [passage.passage_id for passage in stored])
        self.passages.removed += len(stored)

    async def _write_record(self, record: DocumentRecord) -> None:
        await self._each(self._store.write_documents, [record])
        self.records[record.document_id] = record
        self.absent.pop(record.document_id, None)

    async def _write_absent(self, absent: AbsentDocument) -> None:
        if self.absent.get(absent.document_id) != absent:
            await self._each(self._store.write_absent, [absent])
            self.absent[absent.document_id] = absent

    async def _each(self, write: Callable[[str, Sequence[T]], Awaitable[None]], items: Sequence[T]) -> None:
        """Write the items, no more at once than one look at the lease can answer for."""
        for start in range(0, len(items), WRITES_AT_ONCE):
            await self._generation.begin()
            await write(self.collection, items[start : start + WRITES_AT_ONCE])

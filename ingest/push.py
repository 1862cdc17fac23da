"""One document pushed, or taken back, by an application: with the guarantees of a job.

A push into an index that a job left half done writes its own document and leaves the rest to the next job, unless
nothing but pushed documents needs mending.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from app.core.records import StateRecord
from app.errors import EmbeddingFailed
from app.ports import Embedder, VectorStore
from ingest import plan, pushed
from ingest.errors import FolderDocument, OtherIndex, UnknownDocument, UnreadableDocument
from ingest.indexing import Indexer, spec_for
from ingest.progress import PassageCounts
from ingest.pushed import Push
from ingest.reading import Readers

Change = Literal["added", "changed", "unchanged", "removed"]


class Pushed(Struct, frozen=True):
    document_id: str
    change: Change
    revision: str
    generation: int
    state: Literal["ready", "updating"]
    passages: PassageCounts


async def put(store: VectorStore, embedder: Embedder, index_name: str, push: Push, readers: Readers) -> Pushed:
    """Index a document, or a new version of it.

    Raises BadPush, FolderDocument, OtherIndex and JobRunning before anything is written; UnreadableDocument and
    EmbeddingFailed when its last version stays, with the reason beside it; and StoreError: then push it again.
    """
    pushed.check(push)
    indexer = await _indexer(store, embedder, index_name)
    async with indexer.opened():
        _check_origin(indexer, push.document_id)
        try:
            change = await _index(indexer, readers, push)
        except (UnreadableDocument, EmbeddingFailed) as exc:
            await indexer.fail(push.document_id, "push", str(exc))
            await _finish(indexer)
            raise
        return _reply(push.document_id, change, await _finish(indexer), indexer)


async def delete(store: VectorStore, embedder: Embedder, index_name: str, document_id: str) -> Pushed:
    """Remove a pushed document. Raises UnknownDocument, and what `put` raises of errors that are not the document's."""
    pushed.check_id(document_id)
    if await store.state() is None:
        raise UnknownDocument("Nothing was pushed yet.")
    indexer = await _indexer(store, embedder, index_name)
    async with indexer.opened():
        _check_origin(indexer, document_id)
        if document_id not in indexer.records.keys() | indexer.absent.keys():
            if indexer.resumed:  # perhaps by a try to remove this very document
                await _finish(indexer)
            raise UnknownDocument(f"There is no document {document_id}: GET /v1/index/documents lists those there are.")
        await indexer.remove(document_id)
        return _reply(document_id, "removed", await _finish(indexer), indexer)


async def _indexer(store: VectorStore, embedder: Embedder, index_name: str) -> Indexer:
    """Of the collection that answers, or of the first one. A single document must not become a whole new index."""
    spec = spec_for(index_name, embedder)
    served = await store.state()
    if served is not None and served.collection != spec.collection:
        raise OtherIndex("The index was built by another model or version: run `make ingest`, then push again.")
    return Indexer(store, embedder, spec)


def _check_origin(indexer: Indexer, document_id: str) -> None:
    known = indexer.records.get(document_id) or indexer.absent.get(document_id)
    if known is not None and known.origin == "folder":
        raise FolderDocument(
            f"{document_id} comes from the folder of documents: change or remove the file there,"
            " or push it under another id."
        )


async def _index(indexer: Indexer, readers: Readers, push: Push) -> Change:
    known = indexer.records.get(push.document_id)
    if known is not None and known.byte_hash == push.byte_hash and await indexer.holds(known):
        await indexer.succeed(known)
        return "unchanged"
    read = await readers.read(push.document_id, push.content, name=push.name, said=push.said)
    record = plan.record_of(push.document_id, "push", push.byte_hash, read.document, read.passages)
    await indexer.write(record, read.passages)
    return "changed" if known else "added"


async def _finish(indexer: Indexer) -> StateRecord:
    if not await indexer.holds_folder():
        return await indexer.leave()
    await indexer.remove_strays()
    await indexer.remove_broken_pushes()
    await indexer.remove_orphans()
    await indexer.mend_vectors()
    return await indexer.finish()


def _reply(document_id: str, change: Change, state: StateRecord, indexer: Indexer) -> Pushed:
    return Pushed(document_id, change, state.revision, state.generation, state.state, indexer.passages)

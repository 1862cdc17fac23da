"""The ingestion job: bring the index in step with a folder, document by document.

It may be stopped anywhere and run again (see indexing.py). A job that finds `updating` follows one that was cut short,
and believes no record until it has compared it with the passages that are there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path

from msgspec import structs

from app.core import hashing
from app.core.model import DocumentRecord, Passage, StateRecord
from app.errors import EmbeddingFailed
from app.logs import log
from app.ports import Embedder, VectorStore
from ingest import plan, removals
from ingest.chunking import chunk, fit_title
from ingest.document import Document
from ingest.errors import NothingToIngest, UnreadableDocument
from ingest.indexing import Indexer, spec_for
from ingest.progress import DocumentCounts, Failure, Progress, Report, Summary
from ingest.readers import read
from ingest.sources import SourceFile, find_files, read_bytes

DOCUMENTS_AT_ONCE = 4
"""Read, chunked and written side by side, so that the embedder never waits for the next one."""


async def run(
    store: VectorStore,
    embedder: Embedder,
    index_name: str,
    corpus: Path,
    report: Report,
    *,
    allow_removals: bool = False,
    mend: bool = False,
) -> Summary:
    """Index every document below `corpus`; remove those of earlier runs that are gone.

    Suspiciously many are removed only when `allow_removals` is set. To `mend` is to compare every record with what
    is stored, and to believe none.

    Raises NothingToIngest and RemovalsRefused before anything is written, and StoreError when the store fails: then
    run it again.
    """
    started = time.monotonic()
    files = await asyncio.to_thread(lambda: list(find_files(corpus)))
    if not files:
        raise NothingToIngest(f"{corpus} holds no document: set CORPUS to a folder with .md or .txt files.")
    indexer = Indexer(store, embedder, spec_for(index_name, embedder))
    await indexer.open(mend)
    if not allow_removals:
        await asyncio.to_thread(removals.check, await indexer.answering(), files)
    job = _Job(indexer, embedder)
    state = await job.run(files, report)
    seconds = round(time.monotonic() - started, 3)
    return Summary(job.documents, indexer.passages, seconds, state.revision, state.state)


class _Job:
    def __init__(self, indexer: Indexer, embedder: Embedder) -> None:
        self._indexer = indexer
        self._embedder = embedder
        self.documents = DocumentCounts()

    async def run(self, files: Sequence[SourceFile], report: Report) -> StateRecord:
        await self._indexer.remove_strays()
        await self._index_all(files, report)
        await self._remove_missing(files)
        return await self._indexer.finish()

    async def _index_all(self, files: Sequence[SourceFile], report: Report) -> None:
        waiting = iter(files)
        done = 0

        async def work() -> None:
            nonlocal done
            for file in waiting:
                failure = await self._index_or_fail(file)
                done += 1
                report(Progress(done, len(files), self._indexer.embedded, failure))

        await _all_or_first_error([work() for _ in range(DOCUMENTS_AT_ONCE)])

    async def _index_or_fail(self, file: SourceFile) -> Failure | None:
        """Index one document. A fault of its own is its failure, not the job's, and its last version stays."""
        try:
            await self._index(file)
        except (UnreadableDocument, EmbeddingFailed) as exc:
            self.documents.failed += 1
            return Failure(file.document_id, str(exc))
        return None

    async def _index(self, file: SourceFile) -> None:
        record = self._indexer.records.get(file.document_id)
        if record is not None and record.origin != "folder":
            raise UnreadableDocument("a document of this id was pushed over HTTP: rename the file")
        data = await asyncio.to_thread(read_bytes, file)
        byte_hash = hashing.byte_hash(data)
        if record is not None and record.byte_hash == byte_hash and await self._indexer.holds(record):
            self.documents.unchanged += 1
            return
        document, wanted = await asyncio.to_thread(self._read, file, data)
        await self._indexer.write(_record(file.document_id, byte_hash, document, wanted), wanted)
        if record is None:
            self.documents.added += 1
        else:
            self.documents.changed += 1

    def _read(self, file: SourceFile, data: bytes) -> tuple[Document, list[Passage]]:
        try:
            return self._read_and_chunk(file, data)
        except UnreadableDocument:
            raise
        except Exception as exc:  # no document may take the job down, whatever its reader stumbles over
            log.error("ingest.reader_failed", document_id=file.document_id, exc_info=exc)
            raise UnreadableDocument(f"its reader failed ({type(exc).__name__})") from exc

    def _read_and_chunk(self, file: SourceFile, data: bytes) -> tuple[Document, list[Passage]]:
        tokenizer = self._embedder.tokenizer
        document = read(file.document_id, data)
        document = structs.replace(document, title=fit_title(document.title, tokenizer))
        pieces = chunk(document, tokenizer)
        if not pieces:
            raise UnreadableDocument("it holds no text")
        return document, plan.passages_of(file.document_id, document, pieces)

    async def _remove_missing(self, files: Iterable[SourceFile]) -> None:
        """Remove the folder's documents that are gone, and passages that a cut job left without a record."""
        for record in removals.gone(self._indexer.records.values(), files):
            await self._indexer.remove(record.document_id)
            self.documents.removed += 1
        await self._indexer.remove_orphans()


def _record(document_id: str, byte_hash: str, document: Document, passages: Sequence[Passage]) -> DocumentRecord:
    return DocumentRecord(
        document_id=document_id,
        origin="folder",
        byte_hash=byte_hash,
        index_digest=hashing.index_digest(passages),
        title=document.title,
        passages=len(passages),
        url=document.url,
        updated_at=document.updated_at,
        tags=document.tags,
        access=document.access,
    )


async def _all_or_first_error(work: Sequence[Coroutine[None, None, None]]) -> None:
    """Run side by side; the first error cancels the others and is raised as itself, not in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None

"""The ingestion job: bring the index in step with a folder, document by document.

It may be stopped anywhere and run again (see indexing.py). A job that finds `updating` follows one that was cut short,
and believes no record until it has compared it with the passages that are there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

from app.core.records import StateRecord
from app.errors import EmbeddingFailed
from app.ports import Embedder, VectorStore
from ingest import carrying, plan, removals
from ingest.concurrency import all_or_first_error
from ingest.embedding import IN_FLIGHT
from ingest.errors import NothingToIngest, UnreadableDocument
from ingest.indexing import Indexer, spec_for
from ingest.intake import Intake
from ingest.patterns import IGNORE_FILE
from ingest.progress import DocumentCounts, Failure, Progress, Report, Summary
from ingest.pushed import ID_TAKEN
from ingest.reading import Readers
from ingest.sources import DEFAULT, SourceFile, file_hash, find_files, folder_identity, read_bytes

DOCUMENTS_AT_ONCE = IN_FLIGHT + 2
"""Read, embedded and written side by side, so that the embedder never waits for the next one."""
HASHED_AT_ONCE = 64
"""Files between two looks at the event loop."""
_WENT_AWAY = Failure(
    ".", "the folder went away, or another one came in its place, while it was read: nothing was removed; run it again"
)
"""A renamed document whose file could not be read any more must not lose its last version."""


async def run(
    store: VectorStore,
    embedder: Embedder,
    index_name: str,
    corpus: Path,
    report: Report,
    intake: Intake = DEFAULT,
    *,
    allow_removals: bool = False,
    mend: bool = False,
    only: Collection[str] | None = None,
) -> Summary:
    """Index every document below `corpus`; remove those of earlier runs that are gone.

    Suspiciously many are removed only when `allow_removals` is set. To `mend` is to compare every record with what
    is stored, and to believe none. With `only`, documents of other ids are left as they are, unless an earlier job was
    cut short: then the whole of its work has to be done again.

    Raises NothingToIngest, JobRunning and RemovalsRefused before anything is written, and StoreError when the store
    fails: then run it again.
    """
    started = time.monotonic()
    standing = folder_identity(corpus)
    files = await asyncio.to_thread(lambda: list(find_files(corpus, intake)))
    if not files and not allow_removals:
        raise NothingToIngest(
            f"{corpus} holds no document: check CORPUS, INCLUDE and the folder's {IGNORE_FILE}."
            " If it is meant to be empty, run it again with --allow-removals."
        )
    indexer = Indexer(store, embedder, spec_for(index_name, embedder))
    readers = Readers(embedder.tokenizer, timeout_s=intake.reader_timeout_s)
    last = carrying.LastVersions(store, indexer)
    job = _Job(indexer, readers, intake, last)
    async with indexer.opened(mend), readers:
        if not allow_removals:
            await asyncio.to_thread(removals.check, await indexer.answering(), files, intake)
        await carrying.carry_pushed(store, indexer)
        await last.look_up()
        stands = partial(_stands, corpus, standing)
        state = await job.run(files, report, None if indexer.resumed else only, stands)
    seconds = round(time.monotonic() - started, 3)
    return Summary(job.documents, indexer.passages, seconds, state.revision, state.state)


class _Job:
    def __init__(self, indexer: Indexer, readers: Readers, intake: Intake, last: carrying.LastVersions) -> None:
        self._indexer = indexer
        self._readers = readers
        self._intake = intake
        self._last = last
        self.documents = DocumentCounts()

    async def run(
        self, files: Sequence[SourceFile], report: Report, only: Collection[str] | None, stands: Callable[[], bool]
    ) -> StateRecord:
        """A folder that no longer `stands` when it was read takes nothing along."""
        await self._indexer.remove_strays()
        asked = files if only is None else [file for file in files if file.document_id in only]
        await self._index_all(asked, report)
        if await asyncio.to_thread(stands):
            await self._remove_missing(files, only)
        else:
            self.documents.failed += 1
            report(Progress(len(asked), len(files), self._indexer.embedded, _WENT_AWAY))
        await self._indexer.remove_broken_pushes()
        await self._indexer.remove_orphans()
        await self._indexer.mend_vectors()
        return await self._indexer.finish()

    async def _index_all(self, files: Sequence[SourceFile], report: Report) -> None:
        done = 0

        def tell(failure: Failure | None = None) -> None:
            nonlocal done
            done += 1
            report(Progress(done, len(files), self._indexer.embedded, failure))

        async with aclosing(self._changed(files, tell)) as changed:
            turns = asyncio.Lock()

            async def take() -> SourceFile | None:
                async with turns:
                    return await anext(changed, None)

            async def work() -> None:
                while (file := await take()) is not None:
                    tell(await self._index_or_fail(file))

            await all_or_first_error([work() for _ in range(DOCUMENTS_AT_ONCE)])

    async def _changed(self, files: Sequence[SourceFile], tell: Callable[[], None]) -> AsyncGenerator[SourceFile, None]:
        """The files to look into; the others are counted. In batches: a call for each would cost more than its hash."""
        for first in range(0, len(files), HASHED_AT_ONCE):
            batch = files[first : first + HASHED_AT_ONCE]
            unchanged = await asyncio.to_thread(self._unchanged, batch)
            for file in batch:
                if file.document_id in unchanged:
                    self.documents.unchanged += 1
                    tell()
                else:
                    yield file

    def _unchanged(self, files: Iterable[SourceFile]) -> set[str]:
        """The ids of those that surely stand in the index as they are."""
        if self._indexer.resumed:
            return set()
        return {file.document_id for file in files if self._is_unchanged(file)}

    def _is_unchanged(self, file: SourceFile) -> bool:
        record = self._indexer.records.get(file.document_id)
        if record is None or record.origin != "folder" or record.failure is not None:
            return False
        return file_hash(file, self._intake) == record.byte_hash

    async def _index_or_fail(self, file: SourceFile) -> Failure | None:
        """Index one document. A fault of its own is its failure, not the job's, and its last version stays."""
        try:
            await self._index(file)
        except (UnreadableDocument, EmbeddingFailed) as exc:
            self.documents.failed += 1
            failed_bytes = await asyncio.to_thread(file_hash, file, self._intake)
            await self._last.carry(file)
            await self._indexer.fail(file.document_id, "folder", str(exc), failed_bytes)
            await self._narrow(file)
            return Failure(file.document_id, str(exc))
        return None

    async def _index(self, file: SourceFile) -> None:
        record = self._indexer.records.get(file.document_id)
        if record is not None and record.origin != "folder":
            raise UnreadableDocument(ID_TAKEN)
        data, byte_hash = await asyncio.to_thread(self._load, file)
        if record is not None and record.byte_hash == byte_hash and await self._indexer.holds(record):
            self.documents.unchanged += 1
            await self._indexer.succeed(record)
            return
        read = await self._readers.read(file.document_id, data, said=file.said)
        del data  # it may be large, and embedding takes long
        wanted = plan.record_of(file.document_id, "folder", byte_hash, read.document, read.passages)
        try:
            await self._indexer.write(wanted, read.passages)
        except EmbeddingFailed:
            if record is not None:  # the last version stays, but not for whom the new one keeps out
                await self._indexer.narrow(record, wanted.access)
            raise
        if record is None:
            self.documents.added += 1
        else:
            self.documents.changed += 1

    async def _narrow(self, file: SourceFile) -> None:
        """Hold the last versions of a document that failed, or of those in a folder that did, to today's ceiling."""
        if (ceiling := file.said.access_ceiling) is None:
            return
        known = self._indexer.records
        for record in [known[id_] for id_ in file.concerns(known) if known[id_].origin == "folder"]:
            await self._indexer.narrow(record, ceiling)

    def _load(self, file: SourceFile) -> tuple[bytes, str]:
        data = read_bytes(file, self._intake)
        return data, file.byte_hash(data)

    async def _remove_missing(self, files: Sequence[SourceFile], only: Collection[str] | None) -> None:
        """Remove the folder's documents that are gone."""
        for record in removals.removable(self._indexer.records, self._indexer.absent, files):
            if only is None or record.document_id in only:
                await self._indexer.remove(record.document_id)
                self.documents.removed += 1
        for absent in removals.gone(self._indexer.absent.values(), files):
            if only is None or absent.document_id in only:
                await self._indexer.remove(absent.document_id)


def _stands(corpus: Path, standing: tuple[int, int] | None) -> bool:
    return standing is not None and folder_identity(corpus) == standing

"""Comparing the index with itself and with the corpus, and mending it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from app.core import hashing
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, StateRecord
from app.errors import StoreUnavailable
from app.ports import Embedder, VectorStore
from ingest import integrity, job, lease, removals
from ingest.errors import JobRunning
from ingest.indexing import spec_for
from ingest.intake import Intake
from ingest.integrity import Finding
from ingest.progress import Progress, Report, Summary
from ingest.pushed import ID_TAKEN
from ingest.sources import SourceFile, file_hash, find_files


class Verification(Struct, frozen=True):
    """What was compared, and what is off."""

    ok: bool
    collection: str | None
    revision: str | None
    documents: int
    passages: int
    findings: tuple[Finding, ...]
    """What is off; after a repair, what still is."""
    seconds: float
    mended: tuple[Finding, ...] = ()
    """What was off before the repair and is not any more."""
    repair: Summary | None = None
    """What the repair did; null when none was needed, or asked for."""


async def verify(
    store: VectorStore, embedder: Embedder, index_name: str, corpus: Path, report: Report, intake: Intake
) -> Verification:
    """Compare, and write nothing.

    Raises JobRunning when a job writes on another machine, also when one began meanwhile; and StoreError.
    """
    started = time.monotonic()
    spec = spec_for(index_name, embedder)
    await lease.check_free(store, spec.collection)
    state = await store.state()
    if state is None:
        found = [Finding("no_index", None, "the index name points at no collection: run `make ingest`")]
        return Verification(False, None, None, 0, 0, tuple(found), _since(started))
    files = await asyncio.to_thread(lambda: list(find_files(corpus, intake)))
    comparison = _Comparison(store, state, report)
    findings = [finding async for finding in comparison.findings(spec, files, intake)]
    await _check_unchanged(store, state)
    documents, passages = comparison.totals
    return Verification(
        not findings, state.collection, state.revision, documents, passages, tuple(findings), _since(started)
    )


async def _check_unchanged(store: VectorStore, compared: StateRecord) -> None:
    now = await store.state()
    if now is None or (now.collection, now.job) != (compared.collection, compared.job):
        raise JobRunning("Another job changed the index while it was compared: run it again when that is done.")


async def repair(
    store: VectorStore,
    embedder: Embedder,
    index_name: str,
    corpus: Path,
    report: Report,
    intake: Intake,
    *,
    allow_removals: bool,
) -> Verification:
    """Compare, mend what is off by a job that believes no record, and compare again.

    A pushed document that lost passages is removed, and stays among the findings of this run: it must be pushed again.
    Raises what `verify` and `job.run` raise.
    """
    started = time.monotonic()
    before = await verify(store, embedder, index_name, corpus, report, intake)
    if before.ok:
        return before
    summary = await job.run(
        store, embedder, index_name, corpus, report, intake, allow_removals=allow_removals, mend=True
    )
    after = await verify(store, embedder, index_name, corpus, report, intake)
    lost = await _lost(store, before)
    findings = (*after.findings, *lost)
    still = {(finding.kind, finding.document_id) for finding in findings}
    mended = tuple(finding for finding in before.findings if (finding.kind, finding.document_id) not in still)
    return structs.replace(
        after, ok=not findings, findings=findings, mended=mended, repair=summary, seconds=_since(started)
    )


async def _lost(store: VectorStore, before: Verification) -> list[Finding]:
    """Of what was off, the pushed documents that the repair had to remove, with the reason."""
    state = await store.state()
    if state is None:
        return []
    removed = {
        one.document_id: one.failure async for one in store.absent_documents(state.collection) if one.origin == "push"
    }
    return [
        structs.replace(finding, detail=removed[finding.document_id])
        for finding in before.findings
        if finding.document_id in removed
    ]


class _Comparison:
    def __init__(self, store: VectorStore, state: StateRecord, report: Report) -> None:
        self._store = store
        self._state = state
        self._collection = state.collection
        self._report = report
        self.totals = (0, 0)

    async def findings(self, spec: IndexSpec, files: Sequence[SourceFile], intake: Intake) -> AsyncIterator[Finding]:
        found = [record async for record in self._store.documents(self._collection)]
        records = {record.document_id: record for record in sorted(found, key=lambda record: record.document_id)}
        self.totals = await self._store.totals(self._collection)
        for finding in self._of_state(spec, records):
            yield finding
        async for finding in self._of_passages(records):
            yield finding
        absent = {one.document_id: one async for one in self._store.absent_documents(self._collection)}
        for finding in await asyncio.to_thread(lambda: list(_of_corpus(records, absent, files, intake))):
            yield finding

    def _of_state(self, spec: IndexSpec, records: dict[str, DocumentRecord]) -> Iterator[Finding]:
        state = self._state
        if structs.asdict(spec).items() - structs.asdict(state).items():
            built, wanted = (f"{of.fingerprint} with model {of.embedding_model}" for of in (state, spec))
            yield Finding("wrong_fingerprint", None, f"it was built as {built}; these settings build {wanted}")
        if state.state == "updating":
            yield Finding("wrong_state", None, "a job was cut short: run `make ingest` to finish it")
            return
        if self.totals != (state.documents, state.passages):
            told = f"{state.documents} documents and {state.passages} passages"
            stored = "{} and {}".format(*self.totals)
            yield Finding("wrong_counts", None, f"its state tells of {told}, {stored} are stored")
        digests = [(record.document_id, record.index_digest) for record in records.values()]
        if state.revision != (revision := hashing.revision(state.fingerprint, digests)):
            yield Finding("wrong_revision", None, f"its state says {state.revision}, its records make {revision}")

    async def _of_passages(self, records: dict[str, DocumentRecord]) -> AsyncIterator[Finding]:
        strays = await self._store.strays(self._collection)
        if strays:
            yield Finding("stray_points", None, f"{len(strays)} points are no whole passages")
        for done, record in enumerate(records.values(), 1):
            for finding in await self._of_document(record, bool(strays)):
                yield finding
            self._report(Progress(done, len(records), 0))
        broken = Counter([passage.document_id async for passage in self._store.broken_vectors(self._collection)])
        for document_id, count in sorted(broken.items()):
            yield Finding("broken_vectors", document_id, f"{count} of its passages have no usable vector")
        for document_id in sorted(await self._store.document_ids(self._collection) - records.keys()):
            yield Finding("orphaned_passages", document_id, "passages of it are stored, and no record")

    async def _of_document(self, record: DocumentRecord, has_strays: bool) -> list[Finding]:
        try:
            stored = await self._store.passages(self._collection, record.document_id)
        except StoreUnavailable:
            if not has_strays:
                raise
            return [Finding("wrong_passages", record.document_id, "its passages can't be read")]
        return integrity.findings(record, stored)


def _of_corpus(
    records: dict[str, DocumentRecord],
    absent: dict[str, AbsentDocument],
    files: Sequence[SourceFile],
    intake: Intake,
) -> Iterator[Finding]:
    """A document that fails as it failed in the last job is in step: a repair could do nothing for it."""
    for file in files:
        record, failed = records.get(file.document_id), absent.get(file.document_id)
        if record is None and (failed is None or failed.origin != "folder"):
            yield Finding("not_indexed", file.document_id, "it is in the folder and not in the index")
        elif record is not None and record.origin != "folder":
            yield Finding("not_indexed", file.document_id, ID_TAKEN)
        elif _bytes_seen(record or failed) != file_hash(file, intake):
            yield Finding("changed", file.document_id, "the file is another one than was indexed")
    for gone in removals.removable(records, absent, files):
        yield Finding("gone", gone.document_id, "it is in the index and not in the folder")
    for failed in removals.gone(absent.values(), files):
        yield Finding("gone", failed.document_id, "it is listed as failed and not in the folder")


def _bytes_seen(known: DocumentRecord | AbsentDocument | None) -> str | None:
    """The byte hash of the file when a job last looked at it."""
    if isinstance(known, DocumentRecord) and known.failure is None:
        return known.byte_hash
    return known.failed_bytes if known is not None else None


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)

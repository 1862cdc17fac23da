"""One physical collection of the embedded store, on disk and in memory. Every call belongs to one thread.

<folder>/passages    shard of points with vectors
<folder>/records     shard of documents and the state, without vectors
<folder>/spec.json   what it was built for; written last, so a folder without it is half-made
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import qdrant_edge as edge

from app.adapters import bm25, edge_search, payloads
from app.adapters.atomic_file import replace_file, sync_folder
from app.adapters.edge_shards import (
    PAGE,
    READABLE,
    STRAYS,
    Offset,
    filter_of,
    ids_of,
    is_shard,
    load,
    load_or_make,
    payload_of,
    scroll,
    vector_of,
)
from app.core import hashing
from app.core.model import Candidate, EmbeddedPassage, Passage, Place, Query, Scope
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, StateRecord
from app.errors import StoreUnavailable

_ABANDONED: list[edge.EdgeShard] = []
"""Open shards whose files were removed. Closing one, or letting it be collected, writes what it still holds to the same
paths, and spoils a copy that was put back there; so they are kept until the process ends."""

_SPEC = "spec.json"
_UNUSED_VECTOR = "unused"  # a shard must have one; the records use none


class EdgeCollection:
    """Raises StoreUnavailable for what is not ours, and whatever qdrant_edge raises (bare Exceptions)."""

    def __init__(self, folder: Path, spec: IndexSpec, passages: edge.EdgeShard, records: edge.EdgeShard) -> None:
        self.spec = spec
        self._spec_file = folder / _SPEC
        self._identity = _identity(self._spec_file)
        self._passages = passages
        self._records = records

    @classmethod
    def load(cls, folder: Path) -> EdgeCollection:
        """Open a whole collection. Raises OSError when there is none."""
        spec = msgspec.json.decode((folder / _SPEC).read_bytes(), type=IndexSpec)
        passages = load(folder / "passages", payloads.PASSAGE_FIELDS)
        return cls(folder, spec, passages, load(folder / "records", payloads.RECORD_FIELDS))

    @classmethod
    def create(cls, folder: Path, spec: IndexSpec) -> EdgeCollection:
        """Make a collection, over what is left of one whose making was cut short.

        Of a whole one that lost a shard the other is kept: vectors need not be made again.
        """
        if _read_spec(folder) != spec:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        dense = edge.EdgeVectorParams(size=spec.dimension, distance=edge.Distance.Cosine)
        sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
        of_passages = edge.EdgeConfig(vectors={payloads.VECTOR: dense}, sparse_vectors={payloads.SPARSE: sparse})
        of_records = edge.EdgeConfig(sparse_vectors={_UNUSED_VECTOR: edge.EdgeSparseVectorParams()})
        passages = load_or_make(folder / "passages", of_passages, payloads.PASSAGE_FIELDS)
        records = load_or_make(folder / "records", of_records, payloads.RECORD_FIELDS)
        replace_file(folder / _SPEC, msgspec.json.encode(spec))
        sync_folder(folder.parent)
        return cls(folder, spec, passages, records)

    @staticmethod
    def exists(folder: Path) -> bool:
        return _read_spec(folder) is not None and is_shard(folder / "passages") and is_shard(folder / "records")

    @staticmethod
    def remove(folder: Path) -> None:
        """Of a closed collection. Its spec goes first: cut short, this leaves a half-made one, which nobody opens."""
        (folder / _SPEC).unlink(missing_ok=True)
        if folder.exists():
            shutil.rmtree(folder)

    def in_place(self) -> bool:
        """Whether the files it was opened from still stand at their place.

        Without this check the engine goes on writing into files that were deleted, and says nothing.
        """
        return self._spec_file.exists() and _identity(self._spec_file) == self._identity

    def search(self, query: Query, limit: int, scope: Scope) -> list[Candidate]:
        return edge_search.search(self._passages, query, limit, scope)

    def passages_at(self, places: Collection[Place], scope: Scope) -> list[Passage]:
        return edge_search.passages_at(self._passages, places, scope)

    def count(self, scope: Scope) -> tuple[int, int]:
        request = edge.CountRequest(exact=True, filter=filter_of(payloads.scope_conditions(scope)))
        return self._records.count(request), self._passages.count(request)

    def visible(self, document_ids: Collection[str], scope: Scope) -> set[str]:
        wanted = filter_of([*payloads.scope_conditions(scope), ("document_id", list(document_ids))])
        request = edge.FacetRequest("document_id", limit=max(1, len(document_ids)), exact=True, filter=wanted)
        return {str(hit.value) for hit in self._passages.facet(request).hits}

    def read_state(self) -> StateRecord | None:
        found = self._records.retrieve([hashing.STATE_ID], with_payload=True, with_vector=False)
        return payloads.to_state(found[0].payload) if found else None

    def write_state(self, state: StateRecord, known: StateRecord | None) -> None:
        standing = self.read_state()
        is_known = payloads.state_marks(standing) == payloads.state_marks(known) and standing is not None
        is_free = known is None and (standing is None or standing.lease is None)
        if not (is_known or is_free):
            raise payloads.lease_missing(standing)
        self._write_records({hashing.STATE_ID: payloads.state_payload(state)})

    def document_page(self, offset: Offset, scope: Scope | None) -> tuple[list[DocumentRecord], Offset]:
        """Up to PAGE records from `offset` on, all or those in `scope`, and where the next page starts."""
        conditions = payloads.ALL_DOCUMENTS + (payloads.scope_conditions(scope) if scope is not None else [])
        found, following = scroll(self._records, conditions, offset)
        return [payloads.to_document(record.payload) for record in found], following

    def write_documents(self, records: Sequence[DocumentRecord]) -> None:
        points = {hashing.record_id(r.document_id): payloads.document_payload(r) for r in records}
        self._write_records(points)

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        ids = ids_of(hashing.record_id(document_id) for document_id in document_ids)
        self._records.update(edge.UpdateOperation.delete_points(ids))

    def absent_page(self, offset: Offset) -> tuple[list[AbsentDocument], Offset]:
        found, following = scroll(self._records, payloads.ALL_ABSENT, offset)
        return [payloads.to_absent(record.payload) for record in found], following

    def write_absent(self, documents: Sequence[AbsentDocument]) -> None:
        points = {hashing.record_id(d.document_id): payloads.absent_payload(d) for d in documents}
        self._write_records(points)

    def count_failures(self, scope: Scope | None) -> int:
        conditions = payloads.ALL_FAILING + (payloads.scope_conditions(scope) if scope else [])
        return self._records.count(edge.CountRequest(exact=True, filter=filter_of(conditions)))

    def passage_page(self, document_id: str, offset: Offset) -> tuple[list[Passage], Offset]:
        found, following = scroll(self._passages, [("document_id", [document_id])], offset)
        return [payloads.to_passage(record.id, record.payload) for record in found], following

    def document_id_page(self, offset: Offset) -> tuple[set[str], Offset]:
        """The documents of up to PAGE passages from `offset` on."""
        found, following = scroll(self._passages, [], offset, with_payload=["document_id"])
        return {id_ for record in found if (id_ := payload_of(record).get("document_id"))}, following

    def totals(self) -> tuple[int, int]:
        documents = edge.CountRequest(exact=True, filter=filter_of(payloads.ALL_DOCUMENTS))
        return self._records.count(documents), self._passages.count(edge.CountRequest(exact=True))

    def stray_page(self, offset: Offset) -> tuple[list[str], Offset]:
        request = edge.ScrollRequest(offset=offset, limit=PAGE, filter=STRAYS, with_payload=False, with_vector=False)
        found, following = self._passages.scroll(request)
        return [str(record.id) for record in found], following

    def broken_page(self, offset: Offset) -> tuple[list[Passage], Offset]:
        request = edge.ScrollRequest(offset=offset, limit=PAGE, filter=READABLE, with_payload=True, with_vector=True)
        found, following = self._passages.scroll(request)
        broken = [record for record in found if payloads.is_broken(vector_of(record))]
        return [payloads.to_passage(record.id, record.payload) for record in broken], following

    def some_vectors(self, content_hashes: Iterable[str]) -> dict[str, list[float]]:
        """Vectors of one or more of the hashes; none when none of them stands here."""
        wanted = [("content_hash", list(content_hashes))]
        found, _ = scroll(self._passages, wanted, None, with_payload=["content_hash"], with_vector=True)
        return payloads.whole_vectors((payload_of(record), vector_of(record)) for record in found)

    def write_passages(self, passages: Sequence[EmbeddedPassage]) -> None:
        points = [
            edge.Point(
                id=item.passage.passage_id,
                vector={payloads.VECTOR: payloads.unit(item.vector), payloads.SPARSE: _sparse(item.passage)},
                payload=payloads.passage_payload(item.passage),
            )
            for item in passages
        ]
        self._passages.update(edge.UpdateOperation.upsert_points(points))

    def update_passages(self, passages: Sequence[Passage]) -> None:
        """All or none: a passage that is not there is found before the first write."""
        ids = ids_of(passage.passage_id for passage in passages)
        standing = self._passages.retrieve(ids, with_payload=False, with_vector=False)
        if len({record.id for record in standing}) < len(set(ids)):
            raise StoreUnavailable("A passage to update is not in the index: run `make ingest` again.")
        for passage in passages:
            payload = payloads.passage_payload(passage)
            self._passages.update(edge.UpdateOperation.overwrite_payload([passage.passage_id], payload))
        sparse = [edge.PointVectors(p.passage_id, {payloads.SPARSE: _sparse(p)}) for p in passages]
        self._passages.update(edge.UpdateOperation.update_vectors(sparse))

    def delete_passages(self, passage_ids: Iterable[str]) -> None:
        self._passages.update(edge.UpdateOperation.delete_points(ids_of(passage_ids)))

    def flush(self) -> None:
        """Passages first: a record that survives a power cut never speaks of passages that did not."""
        self._passages.flush()
        self._records.flush()

    def close(self) -> None:
        if not self.in_place():
            _ABANDONED.extend([self._passages, self._records])
            return
        self._passages.close()
        self._records.close()

    def _write_records(self, points: dict[str, dict[str, Any]]) -> None:
        records = [edge.Point(id=point_id, vector={}, payload=payload) for point_id, payload in points.items()]
        self._records.update(edge.UpdateOperation.upsert_points(records))


def _read_spec(folder: Path) -> IndexSpec | None:
    try:
        return msgspec.json.decode((folder / _SPEC).read_bytes(), type=IndexSpec)
    except (OSError, msgspec.DecodeError):
        return None


def _sparse(passage: Passage) -> edge.SparseVector:
    return edge.SparseVector(*bm25.of_passage(passage))


def _identity(file: Path) -> tuple[int, int, int]:
    status = file.stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns

"""Our values as Qdrant points, the same in every store.

Passages are points with a unit vector, named "dense", and the BM25 vector of their words, named "bm25". Documents and
the state record are points without a vector, kept apart from the passages. A document and its absence are one point, so
that neither outlives the other.
Every field that is filtered on has an index.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from app.core.callers import PUBLIC, is_tenant
from app.core.model import Passage, Place, Scope
from app.core.records import AbsentDocument, DocumentRecord, StateRecord
from app.errors import LeaseMissing, StoreUnavailable

VECTOR = "dense"
SPARSE = "bm25"
TENANTS = "tenants"
"""Of one tenant, mostly: a server can keep a tenant's points together."""
POSITION = "position"
"""A number; all other fields with an index hold keywords."""
PASSAGE_FIELDS = (TENANTS, "document_id", "content_hash", "groups", "prefixes", "tags", POSITION)
RECORD_FIELDS = (TENANTS, "kind", "groups", "prefixes", "tags")
LEASE_TOKEN, LAST_JOB = "lease.token", "job"

Condition = tuple[str, list[str]]
"""A field, and values of which it must hold one or more."""


class Only(NamedTuple):
    """A condition whose field may hold no other values beside."""

    field: str
    values: list[str]


ALL_DOCUMENTS: list[Condition] = [("kind", ["document"])]
ALL_ABSENT: list[Condition] = [("kind", ["absent"])]
ALL_FAILING: list[Condition] = [("kind", ["failing"])]
"""Documents that failed, in the index or absent from it."""
NEEDED_FIELDS = ("document_id", "content_hash", "position", "title", "text")
"""Without one of them a point can't be read as a passage."""

_NO_TENANT = "-"
"""Stands in `tenants` of what belongs to none, so that every point has a value to be found by."""
_UNIT_TOLERANCE = 1e-6
_BROKEN_TOLERANCE = 1e-3
"""Far above what rounding to four bytes does, and far below what is left of a vector that lost numbers."""

T = TypeVar("T")


def passage_payload(passage: Passage) -> dict[str, Any]:
    """All of a passage but its id, which is the point's."""
    payload = _fields(passage)
    del payload["passage_id"]
    return payload | _readers(passage.access) | {"prefixes": _prefixes(passage.document_id)}


def to_passage(point_id: object, payload: Mapping[str, Any] | None) -> Passage:
    """Raises StoreUnavailable when the payload is not one of ours."""
    return _read({**(payload or {}), "passage_id": str(point_id)}, Passage)


def document_payload(record: DocumentRecord) -> dict[str, Any]:
    kind = ["document", "failing"] if record.failure else ["document"]
    return _fields(record) | _readers(record.access) | {"kind": kind, "prefixes": _prefixes(record.document_id)}


def to_document(payload: Mapping[str, Any] | None) -> DocumentRecord:
    """Raises StoreUnavailable when the payload is not one of ours."""
    return _read(payload, DocumentRecord)


def absent_payload(document: AbsentDocument) -> dict[str, Any]:
    """Without groups and tenants: no scope sees it."""
    return _fields(document) | {"kind": ["absent", "failing"]}


def to_absent(payload: Mapping[str, Any] | None) -> AbsentDocument:
    """Raises StoreUnavailable when the payload is not one of ours."""
    return _read(payload, AbsentDocument)


def state_payload(state: StateRecord) -> dict[str, Any]:
    return _fields(state) | {"kind": "state", "lease": msgspec.to_builtins(state.lease)}


def to_state(payload: Mapping[str, Any] | None) -> StateRecord:
    """Raises StoreUnavailable when the payload is not one of ours."""
    return _read(payload, StateRecord)


def state_marks(state: StateRecord | None) -> dict[str, str | None]:
    """Fields of the state record, and what they hold, that tell one job's from another's."""
    return {LEASE_TOKEN: state.lease.token if state and state.lease else None, LAST_JOB: state.job if state else None}


def lease_missing(standing: StateRecord | None) -> LeaseMissing:
    """The error of a job that is not, or no longer, the one that may write."""
    if standing is None or standing.lease is None:
        return LeaseMissing("Another job changed the index meanwhile: run `make ingest` again.")
    lease = standing.lease
    return LeaseMissing(
        f"A job holds the index (process {lease.pid} on {lease.host}, since {lease.since}): wait until it is done,"
        f" or, if it is dead, until its lease runs out at {lease.until}."
    )


def scope_conditions(scope: Scope) -> list[Condition]:
    """What a passage or a document must fulfil, all of it, to be visible in `scope`.

    The one place where access becomes a filter: one of the groups, and all of the tenants. A scope without groups asks
    for one of no values: nothing fulfils it.
    """
    tenants = sorted(filter(is_tenant, scope.groups))
    conditions: list[Condition] = [Only(TENANTS, [_NO_TENANT, *tenants]), ("groups", sorted(scope.groups - {*tenants}))]
    if prefix := (scope.source_prefix or "").rstrip("/"):
        conditions.append(("prefixes", [prefix]))
    if scope.tags:
        conditions.append(("tags", sorted(set(scope.tags))))
    return conditions


def positions(places: Collection[Place]) -> dict[str, list[int]]:
    """The places by document, in order."""
    by_document: dict[str, list[int]] = {}
    for document_id, position in sorted(set(places)):
        by_document.setdefault(document_id, []).append(position)
    return by_document


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; one that has it already comes back unchanged, so that a reused vector never drifts.

    Raises StoreUnavailable for a vector without a direction: zero, or with a NaN or an infinity in it.
    """
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise StoreUnavailable("A vector must be finite and not zero; the embedding model returned one that is not.")
    if abs(length - 1) <= _UNIT_TOLERANCE:
        return list(vector)
    return [component / length for component in vector]


def is_broken(vector: Sequence[float] | None) -> bool:
    """Whether a stored vector can't be the one that was written: it is missing, or its length is not 1."""
    return vector is None or not abs(math.hypot(*vector) - 1) <= _BROKEN_TOLERANCE


def whole_vectors(found: Iterable[tuple[dict[str, Any], Sequence[float] | None]]) -> dict[str, list[float]]:
    """By content hash, those of points with these payloads and vectors that are not broken."""
    return {
        payload["content_hash"]: list(vector)
        for payload, vector in found
        if vector is not None and not is_broken(vector)
    }


def tie_is_cut(scores: Sequence[float], limit: int, fetched: int) -> bool:
    """Whether points that were not fetched may tie with the `limit`-th of these descending `scores`.

    Equal texts in several documents have equal vectors, and the engine leaves the order of ties open.
    """
    return len(scores) == fetched and scores[-1] == scores[limit - 1]


def is_collection_of(index_name: str, collection: str) -> bool:
    """Whether the name is the index's own followed by a fingerprint; `vouch-eu-<fingerprint>` is none of `vouch`."""
    return re.fullmatch(rf"{re.escape(index_name)}-[0-9a-f]{{16}}", collection) is not None


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _readers(access: Sequence[str]) -> dict[str, list[str]]:
    """`access` as it is filtered on. Tenants alone let all of their members in; no group at all lets nobody in."""
    tenants = sorted(filter(is_tenant, access))
    groups = sorted({*access} - {*tenants})
    return {TENANTS: tenants or [_NO_TENANT], "groups": groups or ([PUBLIC] if tenants else [])}


def _prefixes(document_id: str) -> list[str]:
    """The id and all paths above it: `a/b/c.md` lies below `a`, `a/b` and itself."""
    cuts = [at for at, character in enumerate(document_id) if character == "/" and at > 0]
    return [document_id[:cut] for cut in cuts] + [document_id]


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    # Lists, not tuples: only a list counts as an array of values everywhere.
    fields = msgspec.structs.asdict(value)
    return {name: list(item) if isinstance(item, tuple) else item for name, item in fields.items()}


def _read(payload: Mapping[str, Any] | None, type_: type[T]) -> T:
    try:
        return msgspec.convert(payload, type_)
    except msgspec.ValidationError as error:
        raise StoreUnavailable(
            f"The index holds a {type_.__name__} that this version can't read ({error}):"
            " remove the index and run `make ingest`."
        ) from error

"""What the index knows of itself: its records, as they live in the store beside the passages."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Origin = Literal["folder", "push"]


class DocumentRecord(Struct, frozen=True, kw_only=True):
    """What the index knows of one document."""

    document_id: str
    origin: Origin
    byte_hash: str
    """Of the file's bytes: decides whether it is read again."""
    index_digest: str
    """Of everything an answer can show or depend on."""
    title: str
    passages: int
    url: str | None = None
    updated_at: str | None = None
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] = ("public",)
    language: str | None = None
    left_out: tuple[str, ...] = ()
    """What its reader did not take in, such as `2 images`."""
    failure: str | None = None
    """Why the newest version could not be indexed; all else here tells of the last good one."""
    failed_bytes: str | None = None
    """The byte hash of a file that failed, where it could be read so far."""


class AbsentDocument(Struct, frozen=True, kw_only=True):
    """A document that failed and has no good version in the index."""

    document_id: str
    origin: Origin
    failure: str
    failed_bytes: str | None = None
    """As of a DocumentRecord."""


class IndexSpec(Struct, frozen=True):
    """What a physical collection is built for; its fingerprint names the collection."""

    collection: str
    fingerprint: str
    embedding_model: str
    dimension: int


class Lease(Struct, frozen=True, kw_only=True):
    """The right of one job to write, where jobs on other machines could write too. Times are ISO 8601 UTC."""

    token: str
    """Random, of this job alone."""
    host: str
    pid: int
    since: str
    until: str
    """When it runs out unless it is renewed."""


class StateRecord(Struct, frozen=True, kw_only=True):
    """The one state record of a collection."""

    collection: str
    fingerprint: str
    embedding_model: str
    dimension: int
    state: Literal["ready", "updating"]
    revision: str
    generation: int
    """Counts the changes and never repeats, over every collection of the index."""
    cache_epoch: int = 0
    documents: int = 0
    passages: int = 0
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes of those that its documents are written in, where known."""
    updated_at: str | None = None
    """When the revision was last written, ISO 8601 UTC."""
    job: str | None = None
    """The job that is, or was last, at work."""
    last_written: str | None = None
    """The id of the document whose passages were written last: no older copy of the passages holds them."""
    lease: Lease | None = None

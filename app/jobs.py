"""What the service can ask of ingestion, which implements it (ingest/hosting.py): the routes know no more of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from typing import Any, Literal, Protocol

from msgspec import Struct


class SyncRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What `python -m ingest` was asked to do, handed over to the service that holds the store."""

    corpus: str | None = None
    """A folder on the service's machine, for whoever shows the token of this run; the service's own CORPUS when left
    out."""
    index_name: str | None = None
    """What the caller means to build, as the settings below; refused when the service would build it otherwise."""
    embedding_model: str | None = None
    include: tuple[str, ...] | None = None
    """The patterns of INCLUDE."""
    default_access: tuple[str, ...] | None = None
    """The groups of DEFAULT_ACCESS."""
    max_document_mb: int | None = None
    command: Literal["ingest", "verify", "prune"] = "ingest"
    """What to do with the index; `done` carries what came of it."""
    dry_run: bool = False
    """Write nothing; `done` carries the plan."""
    allow_removals: bool = False
    """Remove documents also where suspiciously many are gone; else `done` carries an error with the reason
    `removals_refused`."""
    repair: bool = False
    """Of `verify`: mend what is off."""
    unfinished: bool = False
    """Of `prune`: drop what a job has begun to build, too."""


class SyncFailed(Struct, frozen=True):
    """What `done` carries when the job could not be finished."""

    error: str
    reason: Literal["removals_refused", "job_running"] | None = None
    """Set where the caller may go on: by asking again with `allow_removals`, or later."""


class PushedDocument(Struct, frozen=True, kw_only=True):
    """A document from an application. What is None is as the document itself says."""

    document_id: str
    data: bytes
    media_type: str
    charset: str | None = None
    title: str | None = None
    url: str | None = None
    updated_at: str | None = None
    """ISO 8601 date."""
    tags: tuple[str, ...] | None = None
    access: tuple[str, ...] | None = None
    language: str | None = None
    """ISO 639-1 code."""


class PassageChanges(Struct, frozen=True):
    embedded: int
    reused: int
    """New in the document, with a vector that stood in the index already."""
    updated: int
    """Got another place, date, tag or the like."""
    removed: int
    total: int
    """In the whole index."""


class PushReply(Struct, frozen=True):
    document_id: str
    change: Literal["added", "changed", "unchanged", "removed"]
    revision: str
    """Of the index afterwards."""
    generation: int
    state: Literal["ready", "updating"]
    """`updating` where an earlier job was cut short: the next one finishes it."""
    passages: PassageChanges


WHOLE_FOLDER = ""
"""In place of a document's id: every document of the folder."""


Follow = Callable[[Callable[[Struct], None]], Coroutine[Any, Any, Struct]]
"""Hands out a job's progress, and returns what it ends with: SyncFailed, or the outcome of its command."""


class Jobs(Protocol):
    """One at a time: each raises JobRunning while another job is at work on the index, here or on another machine."""

    async def sync(self, request: SyncRequest) -> Follow:
        """Start a job, which a follower that leaves does not stop. Raises OtherIndex."""

    async def check_free(self) -> None:
        """Raises JobRunning if the next call would."""

    async def ids_of(self, paths: Collection[str], *, in_checkout: bool = False) -> set[str]:
        """The ids to `update` for these paths of the folder, or of the Git checkout that it is in.

        A path that is no document of the folder and never was has none. Raises StoreError.
        """

    async def update(self, document_ids: Collection[str]) -> None:
        """Bring these documents of the folder in step, and no others. Raises what a job raises."""

    async def put(self, document: PushedDocument) -> PushReply:
        """Raises BadPush, FolderDocument, OtherIndex, UnreadableDocument, EmbedderError and StoreError."""

    async def delete(self, document_id: str) -> PushReply:
        """Raises BadPush, FolderDocument, UnknownDocument, OtherIndex, EmbedderError and StoreError."""

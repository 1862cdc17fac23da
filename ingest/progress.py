"""What a job tells while it runs and when it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct


class Failure(Struct, frozen=True):
    """A document that could not be read or indexed; its last good version stays in the index."""

    document_id: str
    reason: str


class Progress(Struct, frozen=True):
    done: int
    """Documents dealt with, of `total`."""
    total: int
    embedded: int
    """Passages embedded so far."""
    failure: Failure | None = None


class DocumentCounts(Struct):
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0


class PassageCounts(Struct):
    embedded: int = 0
    reused: int = 0
    """Passages of added or changed documents whose vector stood in the index already."""
    updated: int = 0
    """Stored passages that got another position, date, tag or the like, and no new vector."""
    removed: int = 0
    total: int = 0


class Summary(Struct, frozen=True):
    """What `--json` prints."""

    documents: DocumentCounts
    passages: PassageCounts
    seconds: float
    revision: str
    state: Literal["ready", "updating"]


Report = Callable[[Progress], None]

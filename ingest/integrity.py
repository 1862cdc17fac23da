"""Whether what the index holds of one document fits together. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from app.core import hashing
from app.core.model import Passage
from app.core.records import DocumentRecord

Kind = Literal[
    "no_index",
    "wrong_state",
    "wrong_fingerprint",
    "wrong_counts",
    "wrong_revision",
    "missing_passages",
    "duplicated_passages",
    "orphaned_passages",
    "wrong_passages",
    "stray_points",
    "broken_vectors",
    "not_indexed",
    "changed",
    "gone",
]


class Finding(Struct, frozen=True):
    """One thing that is off."""

    kind: Kind
    document_id: str | None
    """None for what concerns the index as a whole."""
    detail: str
    """For people, such as "its record tells of 5 passages, 3 are stored"."""


def findings(record: DocumentRecord, stored: Sequence[Passage]) -> list[Finding]:
    """What is off between the record of a document and its stored passages, which are ordered by position."""
    return [Finding(kind, record.document_id, detail) for kind, detail in _faults(record, stored)]


def _faults(record: DocumentRecord, stored: Sequence[Passage]) -> Iterator[tuple[Kind, str]]:
    positions = Counter(passage.position for passage in stored)
    if len(positions) < record.passages:
        yield "missing_passages", f"its record tells of {record.passages} passages, {len(positions)} are stored"
    elif positions.total() > len(positions):
        yield "duplicated_passages", f"{positions.total() - len(positions)} of its passages are stored twice"
    elif hashing.index_digest(stored) != record.index_digest:
        yield "wrong_passages", "its passages are not those that its record tells of"
    if strange := [passage for passage in stored if not _shows_record(passage, record)]:
        yield "wrong_passages", f"{len(strange)} of its passages show another title, URL, date, tag, access or language"
    if altered := _altered(stored):
        yield "wrong_passages", f"{len(altered)} of its passages hold other text than they were made with"


def _shows_record(passage: Passage, record: DocumentRecord) -> bool:
    shown = (passage.title, passage.url, passage.updated_at, passage.tags, passage.access, passage.language)
    return shown == (record.title, record.url, record.updated_at, record.tags, record.access, record.language)


def _altered(stored: Sequence[Passage]) -> list[Passage]:
    """Those whose content hash or id is not that of their text."""
    seen: Counter[str] = Counter()
    altered = []
    for passage in stored:
        content = hashing.content_hash(passage.title, passage.heading, passage.text)
        expected = hashing.passage_id(passage.document_id, content, seen[content])
        if (passage.content_hash, passage.passage_id) != (content, expected):
            altered.append(passage)
        seen[content] += 1
    return altered

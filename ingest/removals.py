"""The guard against losing a corpus: an unmounted share or a wrong folder looks like many removed documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeVar

from msgspec import structs

from app.core.records import AbsentDocument, DocumentRecord
from ingest.errors import RemovalsRefused, UnreadableDocument
from ingest.intake import Intake
from ingest.sources import DEFAULT, SourceFile, find_files, read_bytes

MAX_SHARE = 0.3
"""Of the folder's documents, so many may go without being asked for."""
MIN_DOCUMENTS = 10
"""A folder of so few changes by large shares every day."""
SAMPLE = Path(__file__).with_name("sample")
"""The bundled corpus: what is removed of it is not lost."""

_NAMED = 3


Known = TypeVar("Known", DocumentRecord, AbsentDocument)


def gone(records: Iterable[Known], files: Iterable[SourceFile]) -> list[Known]:
    """The folder's documents of which neither the file is there, nor a folder above it that could not be read."""
    present = {file.document_id for file in files}
    return [
        record
        for record in records
        if record.origin == "folder"
        and record.document_id not in present  # of most it is: only what is left is worth a look at its folders
        and present.isdisjoint(map(str, PurePosixPath(record.document_id).parents))
    ]


def check(answering: Collection[DocumentRecord], files: Sequence[SourceFile], intake: Intake = DEFAULT) -> None:
    """Raises RemovalsRefused when bringing the documents `answering` in step with `files` would lose too many.

    A document whose bytes are those of a new file was renamed or moved, and counts as none. Reads the new files, but
    only where the number of those that are gone gives reason to.
    """
    before = sum(record.origin == "folder" for record in answering)
    missing = gone(answering, files)
    if not _too_many(missing, before):
        return
    known = {record.document_id for record in answering}
    sample = find_files(SAMPLE, structs.replace(intake, include=()))
    found = _hashes((file for file in files if file.document_id not in known), intake) | _hashes(sample, intake)
    lost = [record.document_id for record in missing if record.byte_hash not in found]
    if _too_many(lost, before):
        raise RemovalsRefused(_refusal(lost, before))


def _too_many(lost: Sequence[object], before: int) -> bool:
    return before > MIN_DOCUMENTS and len(lost) > MAX_SHARE * before


def _hashes(files: Iterable[SourceFile], intake: Intake) -> set[str]:
    return {digest for file in files if (digest := _hash(file, intake)) is not None}


def _hash(file: SourceFile, intake: Intake) -> str | None:
    """None for what can't be read: the job tells of it."""
    try:
        return file.byte_hash(read_bytes(file, intake))
    except UnreadableDocument:
        return None


def _refusal(lost: Sequence[str], before: int) -> str:
    named = ", ".join(sorted(lost)[:_NAMED]) + (", ..." if len(lost) > _NAMED else "")
    return (
        f"Stopped before any change: {len(lost)} of the {before} documents of the last run are not in this folder"
        f" ({named}). Is it the right folder, and mounted? To remove them, run it again with --allow-removals."
    )

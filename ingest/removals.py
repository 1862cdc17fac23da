"""The guard against losing a corpus: an unmounted share or a wrong folder looks like many removed documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TypeVar

from msgspec import structs

from app.core.records import AbsentDocument, DocumentRecord
from ingest.access import Access
from ingest.errors import RemovalsRefused
from ingest.intake import Intake
from ingest.sources import DEFAULT, SourceFile, file_hash, find_files

MAX_SHARE = 0.3
"""Of the folder's documents, so many may go without being asked for."""
MIN_DOCUMENTS = 10
"""A folder of so few changes by large shares every day."""
SAMPLE = Path(__file__).with_name("sample")
"""The bundled corpus: what is removed of it is not lost."""

_NAMED = 3
_CEILINGS = 16
"""Looked for at most: each costs another hash of every file."""


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


def removable(
    records: Mapping[str, DocumentRecord], absent: Mapping[str, AbsentDocument], files: Sequence[SourceFile]
) -> list[DocumentRecord]:
    """Those that are gone, except where a file with the same bytes failed: a document that was moved keeps its last
    version until it can be read at its new place."""
    present = {file.document_id for file in files}
    known: list[DocumentRecord | AbsentDocument] = [*records.values(), *absent.values()]
    failing = {one.failed_bytes for one in known if one.document_id in present}
    return [record for record in gone(records.values(), files) if record.byte_hash not in failing]


def check(answering: Collection[DocumentRecord], files: Sequence[SourceFile], intake: Intake = DEFAULT) -> None:
    """Raises RemovalsRefused when bringing the documents `answering` in step with `files` would lose too many.

    A document whose bytes stand in another file, whoever may see that, was renamed or moved, and counts as none. Reads
    the files, but only where the number of those that are gone gives reason to.
    """
    before = sum(record.origin == "folder" for record in answering)
    missing = gone(answering, files)
    if not _too_many(missing, before):
        return
    sample = find_files(SAMPLE, structs.replace(intake, include=()))
    lost = _not_among(chain(files, sample), missing, intake)
    if _too_many(lost, before):
        lost = _not_among(_under_other_ceilings(files, lost), lost, intake)
    if _too_many(lost, before):
        raise RemovalsRefused(_refusal([record.document_id for record in lost], before))


def _too_many(lost: Sequence[object], before: int) -> bool:
    return before > MIN_DOCUMENTS and len(lost) > MAX_SHARE * before


def _not_among(files: Iterable[SourceFile], records: Sequence[DocumentRecord], intake: Intake) -> list[DocumentRecord]:
    found = {file_hash(file, intake) for file in files}
    return [record for record in records if record.byte_hash not in found]


def _under_other_ceilings(files: Sequence[SourceFile], records: Sequence[DocumentRecord]) -> Iterator[SourceFile]:
    """The files as they would be in a folder that other people may see: a byte hash is also of that.

    The ceilings that the records were under are not known; but who may see a document that says nothing of it is the
    ceiling of its folder.
    """
    ceilings = Counter[Access | None](record.access for record in records)
    ceilings.update({file.said.access_ceiling for file in files} - {None})
    for ceiling in [None, *(ceiling for ceiling, _ in ceilings.most_common(_CEILINGS))]:
        for file in files:
            yield structs.replace(file, said=structs.replace(file.said, access_ceiling=ceiling))


def _refusal(lost: Sequence[str], before: int) -> str:
    named = ", ".join(sorted(lost)[:_NAMED]) + (", ..." if len(lost) > _NAMED else "")
    return (
        f"Stopped before any change: {len(lost)} of the {before} documents of the last run are not in this folder"
        f" ({named}). Is it the right folder, and mounted? To remove them, run it again with --allow-removals."
    )

"""Bringing just those documents of the folder in step that somebody says have changed."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from app.jobs import WHOLE_FOLDER
from app.ports import Embedder, VectorStore
from ingest import job
from ingest.access import ACCESS_FILE
from ingest.errors import OtherIndex
from ingest.indexing import spec_for
from ingest.intake import Intake
from ingest.patterns import IGNORE_FILE
from ingest.progress import Summary
from ingest.sources import find_files

_RULING = frozenset({IGNORE_FILE, ACCESS_FILE})
"""Files that say what becomes of other ones."""


async def ids_of(
    store: VectorStore, corpus: Path, intake: Intake, paths: Collection[str], *, in_checkout: bool = False
) -> set[str]:
    """Of these paths below `corpus`, those of documents that are there, or that the index has from there.

    A file that rules others stands for the WHOLE_FOLDER. With `in_checkout` the paths are below the Git checkout that
    `corpus` is in, if it is in one. Raises StoreError.
    """
    prefix = await asyncio.to_thread(_place_in_checkout, corpus) if in_checkout else ""
    asked = {unicodedata.normalize("NFC", path.removeprefix(prefix)) for path in paths if path.startswith(prefix)}
    if any(PurePosixPath(path).name in _RULING for path in asked) or WHOLE_FOLDER in asked:
        return {WHOLE_FOLDER}
    files = await asyncio.to_thread(lambda: {file.document_id for file in find_files(corpus, intake)})
    return asked & (files | await _indexed(store))


async def update(
    store: VectorStore, embedder: Embedder, index_name: str, corpus: Path, intake: Intake, ids: Collection[str]
) -> Summary:
    """Index or remove these documents. Raises OtherIndex, and what the job raises."""
    served = await store.state()
    if served is not None and served.collection != spec_for(index_name, embedder).collection:
        raise OtherIndex("The index was built by another model or version: run `make ingest`.")
    only = None if WHOLE_FOLDER in ids else ids
    return await job.run(store, embedder, index_name, corpus, lambda _: None, intake, only=only)


async def _indexed(store: VectorStore) -> set[str]:
    """The ids of the folder's documents that the index knows of."""
    served = await store.state()
    if served is None:
        return set()
    known = {record.document_id async for record in store.documents(served.collection) if record.origin == "folder"}
    absent = store.absent_documents(served.collection)
    return known | {one.document_id async for one in absent if one.origin == "folder"}


def _place_in_checkout(corpus: Path) -> str:
    """How the paths of the corpus's files begin in the checkout: `docs/`, or nothing."""
    folder = corpus.resolve()
    for parent in (folder, *folder.parents):
        if (parent / ".git").exists():
            return "".join(f"{part}/" for part in folder.relative_to(parent).parts)
    return ""

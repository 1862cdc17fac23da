"""What no file holds comes along when the index moves to another collection: documents that were pushed, and the last
good versions of those of the folder that can't be read any more.

Their text is taken from the passages that answer now, parted as it was; only the vectors are new. A passage longer than
the new model reads is embedded by its beginning, until the document is pushed again.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from app.core.model import Passage
from app.core.records import AbsentDocument, DocumentRecord
from app.errors import EmbeddingFailed
from app.ports import VectorStore
from ingest import integrity, plan
from ingest.document import Document, Piece
from ingest.indexing import Indexer
from ingest.sources import SourceFile

_UNREAD = ""
"""In place of a byte hash: the next push of the same bytes is read and parted anew."""


async def carry_pushed(store: VectorStore, indexer: Indexer) -> None:
    """Make the pushed documents of the collection that is written to those of the one that answers.

    Writes nothing when they are the same collection. Raises StoreError and EmbeddingFailed.
    """
    served = await store.state()
    if served is None or served.collection == indexer.collection:
        return
    pushed = [record async for record in store.documents(served.collection) if record.origin == "push"]
    for record in pushed:
        stored = await store.passages(served.collection, record.document_id)
        if integrity.findings(record, stored):
            await indexer.fail(record.document_id, "push", "passages of it were lost: push it again")
        else:
            await _carry(record, stored, indexer)
    absent = [one async for one in store.absent_documents(served.collection) if one.origin == "push"]
    for failed in absent:
        await indexer.fail(failed.document_id, "push", failed.failure)
    kept = {record.document_id for record in pushed} | {one.document_id for one in absent}
    known: list[DocumentRecord | AbsentDocument] = [*indexer.records.values(), *indexer.absent.values()]
    for one in known:
        if one.origin == "push" and one.document_id not in kept:
            await indexer.remove(one.document_id)


class LastVersions:
    """The folder's documents as they answer now, while another collection is built."""

    def __init__(self, store: VectorStore, indexer: Indexer) -> None:
        self._store = store
        self._indexer = indexer
        self._collection = ""
        self._records: dict[str, DocumentRecord] = {}

    async def look_up(self) -> None:
        """Finds none when what answers is the collection that is written to. Raises StoreError."""
        served = await self._store.state()
        if served is not None and served.collection != self._indexer.collection:
            self._collection = served.collection
            found = self._store.documents(served.collection)
            self._records = {record.document_id: record async for record in found if record.origin == "folder"}

    async def carry(self, file: SourceFile) -> None:
        """Take along the document of a file that failed, or those below a folder that did.

        Raises StoreError; and EmbeddingFailed when to go on would lose one.
        """
        for record in [self._records[id_] for id_ in file.concerns(self._records)]:
            stored = await self._store.passages(self._collection, record.document_id)
            if not integrity.findings(record, stored):
                await self._carry(record, stored)

    async def _carry(self, record: DocumentRecord, stored: Sequence[Passage]) -> None:
        try:
            await _carry(record, stored, self._indexer)
        except EmbeddingFailed as exc:
            raise EmbeddingFailed(
                f"{exc} {record.document_id} would be lost with it, so the index stays what it was: run it again, or"
                " leave that document out."
            ) from exc


async def _carry(record: DocumentRecord, stored: Sequence[Passage], indexer: Indexer) -> None:
    wanted, passages = _made_anew(record, stored)
    known = indexer.records.get(record.document_id)
    if known != wanted or not await indexer.holds(wanted):
        await indexer.write(wanted, passages)


def _made_anew(record: DocumentRecord, stored: Sequence[Passage]) -> tuple[DocumentRecord, list[Passage]]:
    document = Document(
        title=record.title,
        blocks=(),
        url=record.url,
        updated_at=record.updated_at,
        tags=record.tags,
        access=record.access,
        language=record.language,
    )
    pieces = [Piece(passage.text, passage.heading, passage.page) for passage in stored]
    passages = plan.passages_of(record.document_id, document, pieces)
    made = plan.record_of(record.document_id, record.origin, _UNREAD, document, passages)
    return structs.replace(made, failure=record.failure), passages

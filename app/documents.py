"""The documents that a caller may see, page by page, and what one of them says."""

from __future__ import annotations

import heapq
from operator import attrgetter

from msgspec import Struct

from app.core.model import DocumentRecord, Passage, Scope
from app.ports import VectorStore

MAX_LISTED = 100


class Listing(Struct, frozen=True):
    records: list[DocumentRecord]
    """In the order of their ids."""
    last: str | None
    """The id after which the next page starts; None when this is the last."""


async def listing(store: VectorStore, scope: Scope, *, after: str = "", limit: int = MAX_LISTED) -> Listing:
    """The first `limit` documents with an id after `after`, clamped to 1..100. Raises StoreError."""
    limit = max(1, min(MAX_LISTED, limit))
    state = await store.state()
    if state is None:
        return Listing([], None)
    later = [record async for record in store.find_documents(state.collection, scope) if record.document_id > after]
    page = heapq.nsmallest(limit, later, key=attrgetter("document_id"))
    return Listing(page, page[-1].document_id if len(later) > limit else None)


async def passages(store: VectorStore, document_id: str, scope: Scope) -> list[Passage]:
    """The passages of a document in order; none for one that is unknown or may not be seen. Raises StoreError."""
    state = await store.state()
    if state is None or not await store.visible(state.collection, [document_id], scope):
        return []
    return await store.passages(state.collection, document_id)

"""GET /v1/index/documents."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from bisect import insort
from collections.abc import AsyncIterator
from operator import attrgetter
from typing import Annotated, Any, Literal

from litestar import Request, get
from litestar.datastructures import State
from litestar.params import FromQuery, QueryParameter
from msgspec import Struct

from app.core.model import Scope
from app.core.records import AbsentDocument, DocumentRecord, Origin
from app.ports import VectorStore
from app.services import Services
from app.web.access import caller_of, scope_of
from app.web.parameters import only_known_parameters
from app.web.problems import BAD_REQUEST, INDEX_UNAVAILABLE, NOT_LOCAL, Problem, documented

MAX_LISTED = 1_000


class ListedDocument(Struct, frozen=True):
    document_id: str
    title: str | None
    url: str | None
    state: Literal["indexed", "failed"]
    """`failed`: its newest version could not be indexed; an earlier one answers if it has passages."""
    failure: str | None
    left_out: tuple[str, ...]
    """What its reader did not take in."""
    passages: int
    tags: tuple[str, ...]
    updated_at: str | None
    language: str | None
    """ISO 639-1 code, as far as it is known."""
    origin: Origin


class DocumentPage(Struct, frozen=True):
    documents: list[ListedDocument]
    """By id."""
    cursor: str | None
    """Asks for the next page; null on the last."""


@get(
    "/v1/index/documents",
    guards=[only_known_parameters],
    responses=documented(BAD_REQUEST, NOT_LOCAL, INDEX_UNAVAILABLE),
)
async def get_documents(
    request: Request[Any, Any, State],
    prefix: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_LISTED)] = 100,
    cursor: FromQuery[str | None] = None,
) -> DocumentPage:
    """The documents that the caller may see, page by page; for an admin all, also those that never got in.

    `prefix` matches whole path segments.
    """
    return await page_of(request, prefix, limit, cursor)


async def page_of(
    request: Request[Any, Any, State], prefix: str | None, limit: int, cursor: str | None
) -> DocumentPage:
    """What `get_documents` gives. Raises StoreError, and Problem for a cursor that is none."""
    services: Services = request.app.state.services
    after = _id_of(cursor) if cursor else ""
    state = await services.store.state()
    if state is None:
        return DocumentPage([], None)
    scope = scope_of(request, prefix)
    find = _all if caller_of(request).is_admin else _visible
    found: list[ListedDocument] = []
    async for document in find(services.store, state.collection, scope):
        if document.document_id > after:
            insort(found, document, key=attrgetter("document_id"))
            del found[limit + 1 :]
    page = found[:limit]
    return DocumentPage(page, _cursor_of(page[-1].document_id) if len(found) > limit else None)


async def _visible(store: VectorStore, collection: str, scope: Scope) -> AsyncIterator[ListedDocument]:
    async for record in store.find_documents(collection, scope):
        yield _listed(record)


async def _all(store: VectorStore, collection: str, scope: Scope) -> AsyncIterator[ListedDocument]:
    async for record in store.documents(collection):
        if _is_below(record.document_id, scope.source_prefix):
            yield _listed(record)
    async for absent in store.absent_documents(collection):
        if _is_below(absent.document_id, scope.source_prefix):
            yield _absent(absent)


def _listed(record: DocumentRecord) -> ListedDocument:
    return ListedDocument(
        document_id=record.document_id,
        title=record.title,
        url=record.url,
        state="failed" if record.failure else "indexed",
        failure=record.failure,
        left_out=record.left_out,
        passages=record.passages,
        tags=record.tags,
        updated_at=record.updated_at,
        language=record.language,
        origin=record.origin,
    )


def _absent(document: AbsentDocument) -> ListedDocument:
    return ListedDocument(
        document_id=document.document_id,
        title=None,
        url=None,
        state="failed",
        failure=document.failure,
        left_out=(),
        passages=0,
        tags=(),
        updated_at=None,
        language=None,
        origin=document.origin,
    )


def _is_below(document_id: str, prefix: str | None) -> bool:
    return prefix is None or document_id == prefix or document_id.startswith(f"{prefix}/")


def _cursor_of(document_id: str) -> str:
    return urlsafe_b64encode(document_id.encode()).decode()


def _id_of(cursor: str) -> str:
    try:
        return b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError as exc:
        raise Problem(BAD_REQUEST, "cursor: pass the one of the page before, or none for the first page.") from exc

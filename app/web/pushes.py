"""PUT and DELETE /v1/index/documents/{id}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from litestar import Request, Response, Router, delete, put
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIFormat, OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from litestar.params import FromPath, FromQuery

from app.errors import BadPush
from app.jobs import Jobs, PushedDocument, PushReply
from app.web.access import ADMIN_ONLY, only_admins
from app.web.parameters import only_known_parameters
from app.web.problems import (
    BAD_REQUEST,
    BUSY,
    INDEX_UNAVAILABLE,
    NOT_ADMIN,
    UNKNOWN_DOCUMENT,
    UNKNOWN_FORMAT,
    UNREADABLE_DOCUMENT,
    documented,
)

_PATH = "/v1/index/documents/"


def router(max_document_mb: int) -> Router:
    """The routes, with room for a document of this size in the body."""
    limit = max_document_mb * 2**20
    return Router("/", route_handlers=[put_document, delete_document], request_max_body_size=limit)


@dataclass
class _TakesAnyDocument(Operation):
    """The body is read as it comes, so OpenAPI must be told of it."""

    def __post_init__(self) -> None:
        anything = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody(
            {"*/*": anything},
            required=True,
            description="The document as it is. Content-Type says what that is, such as text/markdown, text/html or"
            " application/pdf; without one the end of the id does.",
        )


@put(
    _PATH + "{document_id:path}",
    status_code=200,
    guards=[only_admins, only_known_parameters],
    security=[*ADMIN_ONLY],
    operation_class=_TakesAnyDocument,
    responses={
        201: ResponseSpec(PushReply, generate_examples=False, description="It was not in the index before"),
        **documented(BAD_REQUEST, NOT_ADMIN, BUSY, UNKNOWN_FORMAT, UNREADABLE_DOCUMENT, INDEX_UNAVAILABLE),
    },
)
async def put_document(
    request: Request[Any, Any, State],
    document_id: FromPath[str],
    title: FromQuery[str | None] = None,
    url: FromQuery[str | None] = None,
    updated_at: FromQuery[str | None] = None,
    tags: FromQuery[list[str] | None] = None,
    access: FromQuery[list[str] | None] = None,
    language: FromQuery[str | None] = None,
) -> Response[PushReply]:
    """Index a document, or a new version of it; when it can't be, the last version stays.

    The parameters stand in place of what the document says of itself. `tags` and `access` may be repeated; an empty
    `access` lets nobody see it.
    """
    jobs: Jobs = request.app.state.jobs
    await jobs.check_free()  # before the body is read
    media_type, options = request.content_type
    reply = await jobs.put(
        PushedDocument(
            document_id=_id_of(request),
            data=await request.body(),
            media_type=media_type.lower(),
            charset=options.get("charset"),
            title=None if title is None else " ".join(title.split()),
            url=url,
            updated_at=updated_at,
            tags=_words(tags),
            access=_words(access),
            language=language,
        )
    )
    return Response(reply, status_code=201 if reply.change == "added" else 200)


@delete(
    _PATH + "{document_id:path}",
    status_code=200,
    guards=[only_admins, only_known_parameters],
    security=[*ADMIN_ONLY],
    responses=documented(BAD_REQUEST, NOT_ADMIN, UNKNOWN_DOCUMENT, BUSY, INDEX_UNAVAILABLE),
)
async def delete_document(request: Request[Any, Any, State], document_id: FromPath[str]) -> PushReply:
    """Remove a document that was pushed."""
    jobs: Jobs = request.app.state.jobs
    return await jobs.delete(_id_of(request))


def _id_of(request: Request[Any, Any, State]) -> str:
    """As it was sent: the framework's own parameter has its slashes tidied. Raises BadPush."""
    _, _, sent = request.scope["raw_path"].partition(_PATH.encode())
    try:
        return unquote_to_bytes(sent).decode()
    except UnicodeDecodeError as exc:
        raise BadPush("A document's id is percent-encoded UTF-8.") from exc


def _words(given: list[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(dict.fromkeys(word for word in given if word))

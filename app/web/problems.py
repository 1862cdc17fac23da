"""Errors as RFC 9457 problem details: one table, no stack trace, no key, nobody else's words."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from litestar import Request
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.plugins.problem_details import (
    ProblemDetailsConfig,
    ProblemDetailsException,
    ProblemDetailsPlugin,
)
from msgspec import Struct

from app.core.question import BadQuestion
from app.errors import (
    BadPush,
    EmbedderError,
    EvidenceUnavailable,
    FolderDocument,
    IngestionError,
    JobRunning,
    LimitReached,
    ModelUnavailable,
    NoticesUnavailable,
    OtherIndex,
    Overloaded,
    StoreError,
    UnknownDocument,
    UnknownFormat,
    UnreadableDocument,
    VouchError,
)
from app.logs import log
from app.metrics import ACCESS_REFUSED
from app.web.events import CallerGone

_RETRY_S = "5"


class Kind(Struct, frozen=True):
    """The last segment of `type`, which is stable, with its title."""

    slug: str
    status: int
    title: str
    retry_after: str | None = None


BAD_QUESTION = Kind("bad-question", 400, "The question can't be asked")
BAD_REQUEST = Kind("bad-request", 400, "The request is not valid")
BUSY = Kind("job-running", 409, "Another ingestion job is running", _RETRY_S)
OTHER_INDEX = Kind("other-index", 409, "The service builds another index")
NO_KEY = Kind("no-key", 401, "A valid key is needed")
NOT_LOCAL = Kind("not-local", 403, "This service answers only its own machine")
NOT_ADMIN = Kind("not-admin", 403, "This needs an admin")
NOT_OWNER = Kind("not-owner", 403, "This needs the token of this run of the service")
BAD_SIGNATURE = Kind("bad-signature", 403, "The notice's signature is not valid")
NO_NOTICES = Kind("no-notices", 404, "This service takes no notices")
REPLAYED_NOTICE = Kind("replayed-notice", 409, "The notice was taken before")
NOTICES_UNAVAILABLE = Kind("notices-unavailable", 503, "The notice can't be kept", _RETRY_S)
UNKNOWN_ANSWER = Kind("unknown-answer", 404, "There is no such answer")
FOLDER_DOCUMENT = Kind("folder-document", 409, "The document belongs to the folder")
UNKNOWN_DOCUMENT = Kind("unknown-document", 404, "There is no such document")
UNREADABLE_DOCUMENT = Kind("unreadable-document", 422, "The document can't be indexed; its last version stays")
UNKNOWN_FORMAT = Kind("unknown-format", 415, "What the document is was not said, or is not supported")
LIMIT_REACHED = Kind("limit-reached", 429, "A limit of the caller is reached")
OVERLOADED = Kind("overloaded", 503, "The service is busy", "1")
EVIDENCE_UNAVAILABLE = Kind("evidence-unavailable", 503, "Kept answers can't be read", _RETRY_S)
OUT_OF_TIME = Kind("out-of-time", 503, "The search took too long", _RETRY_S)
INDEX_UNAVAILABLE = Kind("index-unavailable", 503, "The index does not answer", _RETRY_S)
NOT_INGESTED = Kind("not-ingested", 503, "The index can't be changed now", _RETRY_S)
MODEL_UNAVAILABLE = Kind("model-unavailable", 503, "The embedding model can't be used", _RETRY_S)
INTERNAL = Kind("internal", 500, "Something went wrong inside the service")

_BY_ERROR: dict[type[Exception], Kind] = {
    BadQuestion: BAD_QUESTION,
    StoreError: INDEX_UNAVAILABLE,
    EvidenceUnavailable: EVIDENCE_UNAVAILABLE,
    NoticesUnavailable: NOTICES_UNAVAILABLE,
    ModelUnavailable: MODEL_UNAVAILABLE,
    EmbedderError: MODEL_UNAVAILABLE,
    JobRunning: BUSY,
    LimitReached: LIMIT_REACHED,
    Overloaded: OVERLOADED,
    OtherIndex: OTHER_INDEX,
    UnreadableDocument: UNREADABLE_DOCUMENT,
    UnknownDocument: UNKNOWN_DOCUMENT,
    FolderDocument: FOLDER_DOCUMENT,
    UnknownFormat: UNKNOWN_FORMAT,
    BadPush: BAD_REQUEST,
    IngestionError: NOT_INGESTED,
}


_WAY_ON = {
    HTTPStatus.NOT_FOUND: "There is no such route: /schema lists those there are.",
    HTTPStatus.METHOD_NOT_ALLOWED: "The header Allow names the methods of this route.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than this route takes: send a smaller one.",
}
"""Where Litestar says no more than the name of the status."""
_CLEARER = {
    "'data'": "The body is empty: send JSON.",
    "Input data was truncated": "The JSON ends too early, or with half a surrogate pair.",
}
"""What Litestar and msgspec say, and what they mean."""


class ProblemDetails(Struct, frozen=True):
    """What an error looks like to the caller."""

    type: str
    title: str
    status: int
    detail: str


def documented(*kinds: Kind) -> dict[int, ResponseSpec]:
    """These errors, and those of every route that asks for a key, for the OpenAPI document."""
    return {
        kind.status: ResponseSpec(
            ProblemDetails, generate_examples=False, description=kind.title, media_type="application/problem+json"
        )
        for kind in (NO_KEY, LIMIT_REACHED, *kinds)
    }


class Problem(VouchError):
    """An error that a route raises itself."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


def kind_of(exc: Exception) -> Kind:
    """The kind of an error of ours; INTERNAL for one that has none."""
    if isinstance(exc, Problem):
        return exc.kind
    return next((kind for error, kind in _BY_ERROR.items() if isinstance(exc, error)), INTERNAL)


ERRORS: tuple[type[Exception], ...] = (HTTPException, BadQuestion, VouchError, Exception)
"""What `problem_of` tells apart; a handler of its own for errors must name them all."""


def problem_of(exc: Exception) -> ProblemDetailsException:
    """What the caller is told of any error."""
    if isinstance(exc, HTTPException):
        return _from_http(exc)
    if isinstance(exc, BadQuestion | VouchError):
        return _from_ours(exc)
    return _from_unexpected(exc)


def plugin() -> ProblemDetailsPlugin:
    return ProblemDetailsPlugin(
        ProblemDetailsConfig(
            enable_for_all_http_exceptions=True,
            exception_to_problem_detail_map=dict.fromkeys(ERRORS, problem_of),
        )
    )


def log_unexpected(exc: Exception, scope: Any) -> None:
    """Litestar hook: the one place where an error nobody planned for is logged."""
    if kind_of(exc) is INTERNAL and not isinstance(exc, HTTPException | RecursionError | CallerGone):
        log.error("request.internal_error", path=Request(scope).url.path, exc_info=exc)


def _from_ours(exc: Exception) -> ProblemDetailsException:
    kind = kind_of(exc)
    problem = _problem(kind, str(exc) if kind is not INTERNAL else "Its log has the details.")
    if isinstance(exc, LimitReached):
        told = ratelimit_headers(exc.allowed, 0, exc.retry_after_s)
        problem.headers = {**(problem.headers or {}), **told, "Retry-After": str(exc.retry_after_s)}
    return problem


def ratelimit_headers(limit: int, remaining: int, resets_in_s: int) -> dict[str, str]:
    """Those of draft-ietf-httpapi-ratelimit-headers-06."""
    values = {"Limit": limit, "Remaining": remaining, "Reset": resets_in_s}
    return {f"RateLimit-{name}": str(value) for name, value in values.items()}


def _from_unexpected(exc: Exception) -> ProblemDetailsException:
    if isinstance(exc, RecursionError):  # only a body can be nested that deeply
        return _problem(BAD_REQUEST, "The body is nested too deeply.")
    return _problem(INTERNAL, "Its log has the details.")


def _from_http(exc: HTTPException) -> ProblemDetailsException:
    """Litestar's own errors: bad bodies, unknown routes, wrong methods, sizes."""
    if isinstance(exc, ProblemDetailsException):
        return exc
    if exc.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _from_unexpected(exc)
    status = HTTPStatus(exc.status_code)
    kind = BAD_REQUEST if status is HTTPStatus.BAD_REQUEST else Kind(_slug(status), status, status.phrase)
    said = _detail(exc)
    problem = _problem(kind, said if said != status.phrase else _WAY_ON.get(status, said))
    problem.headers = {**(exc.headers or {}), **(problem.headers or {})}
    return problem


def _detail(exc: HTTPException) -> str:
    """Litestar says "Validation failed for POST ..." and keeps what is wrong in `extra`."""
    faults = isinstance(exc.extra, list) and "; ".join(map(_fault, exc.extra))
    said = faults or exc.detail or ""
    return _CLEARER.get(said, said)


def _fault(fault: dict[str, Any]) -> str:
    message, key = str(fault.get("message", "")).replace("`", "'"), fault.get("key", "data")
    return message if key == "data" else f"{key}: {message}"


def _slug(status: HTTPStatus) -> str:
    return status.phrase.lower().replace(" ", "-").replace("'", "")


def count_refusal(exc: Exception, _: Any) -> None:
    """Litestar hook: the one place where a rejected key and a missing right are counted."""
    kind = kind_of(exc)
    if kind.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        ACCESS_REFUSED.labels(str(kind.status), kind.slug).inc()


def _headers(kind: Kind) -> dict[str, str] | None:
    if kind.status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="vouch"'}
    return {"Retry-After": kind.retry_after} if kind.retry_after else None


def _problem(kind: Kind, detail: str) -> ProblemDetailsException:
    return ProblemDetailsException(
        status_code=kind.status,
        title=kind.title,
        detail=detail,
        type_=f"/problems/{kind.slug}",
        headers=_headers(kind),
    )

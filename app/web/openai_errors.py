"""Errors in the shape of the OpenAI API, with the status and the sentence that a problem has."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import HTTPException
from litestar.response import Response
from litestar.types import ExceptionHandler
from msgspec import UNSET, Struct, UnsetType

from app.core.model import Reply
from app.core.openai_completion import Vouch, extension
from app.core.openai_parameters import Fault
from app.core.question import BadQuestion
from app.web.problems import ERRORS, Kind, Problem, problem_of

_STATUS = {
    "content_filtered": 400,
    "provider_unreachable": 503,
    "provider_timeout": 504,
    "deadline": 504,
    "index_unavailable": 503,
    "embedder_failed": 503,
    "shutting_down": 503,
    "internal": 500,
}
_BAD_GATEWAY = 502
"""For the other reasons of `failed`: the language model's reply can't be used."""
_VAIN = frozenset({"content_filtered", "answer_truncated", "answer_too_long"})
"""Asked again, the model would most likely do the same, so the SDK is told not to try."""


class ErrorBody(Struct, frozen=True):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorReply(Struct, frozen=True):
    error: ErrorBody
    vouch: Vouch | UnsetType = UNSET
    """The reply, when there was one: its id leads to the evidence."""


class Refused(Problem):
    """A request that the OpenAI API would refuse."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(Kind(fault.code, fault.status, "The request is not valid"), fault.message)
        self.param = fault.param


def failure(reply: Reply, question: str) -> tuple[int, ErrorReply]:
    """The HTTP status of a reply that failed before its first text, and what is sent in its place."""
    status = _STATUS.get(reply.reason or "", _BAD_GATEWAY)
    error = ErrorBody(reply.message, _type(status), None, reply.reason)
    return status, ErrorReply(error, extension(reply, question))


def failed(reply: Reply, question: str) -> Response[ErrorReply]:
    status, content = failure(reply, question)
    headers = {"x-should-retry": "false"} if reply.reason in _VAIN else None
    return Response(content, status_code=status, headers=headers)


def shaped(_: Request[Any, Any, Any], exc: Exception) -> Response[ErrorReply]:
    """Exception handler of the routes that speak this API."""
    problem = problem_of(exc)
    slug = (problem.type_ or "").rpartition("/")[2]
    error = ErrorBody(
        message=problem.detail or problem.title or "",
        type=_type(problem.status_code),
        param=_param(exc),
        code=slug.replace("-", "_") or None,
    )
    return Response(ErrorReply(error), status_code=problem.status_code, headers=problem.headers)


HANDLERS: dict[int | type[Exception], ExceptionHandler[Any]] = dict.fromkeys(ERRORS, shaped)


def _param(exc: Exception) -> str | None:
    """The field that is wrong, as in `messages[0].role`."""
    match exc:
        case Refused():
            return exc.param
        case BadQuestion():
            return "messages"
        case HTTPException(extra=[{"key": str(key)}, *_]) if key != "data":
            return key
    return None


def _type(status: int) -> str:
    if status == 429:
        return "rate_limit_error"
    return "server_error" if status >= 500 else "invalid_request_error"

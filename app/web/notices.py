"""POST /v1/notices: what a CMS, a Git host or a billing system says has changed, signed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from litestar import Request, Router, post
from litestar.datastructures import State
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from msgspec import UNSET, Meta, Struct, UnsetType

from app.core import signatures
from app.core.callers import is_name
from app.core.plans import Plan, check_limits
from app.core.signatures import BadSignature
from app.errors import VouchError
from app.jobs import WHOLE_FOLDER, Jobs
from app.logs import log
from app.metrics import NOTICES
from app.notices import Notices
from app.plans import PlannedKeys
from app.ports import NoticeMemory
from app.web.access import OPEN_TO_ALL
from app.web.problems import (
    BAD_REQUEST,
    BAD_SIGNATURE,
    INDEX_UNAVAILABLE,
    NO_NOTICES,
    REPLAYED_NOTICE,
    Problem,
    documented,
    kind_of,
)

SIGNATURE_HEADER = "X-Vouch-Signature"
GITHUB_HEADER = "X-Hub-Signature-256"
MAX_BYTES = 64 * 1024
MAX_GITHUB_BYTES = 5 * 2**20
MAX_COMMITS = 2048
"""More than these GitHub does not list."""

_T = TypeVar("_T")


class Desk(Struct, frozen=True):
    """What notices are checked with and given to, in this run of the service."""

    secrets: tuple[str, ...]
    memory: NoticeMemory
    notices: Notices
    plans: PlannedKeys | None
    """None where callers have no keys."""

    def __repr__(self) -> str:
        return "Desk(...)"


class Notice(Struct, frozen=True, forbid_unknown_fields=True):
    """`documents`, or `caller` with `limits`."""

    documents: list[Annotated[str, Meta(min_length=1)]] | UnsetType = UNSET
    """Ids of documents of the folder that were added, changed or removed there."""
    caller: str | UnsetType = UNSET
    limits: dict[str, int | None] | UnsetType | None = UNSET
    """What the caller may use from now on, of the limits that are named; null: what API_KEYS_FILE says."""


class _Commit(Struct, frozen=True):
    added: list[str] = []
    modified: list[str] = []
    removed: list[str] = []


class _Push(Struct, frozen=True):
    """What matters here of GitHub's push event."""

    commits: list[_Commit] = []
    forced: bool = False

    @property
    def paths(self) -> set[str]:
        """In the repository. A push that took commits back, or has too many, does not say all of them."""
        if self.forced or len(self.commits) >= MAX_COMMITS:
            return {WHOLE_FOLDER}
        return {path for commit in self.commits for path in (*commit.added, *commit.modified, *commit.removed)}


class NoticeReply(Struct, frozen=True):
    state: Literal["queued", "applied", "ignored"]
    """`queued`: it is kept, and a sync of its documents follows as soon as no other job is at work. `applied`: the
    limits hold. `ignored`: nothing follows, for want of a document or caller, or as a later notice was taken."""
    documents: int
    """Whose sync follows; 0 where the whole folder's does."""
    ignored: int
    """Names of what is no document of the folder and never was."""


@dataclass
class _TakesANotice(Operation):
    """The body is read as it comes, so OpenAPI must be told of it."""

    def __post_init__(self) -> None:
        schema = Schema(type=OpenAPIType.OBJECT)
        self.request_body = RequestBody(
            {"application/json": OpenAPIMediaType(schema=schema)},
            required=True,
            description='`{"documents": ["a.md"]}`, or `{"caller": "hr-portal", "limits": {"answers_per_month": 500}}`,'
            " with `X-Vouch-Signature: t=SECONDS,v1=HEX`: an HMAC-SHA256 of SECONDS, a full stop and the body. Or a"
            " push event of GitHub as JSON, with `X-Hub-Signature-256`.",
        )


@post(
    "/v1/notices",
    status_code=202,
    opt=OPEN_TO_ALL,
    security=[{}],
    operation_class=_TakesANotice,
    responses=documented(BAD_REQUEST, BAD_SIGNATURE, NO_NOTICES, REPLAYED_NOTICE, INDEX_UNAVAILABLE),
)
async def post_notice(request: Request[Any, Any, State]) -> NoticeReply:
    """Take a signed notice of changed documents, which are synced soon: it is kept until they are.

    The signature stands in place of a key. A sender that gets no 202 sends its notice again, signed anew.
    """
    try:
        reply = await _take(request)
    except (VouchError, RequestEntityTooLarge) as exc:
        reason = kind_of(exc).slug if isinstance(exc, VouchError) else "too-large"
        NOTICES.labels(reason).inc()
        log.warning("notice.refused", reason=reason, bytes=request.headers.get("content-length"))
        raise
    NOTICES.labels(reply.state).inc()
    log.info("notice.taken", documents=reply.documents, ignored=reply.ignored)
    return reply


router = Router("/", route_handlers=[post_notice], request_max_body_size=MAX_GITHUB_BYTES)


async def _take(request: Request[Any, Any, State]) -> NoticeReply:
    desk: Desk = request.app.state.desk
    if not desk.secrets:
        raise Problem(NO_NOTICES, "Set NOTICE_SECRETS to take them.")
    if GITHUB_HEADER in request.headers and SIGNATURE_HEADER not in request.headers:
        return await _take_github(request, desk)
    body = await _body(request, MAX_BYTES)
    header = request.headers.get(SIGNATURE_HEADER, "")
    notice = _checked(lambda: signatures.check(header, body, desk.secrets, time.time()))
    if not await desk.memory.is_new(notice, 2 * signatures.MAX_AGE_S):
        raise Problem(REPLAYED_NOTICE, "It was sent before: sign each try anew.")
    return await _carry_out(request, desk, _decoded(body, Notice), signatures.time_of(header))


async def _take_github(request: Request[Any, Any, State], desk: Desk) -> NoticeReply:
    """A push that is sent again is a sync again, and harmless. Other events, such as `ping`, ask for nothing."""
    body = await _body(request, MAX_GITHUB_BYTES)
    header = request.headers[GITHUB_HEADER]
    _checked(lambda: signatures.check_github(header, body, desk.secrets))
    if request.headers.get("X-GitHub-Event", "push") != "push":
        return NoticeReply("ignored", 0, 0)
    if request.content_type[0] != "application/json":
        raise Problem(BAD_REQUEST, "Set the webhook's content type to application/json.")
    return await _sync(request, desk, list(_decoded(body, _Push).paths), in_checkout=True)


async def _carry_out(request: Request[Any, Any, State], desk: Desk, notice: Notice, signed_at: int) -> NoticeReply:
    if notice.documents is not UNSET and notice.caller is UNSET and notice.limits is UNSET:
        return await _sync(request, desk, notice.documents)
    if notice.documents is UNSET and notice.caller is not UNSET and notice.limits is not UNSET:
        return await _change_plan(desk, notice.caller, Plan(signed_at, notice.limits))
    raise Problem(BAD_REQUEST, "A notice has `documents`, or `caller` and `limits`.")


async def _change_plan(desk: Desk, caller: str, plan: Plan) -> NoticeReply:
    """A plan of a caller that is not known yet is kept for it."""
    try:
        check_limits(plan.limits or {})
    except msgspec.ValidationError as exc:
        raise Problem(BAD_REQUEST, f"The limits are not valid: {str(exc).replace('`', '')}.") from exc
    kept = desk.plans is not None and is_name(caller) and await desk.plans.change(caller, plan)
    if kept:
        log.info("plan.changed", caller=caller, limits=plan.limits)
    return NoticeReply("applied" if kept else "ignored", 0, 0)


async def _sync(
    request: Request[Any, Any, State], desk: Desk, paths: Sequence[str], *, in_checkout: bool = False
) -> NoticeReply:
    jobs: Jobs = request.app.state.jobs
    ids = await jobs.ids_of(paths, in_checkout=in_checkout)
    await desk.notices.take(ids)
    if WHOLE_FOLDER in ids:
        return NoticeReply("queued", 0, 0)
    return NoticeReply("queued" if ids else "ignored", len(ids), len(set(paths)) - len(ids))


async def _body(request: Request[Any, Any, State], limit: int) -> bytes:
    """Raises RequestEntityTooLarge as soon as it is known to be larger."""
    if int(request.headers.get("content-length", "0")) > limit:
        raise RequestEntityTooLarge
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise RequestEntityTooLarge
    return bytes(body)


def _checked(check: Callable[[], _T]) -> _T:
    try:
        return check()
    except BadSignature as exc:
        raise Problem(BAD_SIGNATURE, str(exc)) from exc


def _decoded(body: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as exc:
        raise Problem(BAD_REQUEST, f"The notice is not valid: {str(exc).replace('`', '')}.") from exc

"""GET /v1/answers/{id}, and the answer that a question follows up on."""

from __future__ import annotations

from typing import Any

from litestar import Request, get
from litestar.datastructures import State
from litestar.params import FromPath

from app import evidence
from app.core import followups
from app.core.evidence import KeptReply
from app.core.question import normalise
from app.errors import EvidenceUnavailable
from app.services import Services
from app.web.access import viewer_of
from app.web.problems import EVIDENCE_UNAVAILABLE, NOT_LOCAL, UNKNOWN_ANSWER, Problem, documented

_ASK_AGAIN = "It may have expired: ask the question again."


@get("/v1/answers/{answer_id:str}", responses=documented(NOT_LOCAL, UNKNOWN_ANSWER, EVIDENCE_UNAVAILABLE))
async def get_answer(request: Request[Any, Any, State], answer_id: FromPath[str]) -> KeptReply:
    """An earlier answer with all that led to it, for its caller and for admins, access checked anew.

    Unknown, expired and somebody else's are the same 404.
    """
    services: Services = request.app.state.services
    found = await evidence.recall(answer_id, viewer_of(request), services)
    if found is None:
        raise Problem(UNKNOWN_ANSWER, _ASK_AGAIN)
    return found


async def earlier(request: Request[Any, Any, State], previous: str, question: str) -> KeptReply | None:
    """The answer that a question follows up on. None when it is gone, and the question stands without it.

    Raises BadQuestion, and StoreError when access can't be checked. A question about that answer itself needs it:
    without it, raises Problem(UNKNOWN_ANSWER) or EvidenceUnavailable.
    """
    services: Services = request.app.state.services
    stands_alone = followups.about_the_answer(normalise(question)) is None
    try:
        found = await evidence.recall(previous, viewer_of(request), services)
    except EvidenceUnavailable:
        if stands_alone:
            return None
        raise
    if found is None and not stands_alone:
        raise Problem(UNKNOWN_ANSWER, _ASK_AGAIN)
    return found

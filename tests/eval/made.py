"""Made-up questions and what came of them."""

from __future__ import annotations

from app.core.model import Candidate, Passage, Relevance, Reply, Source, Status
from eval.asking import Asked
from eval.cases import Case, Gold, Place


def passage(document: str, text: str = "text", *, page: int | None = None, number: int = 0) -> Passage:
    return Passage(
        passage_id=f"{document} {number}",
        document_id=document,
        content_hash="",
        position=number,
        title="",
        text=text,
        page=page,
    )


def gold(document: str, *pages: int, words: str = "") -> Gold:
    return Gold(frozenset(Place(document, page) for page in pages or (None,)), words)


def reply(answer: str | None = None, *sources: Source, best: float | None = 0.5, reason: str | None = None) -> Reply:
    return Reply(
        id="",
        status=Status.REFUSED if answer is None else Status.ANSWERED,
        reason=reason or ("below_threshold" if answer is None else None),
        message="",
        answer=answer,
        sources=sources,
        cited=tuple(source.number for source in sources),
        relevance=Relevance(best, 0.4, 8, 0 if answer is None else 8),
    )


def asked(case: Case, reply: Reply, *found: Candidate) -> Asked:
    return Asked(case=case, reply=reply, fused=found, deep=found, citations=None)


def case(*, answerable: bool = True, answers: tuple[str, ...] = (), **fields: object) -> Case:
    return Case(group="set", question="What?", answerable=answerable, answers=answers, **fields)  # type: ignore[arg-type]

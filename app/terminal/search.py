"""`python -m app search`: what a question would be answered from, without a model call."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from app.core import gate, verdict
from app.core.model import Relevance
from app.terminal.client import Client
from app.terminal.output import place, show, spoken

WOULD_ANSWER, WOULD_REFUSE = 0, 4


class _Found(Struct):
    document_id: str
    title: str
    heading: tuple[str, ...]
    page: int | None
    score: float


class _Search(Struct):
    candidates: list[_Found]
    relevance: Relevance
    would_answer: bool
    reason: str | None


def search(client: Client, question: str, top_k: int | None, *, as_json: bool = False) -> int:
    """Returns 0 when the question would be answered, 4 when refused; raises CannotAsk."""
    parameters = {"q": question} | ({"top_k": top_k} if top_k is not None else {})
    body = client.get("/v1/search", parameters)
    reply = msgspec.json.decode(body, type=_Search)
    if as_json:
        print(body.decode())
    else:
        _show(reply)
    return WOULD_ANSWER if reply.would_answer else WOULD_REFUSE


def _show(reply: _Search) -> None:
    threshold = reply.relevance.threshold
    for found in reply.candidates:
        style = "green" if found.score >= threshold else "dim"
        show(f"  {found.score:5.2f}  {place(found.title, found.heading, found.page, found.document_id)}", style)
    if reply.would_answer:
        show(f"Would be answered, from {reply.relevance.accepted} of {reply.relevance.candidates} passages.")
    else:
        why = f"{verdict.message(reply.reason, reply.relevance)}{gate.told(reply.relevance)}"
        show(f"Would be refused: {why}", "yellow")
    for line in spoken(reply.relevance):
        show(line, "dim")

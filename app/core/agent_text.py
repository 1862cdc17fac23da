"""Results as the text that an agent's model reads, beside the structured result.

It goes straight into a prompt, so what documents say among words of ours is neutralised: no text of theirs can pass
for a marker of ours.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.core import gate, verdict
from app.core.document_uri import document_uri
from app.core.hashing import prepared_text
from app.core.model import Passage, Reply, Source, Status
from app.core.prompt import neutralise
from app.core.search_reply import Found, SearchReply
from app.core.titles import place, section


def answer(reply: Reply) -> str:
    """The answer with its numbered sources, or why there is none."""
    if reply.answer is None:
        return f"{reply.status.capitalize()}: {reply.message}{gate.told(reply.relevance)}"
    warning = f"{reply.status.capitalize()}: {reply.message}\n\n" if reply.status is Status.UNGROUNDED else ""
    listed = "\n".join(f"[{source.number}] {_where(source)}" for source in reply.sources)
    return f"{warning}{reply.answer}" + (f"\n\nSources:\n{listed}" if listed else "")


def found(reply: SearchReply) -> str:
    """What a search found, best first."""
    why = None if reply.reason is None else verdict.message(reply.reason, reply.relevance) + gate.told(reply.relevance)
    outcome = why or "Enough to answer from."
    passages = [f"{_where(each)}, score {each.score:.2f}:\n{neutralise(each.text)}" for each in reply.candidates]
    return "\n\n".join([outcome, *passages])


def listed(documents: Iterable[tuple[str | None, str]], cursor: str | None) -> str:
    """A page of documents, each by its title and its id; `cursor` asks for the next one."""
    lines = [f"- {place(title or '', (), None, name)} ({document_uri(name)})" for title, name in documents]
    more = [f"More with cursor {cursor!r}."] if cursor else []
    return "\n".join(lines + more) or "No documents."


def document(passages: Iterable[Passage]) -> str:
    """What a document says: its passages exactly as they are stored, under their title and headings.

    Not neutralised: who reads a resource asked for the document itself.
    """
    parts: list[str] = []
    shown: tuple[str, ...] | None = None
    for passage in passages:
        repeated = passage.heading == shown
        parts.append(passage.text if repeated else prepared_text(passage.title, passage.heading, passage.text))
        shown = passage.heading
    return "\n\n".join(parts)


def _where(source: Source | Found) -> str:
    heading, pages = (section(source), source.pages) if isinstance(source, Source) else (source.heading, None)
    where = place(source.title, heading, source.page, source.document_id, pages)
    return f"{where} ({document_uri(source.document_id)})"

"""What an answer was made from, as it is kept and shown again."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct, structs

from app.core import hashing
from app.core.links import images_in
from app.core.model import Reply, Scope, Source, Status


class Viewer(Struct, frozen=True, kw_only=True):
    """Who asks for kept evidence, and what they may see now."""

    caller: str
    is_admin: bool = False
    scope: Scope = Scope()


class Evidence(Struct, frozen=True, kw_only=True):
    """One answer and all that led to it."""

    caller: str
    """Who asked."""
    question: str
    searched: str
    """What was searched with: the question, or a follow-up widened with the one before."""
    answered_at: str
    """ISO 8601 UTC."""
    prompt_version: str
    packed: tuple[Source, ...]
    """What the answerer was given, whether the reply lists it or not."""
    reply: Reply

    def may_be_read_by(self, viewer: Viewer) -> bool:
        return viewer.is_admin or viewer.caller == self.caller


class PassageText(Struct, frozen=True):
    """What a packed passage said."""

    title: str
    heading: tuple[str, ...]
    text: str
    headings: tuple[tuple[str, ...], ...] = ()
    """Of the passages that it was merged from."""


class Record(Struct, frozen=True, kw_only=True):
    """Evidence as a store keeps it: without the texts of its sources, which stand apart under their keys."""

    evidence: Evidence
    text_keys: tuple[str, ...]
    """One for each packed source, in order."""


class KeptSource(Source, frozen=True, kw_only=True):
    """A packed source; a withheld one is its number, ids and score alone."""

    withheld: bool = False


class KeptReply(Reply, frozen=True, kw_only=True):
    """A reply with its evidence, as the viewer may see it now. `sources` are all that were packed."""

    question: str
    searched: str
    answered_at: str
    prompt_version: str
    sources: tuple[KeptSource, ...] = ()
    withheld: bool = False
    """A source may no longer be seen, and so neither may the answer, which was written from its text."""


def take_apart(evidence: Evidence) -> tuple[Record, dict[str, PassageText]]:
    """The record of an answer, and the texts it refers to by key.

    A key names the revision, the passages and their content, so that answers from one revision share their texts, and
    none can ever show another text than it was given.
    """
    revision = evidence.reply.revision or ""
    keys = tuple(_text_key(revision, source) for source in evidence.packed)
    texts = {
        key: PassageText(source.title, source.heading, source.text, tuple(each.heading for each in source.passages))
        for key, source in zip(keys, evidence.packed, strict=True)
    }
    bare = tuple(map(_bare, evidence.packed))
    reply = structs.replace(evidence.reply, sources=())
    return Record(evidence=structs.replace(evidence, packed=bare, reply=reply), text_keys=keys), texts


def put_together(record: Record, texts: Mapping[str, PassageText]) -> Evidence | None:
    """What `take_apart` took apart; None when one of the texts is gone."""
    if not texts.keys() >= set(record.text_keys):
        return None
    evidence = record.evidence
    packed = tuple(
        _with_text(source, texts[key]) for key, source in zip(record.text_keys, evidence.packed, strict=True)
    )
    listed = packed if evidence.reply.status in (Status.ANSWERED, Status.UNGROUNDED) else ()
    return structs.replace(evidence, packed=packed, reply=structs.replace(evidence.reply, sources=listed))


def show(evidence: Evidence, visible: Collection[str]) -> KeptReply:
    """The evidence for someone who may see the documents of these ids.

    What is withheld is left out by listing what stays, so that a field added to a reply or a source is withheld too.
    """
    sources = tuple(_show_source(source, source.document_id in visible) for source in evidence.packed)
    withheld = any(source.withheld for source in sources)
    reply = evidence.reply
    said = _outcome(reply) if withheld else structs.asdict(reply)
    return KeptReply(
        **said | {"sources": sources},
        withheld=withheld,
        question=evidence.question,
        searched=evidence.searched,
        answered_at=evidence.answered_at,
        prompt_version=evidence.prompt_version,
    )


def _bare(source: Source) -> Source:
    passages = tuple(structs.replace(each, heading=()) for each in source.passages)
    return structs.replace(source, title="", heading=(), text="", images=(), passages=passages)


def _with_text(source: Source, said: PassageText) -> Source:
    merged = zip(source.passages, said.headings, strict=True)
    return structs.replace(
        source,
        title=said.title,
        heading=said.heading,
        text=said.text,
        images=images_in(said.text, source.url),
        passages=tuple(structs.replace(each, heading=heading) for each, heading in merged),
    )


def _text_key(revision: str, source: Source) -> str:
    content = hashing.content_hash(source.title, source.heading, source.text)
    merged = "".join(f":{each.passage_id}" for each in source.passages)
    return f"{revision}:{source.passage_id}:{content}{merged}"


def _show_source(source: Source, visible: bool) -> KeptSource:
    if visible:
        return KeptSource(**structs.asdict(source))
    return KeptSource(
        number=source.number,
        document_id=source.document_id,
        passage_id=source.passage_id,
        score=source.score,
        title="",
        heading=(),
        page=None,
        url=None,
        updated_at=None,
        text="",
        withheld=True,
    )


def _outcome(reply: Reply) -> dict[str, object]:
    """A reply without anything that was written from the sources."""
    kept = ("id", "status", "reason", "message", "cited", "relevance", "cached", "revision", "model", "timings_ms")
    return {name: getattr(reply, name) for name in kept} | {"answer": None}

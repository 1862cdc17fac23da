"""What has to be written so that a document's stored passages become the wanted ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from app.adapters.languages import SAMPLE, language_of
from app.core import hashing
from app.core.model import Passage
from app.core.records import DocumentRecord, Origin
from ingest.document import Document, Piece

_SAMPLES = 10
"""Passages, about, that a document's language is told from."""


class Changes(Struct, frozen=True):
    """Applied to what is stored, in this order, it gives exactly what is wanted."""

    add: tuple[Passage, ...]
    """Not stored: their vectors must be found or made."""
    update: tuple[Passage, ...]
    """Stored under the same content, with another place, date, tag or the like."""
    remove: tuple[str, ...]
    """Passage ids that are no longer wanted."""


def passages_of(document_id: str, document: Document, pieces: Sequence[Piece]) -> list[Passage]:
    """The pieces of a document as passages; ids depend on the content, positions only number them."""
    seen: Counter[str] = Counter()
    passages = []
    language = language_of(_sample(pieces), document.language)
    for position, piece in enumerate(pieces):
        content = hashing.content_hash(document.title, piece.heading, piece.text)
        passages.append(
            Passage(
                passage_id=hashing.passage_id(document_id, content, seen[content]),
                document_id=document_id,
                content_hash=content,
                position=position,
                title=document.title,
                heading=piece.heading,
                text=piece.text,
                page=piece.page,
                url=document.url,
                updated_at=document.updated_at,
                tags=document.tags,
                access=document.access or (),
                language=language,
            )
        )
        seen[content] += 1
    return passages


def changes(wanted: Sequence[Passage], stored: Sequence[Passage]) -> Changes:
    """The difference between the wanted and the stored passages of one document."""
    before = {passage.passage_id: passage for passage in stored}
    after = {passage.passage_id for passage in wanted}
    return Changes(
        add=tuple(p for p in wanted if p.passage_id not in before),
        update=tuple(p for p in wanted if p.passage_id in before and before[p.passage_id] != p),
        remove=tuple(sorted(before.keys() - after)),
    )


def record_of(
    document_id: str, origin: Origin, byte_hash: str, document: Document, passages: Sequence[Passage]
) -> DocumentRecord:
    """What the index will know of a document that was made into these passages."""
    return DocumentRecord(
        document_id=document_id,
        origin=origin,
        byte_hash=byte_hash,
        index_digest=hashing.index_digest(passages),
        title=document.title,
        passages=len(passages),
        url=document.url,
        updated_at=document.updated_at,
        tags=document.tags,
        access=document.access or (),
        language=passages[0].language if passages else None,
        left_out=document.left_out,
    )


def _sample(pieces: Sequence[Piece]) -> str:
    """Text from all over a document: its cover may be in another language."""
    some = pieces[:: max(1, len(pieces) // _SAMPLES)]
    return "\n".join(piece.text[: SAMPLE // len(some)] for piece in some)

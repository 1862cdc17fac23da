"""The list of documents that answers a catalogue question: titles and addresses, and not a word of what is in them.

With a topic, a document is listed when its best passage is at or above the gate's threshold, or when its title or one
of its tags holds every word of the topic; the best come first. Without one every document is listed, by title. At most
MAX_LISTED are, and a last line says how many more were found.

Each is a source and its line carries its marker, so an answer of this kind is judged like any other. The source is the
best passage that the search found of the document; where it found none, it is the document's record, whose text is
empty and whose score is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from app.core import hashing
from app.core.links import images_in, stands_alone
from app.core.model import Candidate, Source
from app.core.prompt import neutralise
from app.core.records import DocumentRecord
from app.core.titles import as_text

MAX_LISTED = 40

_LONGEST_TITLE = 100
_LONGEST_URL = 160
"""Characters: forty lines of the longest, escapes included, stay below the limit of an answer."""

_PLAIN_URL = re.compile(rf"(?=.{{1,{_LONGEST_URL}}}\Z)https?://[\w.~:/?#@!$&'()+,;=%-]+", re.ASCII)
_WORD = re.compile(r"[^\W_]+")


class Entry(Struct, frozen=True):
    """A document to list, and the best passage that the search found of it."""

    record: DocumentRecord
    best: Candidate | None

    @property
    def score(self) -> float:
        return self.best.score if self.best else 0.0


def choose(
    records: Iterable[DocumentRecord], candidates: Iterable[Candidate], topic: str, threshold: float
) -> list[Entry]:
    """The documents to list, in order, however many. `topic` may be empty."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        known = best.setdefault(candidate.passage.document_id, candidate)
        if candidate.score > known.score:
            best[candidate.passage.document_id] = candidate
    wanted = _words(topic)
    entries = [Entry(record, best.get(record.document_id)) for record in records]
    chosen = [entry for entry in entries if not topic or _fits(entry, wanted, threshold)]
    return sorted(chosen, key=lambda entry: (-entry.score, _name(entry.record).casefold(), entry.record.document_id))


def sources(entries: Sequence[Entry]) -> tuple[Source, ...]:
    """The entries as sources, numbered from 1."""
    return tuple(_source(number, entry) for number, entry in enumerate(entries, 1))


def compose(sources: Sequence[Source], more: int, *, certain: bool) -> str:
    """A Markdown list, one line for each source, and a line without a marker when there is more to list.

    Without `certain` the search was cut short, and there may be more than the `more` documents it found.
    """
    lines = "\n".join(map(_line, sources))
    if not more:
        return lines if certain else f"{lines}\n\n… and perhaps more in the index"
    return f"{lines}\n\n… and {more if certain else f'at least {more}'} more in the index"


def _fits(entry: Entry, wanted: frozenset[str], threshold: float) -> bool:
    if entry.best is not None and entry.best.score >= threshold:
        return True
    named = (_name(entry.record), *entry.record.tags)
    return bool(wanted) and any(wanted <= _words(name) for name in named)


def _words(text: str) -> frozenset[str]:
    """Words to compare: without case, and without the "s" that most plurals have."""
    return frozenset(word.removesuffix("s") or word for word in _WORD.findall(text.casefold()))


def _name(record: DocumentRecord) -> str:
    return record.title.strip() or record.document_id


def _source(number: int, entry: Entry) -> Source:
    record, best = entry.record, entry.best
    passage = best.passage if best else None
    return Source(
        number=number,
        document_id=record.document_id,
        passage_id=passage.passage_id if passage else hashing.record_id(record.document_id),
        title=record.title,
        heading=passage.heading if passage else (),
        page=passage.page if passage else None,
        url=record.url,
        updated_at=record.updated_at,
        score=entry.score,
        text=passage.text if passage else "",
        images=images_in(passage.text, record.url) if passage else (),
    )


def _line(source: Source) -> str:
    """A list item such as `- On-call: https://handbook.example/on-call [1]`.

    The address is bare, for a link would be taken for a citation; one with odd characters stays with the source.
    """
    name = source.title.strip() or source.document_id
    short = name if len(name) <= _LONGEST_TITLE else f"{name[: _LONGEST_TITLE - 1]}…"
    url = source.url or ""
    plain = _PLAIN_URL.fullmatch(url) and stands_alone(url) and neutralise(url) == url
    address = f": {url}" if plain else ""
    return f"- {as_text(short)}{address} [{source.number}]"

"""What is asked, of which documents, and what should come of it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from app.core.model import Passage


class Place(Struct, frozen=True):
    """A document, or a page of one."""

    document: str
    page: int | None = None


class Gold(Struct, frozen=True):
    """One thing that has to be found. Any of its places will do."""

    places: frozenset[Place]
    words: str = ""
    """What the passage must hold; white space does not count."""

    def is_in(self, passage: Passage) -> bool:
        here = {Place(passage.document_id), Place(passage.document_id, passage.page)}
        return not here.isdisjoint(self.places) and self.words in " ".join(passage.text.split())


class Case(Struct, frozen=True, kw_only=True):
    """A question, and what is known of its answer."""

    group: str
    """The row of the report that it counts in."""
    question: str
    answerable: bool
    gold: tuple[Gold, ...] = ()
    """All of it is needed. Empty where nothing is known of it."""
    answers: tuple[str, ...] = ()
    """Answers that people wrote."""
    kind: str = ""
    holds: tuple[tuple[str, ...], ...] = ()
    """Facts that the right answer holds, each in one of several wordings."""
    lists: tuple[str, ...] = ()
    """Documents that a catalogue has to list."""


class Dataset(Struct, frozen=True, kw_only=True):
    """Questions over a folder of documents."""

    name: str
    corpus: Path
    cases: tuple[Case, ...]
    by_passage: bool = False
    """Passages are ranked one by one; otherwise what counts is their page, or their document where it has none."""

"""The words of the project as frozen values. Nothing here knows a library's types."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field


class Passage(Struct, frozen=True, kw_only=True):
    """A chunk of one document, as the store keeps it."""

    passage_id: str
    document_id: str
    content_hash: str
    position: int
    """Place in its document, from 0."""
    title: str
    heading: tuple[str, ...] = ()
    text: str
    page: int | None = None
    url: str | None = None
    updated_at: str | None = None
    """ISO 8601 date that the document itself states; never a file's date."""
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] = ("public",)
    """Groups that may see it; empty means nobody."""
    language: str | None = None
    """ISO 639-1 code of its document's language, by which its words are stemmed; None when nothing tells."""


Place = tuple[str, int]
"""A document's id, and a position in it."""


class EmbeddedPassage(Struct, frozen=True):
    passage: Passage
    vector: Sequence[float]


class Query(Struct, frozen=True):
    """What is searched for: by meaning, and by words where `text` is given."""

    vector: Sequence[float]
    text: str = ""
    languages: tuple[str, ...] = ()
    """Those that the index holds; the words of the text are looked for as each of them stems them."""


class Candidate(Struct, frozen=True):
    """A passage that the search found. `score` is the dense cosine, -1..1."""

    passage: Passage
    score: float
    sparse: float | None = None
    """The BM25 score, above 0; None when the search by words did not bring it. How rare a word is was counted over the
    whole index, so this number is never shown to a caller."""


class Scope(Struct, frozen=True):
    """What a request may see: the caller's groups, narrowed by the request's own filter."""

    groups: frozenset[str] = frozenset({"public"})
    """What names one of them can be seen, if it names no tenant beside them."""
    source_prefix: str | None = None
    """Matches whole path segments: `hr/leave` covers `hr/leave` and `hr/leave/a.md`, not `hr/leaves.md`."""
    tags: tuple[str, ...] = ()
    """A document with any of them matches; none given means no condition."""


class SourcePassage(Struct, frozen=True, kw_only=True):
    """A passage in the text of a source that was merged from several."""

    passage_id: str
    heading: tuple[str, ...]
    page: int | None
    start: int
    end: int
    """Offsets into the source's text."""
    score: float | None = None
    """Cosine; None for a neighbour, which is there for the context."""


class Source(Struct, frozen=True, kw_only=True):
    """A passage packed into one request, or neighbouring ones in one text; `number` exists only inside that request.

    Of several, `passage_id`, `heading`, `page` and `score` are those of the one that the search put first.
    """

    number: int
    document_id: str
    passage_id: str
    title: str
    heading: tuple[str, ...]
    page: int | None
    url: str | None
    updated_at: str | None
    score: float
    text: str
    images: tuple[str, ...] = ()
    """URLs of the images in its text, absolute where the document has a URL."""
    passages: tuple[SourcePassage, ...] = ()
    """What it was merged from, in the document's order; empty for one passage."""
    pages: tuple[int, int] | None = None
    """The first and the last page, where it was merged from passages with pages."""


class Marker(Struct, frozen=True):
    """A citation in an answer: the answer's text from `start` to `end`, in characters, names source `number`."""

    number: int
    start: int
    end: int


class Status(StrEnum):
    ANSWERED = "answered"
    UNGROUNDED = "ungrounded"
    REFUSED = "refused"
    FAILED = "failed"


class Bars(Struct, frozen=True):
    """What the passages for a question must reach under one embedding model."""

    relevance: float
    """Cosine from which a passage counts."""
    answerability: float = 0.0
    """Probability that those which count answer the question; 0 means that it is not asked for."""
    alone: float | None = None
    """Cosine from which a passage counts where nothing but the cosine is asked for; None means the same one."""

    def by_cosine(self) -> Bars:
        """For what no passage has to answer: lists of documents, and what to read on a topic."""
        return Bars(self.relevance if self.alone is None else self.alone)


class Spoken(Struct, frozen=True):
    """What spoke for answering and what against, in short words. They are the question's, and ours."""

    for_: tuple[str, ...] = field(name="for")
    against: tuple[str, ...]


class Relevance(Struct, frozen=True):
    """What the gate saw. Scores are cosines; `best` is null when nothing was found."""

    best: float | None
    threshold: float
    candidates: int
    accepted: int
    answerability: float | None = None
    """The probability that the passages answer the question, 0..1; null where it was not asked for."""
    answerability_threshold: float | None = None
    evidence: Spoken | None = None


Confidence = Literal["high", "medium", "low"]
Intent = Literal["answer", "catalogue", "recommend"]
"""What a question wants: an answer, a list of documents, or advice on what to read."""


class Quote(Struct, frozen=True):
    """Words of source `source`: its text from `start` to `end`, in characters, neutralised for showing."""

    source: int
    quote: str
    start: int
    end: int


class RejectedQuote(Struct, frozen=True):
    """A quote that was dropped. Its words are the model's, filtered and cut short."""

    source: int
    quote: str
    reason: Literal["unknown_source", "not_in_source"]


Span = tuple[int, int]
"""Start and end, in characters."""


class SentenceSupport(Struct, frozen=True, kw_only=True):
    """What became of one sentence of the answer."""

    text: str
    start: int
    end: int
    """Offsets into the answer."""
    cited: tuple[int, ...]
    """The sources it rests on, by its own marker or the next one in its paragraph."""
    supported: bool | None
    """None for what claims nothing: a heading, a question, code, a greeting, a remark that the sources are silent."""
    source: int | None = None
    """The source that supports it best, of those cited; of all, when none is."""
    score: float | None = None
    """0..1; None for what claims nothing."""
    span: Span | None = None
    """Where that source says so: offsets into its text."""
    missing: tuple[str, ...] = ()
    """Its numbers, units, dates, names and "not" that the cited sources do not hold."""


class Support(Struct, frozen=True):
    """The support check of one answer, its sentences in order."""

    sentences: tuple[SentenceSupport, ...]
    unsupported: int


class Extras(Struct, frozen=True, kw_only=True):
    """What only some modes of an answer have; left out of the JSON where it is not set."""

    intent: Intent | UnsetType = UNSET
    """What the question was taken to want, where that is not simply an answer."""
    citations: tuple[Quote, ...] | UnsetType = UNSET
    """Structured: the quotes that really stand in their sources."""
    rejected_quotes: tuple[RejectedQuote, ...] | UnsetType = UNSET
    confidence: Confidence | UnsetType = UNSET
    """How much of the answer the sources cover."""
    claimed_confidence: Confidence | UnsetType | None = UNSET
    """The model's own word, for information only."""
    fallback: bool | UnsetType = UNSET
    """Validated: the model's text had faults twice, so this is the extractive answer."""
    support: Support | UnsetType = UNSET
    """Verified: what the cited sources support of the answer, sentence by sentence."""


class Reply(Extras, frozen=True, kw_only=True):
    """The JSON reply, and what the `done` event carries."""

    id: str
    status: Status
    reason: str | None
    message: str
    answer: str | None
    sources: tuple[Source, ...] = ()
    cited: tuple[int, ...] = ()
    markers: tuple[Marker, ...] = ()
    dropped: tuple[str, ...] = ()
    relevance: Relevance | None = None
    cached: bool = False
    revision: str | None = None
    model: str | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)


class CachedAnswer(Extras, frozen=True, kw_only=True):
    """An `answered` reply as the cache keeps it, without what is fresh at each replay."""

    answer: str
    sources: tuple[Source, ...]
    cited: tuple[int, ...]
    markers: tuple[Marker, ...]
    dropped: tuple[str, ...]
    relevance: Relevance
    revision: str
    model: str
    message: str

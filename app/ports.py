"""What the answer path and the ingestion job need from the outside, in our own types.

Every method may raise the error of its port (errors.py) and nothing else; all are safe to cancel.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from app.core.callers import Caller
from app.core.evidence import Evidence
from app.core.limits import Counter, Lease, Taken
from app.core.model import CachedAnswer, Candidate, EmbeddedPassage, Passage, Place, Query, Scope, Source
from app.core.plans import Plan
from app.core.prompt import Messages
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, StateRecord
from app.core.structured import Draft


class Tokenizer(Protocol):
    """The embedding model's own tokenizer. Synchronous and thread-safe: call it off the event loop."""

    max_tokens: int
    """Tokens the model reads of one text, its special tokens included."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Character spans (start, end) of the tokens of `text`, untruncated, special tokens left out."""

    def count(self, text: str) -> int:
        """Tokens of `text` as the model counts them, special tokens included."""


class Embedder(Protocol):
    """Turns texts into unit vectors of `dimension` floats, on threads of its own."""

    name: str
    identity: str
    """Names the weights as well: another identity means other vectors."""
    dimension: int
    tokenizer: Tokenizer

    async def embed_query(self, text: str) -> list[float]: ...

    async def embed_passage(self, text: str) -> list[float]: ...


class ServingEmbedder(Embedder, Protocol):
    """One that many ask at the same time."""

    waiting: int
    """Questions in its hands, those being embedded included."""


class Reranker(Protocol):
    """Reads a question and each of some texts together, on threads of its own."""

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One a text, on a scale of the model's own; the higher, the better it answers. Raises RerankingFailed."""

    def close(self) -> None: ...


class VectorStore(Protocol):
    """Passages, document records and the state record, all kept in Qdrant.

    An index is a name that points at one physical collection; see DESIGN in README, "The index".
    """

    shared: bool
    """Whether other processes can write to it at the same time: then a job needs a lease."""

    async def state(self) -> StateRecord | None:
        """The state record of the collection that the index name points at; None while there is none."""

    async def search(self, collection: str, query: Query, limit: int, scope: Scope) -> list[Candidate]:
        """The best `limit` passages in `scope`, of those near the vector and those that hold words of the text.

        In the order of `app.core.fusion`, each with its exact cosine; without a text by cosine alone.
        """

    async def passages_at(self, collection: str, places: Collection[Place], scope: Scope) -> list[Passage]:
        """What stands at these places and `scope` may see, in no particular order; two passages at one place while a
        job is at work on the document."""

    async def count(self, collection: str, scope: Scope) -> tuple[int, int]:
        """How many (documents, passages) `scope` may see."""

    async def visible(self, collection: str, document_ids: Collection[str], scope: Scope) -> set[str]:
        """Which of these documents have a passage that `scope` may see: what a search could still show of them."""

    async def create(self, spec: IndexSpec) -> None:
        """Make the collection and its payload indexes; finishing a half-made one; no effect on a whole one."""

    async def read_state(self, collection: str) -> StateRecord | None:
        """The state record of a collection by its own name; None when it has none or does not exist."""

    async def write_state(self, state: StateRecord, known: StateRecord | None = None) -> None:
        """Replace the state record, if it is still the `known` one: of the same job, under the same lease.

        Without `known`: if no lease is in it. The comparison and the write are one step. Raises LeaseMissing.
        """

    async def switch(self, collection: str) -> None:
        """Point the index name at `collection`, atomically."""

    def documents(self, collection: str) -> AsyncIterator[DocumentRecord]:
        """Every document record, in no particular order."""

    def find_documents(self, collection: str, scope: Scope) -> AsyncIterator[DocumentRecord]:
        """The records of the documents that `scope` may see, in no particular order."""

    async def write_documents(self, collection: str, records: Sequence[DocumentRecord]) -> None: ...

    async def delete_documents(self, collection: str, document_ids: Collection[str]) -> None:
        """Remove the records (not the passages), those of absent documents too."""

    def absent_documents(self, collection: str) -> AsyncIterator[AbsentDocument]:
        """Every document that failed and has no record, in no particular order."""

    async def write_absent(self, collection: str, documents: Sequence[AbsentDocument]) -> None:
        """Keep why these are not in the index. A record written for one of them takes its place, and the reverse."""

    async def count_failures(self, collection: str, scope: Scope | None) -> int:
        """How many documents that `scope` may see failed since their last good version.

        Without a scope: how many documents failed at all, absent ones among them.
        """

    async def passages(self, collection: str, document_id: str) -> list[Passage]:
        """Every stored passage of one document, by position."""

    async def document_ids(self, collection: str) -> set[str]:
        """The ids of all documents that have passages, with or without a record."""

    async def vectors(self, collection: str, content_hashes: Collection[str]) -> Mapping[str, list[float]]:
        """A stored vector for each of the content hashes that stands in the collection; broken ones are left out."""

    async def write_passages(self, collection: str, passages: Sequence[EmbeddedPassage]) -> None:
        """Insert or replace, any number at once."""

    async def update_passages(self, collection: str, passages: Sequence[Passage]) -> None:
        """Replace the payload of stored passages and the terms of their words; their dense vectors stay."""

    async def delete_passages(self, collection: str, passage_ids: Collection[str]) -> None: ...

    async def flush(self, collection: str) -> None:
        """Make everything written so far durable, passages before records."""

    async def totals(self, collection: str) -> tuple[int, int]:
        """How many (document records, passages) stand in the collection, whoever may see them, strays among them."""

    async def strays(self, collection: str) -> list[str]:
        """Ids of what stands among the passages and can't be read as one: a needed field is missing."""

    def broken_vectors(self, collection: str) -> AsyncIterator[Passage]:
        """Passages whose vector is missing or not of length 1, as a cut file leaves it. Reads every vector."""

    async def collections(self) -> list[str]:
        """Every physical collection of this index by name, half-made ones among them."""

    async def drop(self, collection: str) -> None:
        """Remove a collection, its passages, records and state. No effect when it is gone already."""

    async def close(self) -> None: ...


class AnswererPool(Protocol):
    """Has an answerer for each request."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str:
        """Who writes while nothing is wrong."""

    def begin(self) -> Answerer:
        """For one request."""

    def condition(self) -> tuple[bool, str]:
        """Whether it works as far as is known without asking, and a line about it for operators."""


class Answerer(Protocol):
    """Writes the answer from the packed sources."""

    name: str
    model: str
    """Who writes; once the answer is there, who wrote it."""

    def stream(self, question: str, sources: Sequence[Source]) -> AsyncGenerator[str, None]:
        """The answer's text in pieces, as the model wrote it. Ends normally only when the model finished.

        Raises AnswererFailed. Closing the generator closes the request behind it at once.
        """

    async def draft(self, question: str, sources: Sequence[Source]) -> Draft:
        """The answer with quotes, as it is claimed: `app.core.grounding` checks them. Raises AnswererFailed."""


@runtime_checkable
class Completer(Protocol):
    """What an answerer that has a language model can do beside: be told what was wrong, and write again."""

    def deadline(self) -> float:
        """The loop time by which all that is asked for now must be complete."""

    async def complete(
        self, messages: Messages, *, schema: Mapping[str, Any] | None = None, until: float | None = None
    ) -> str:
        """The whole reply to `messages`, by `until`; as JSON that follows `schema`. Raises AnswererFailed."""


class AnswerCache(Protocol):
    """May forget, but never fails and never waits long: trouble is a miss."""

    async def get(self, key: str) -> CachedAnswer | None: ...

    async def put(self, key: str, answer: CachedAnswer) -> None: ...

    async def healthy(self) -> bool: ...

    async def close(self) -> None: ...


class Keys(Protocol):
    """The callers and their keys, as they are now."""

    def find(self, key: str) -> Caller | None:
        """Whose key it is; None when it is nobody's."""

    def reload(self) -> None:
        """Look for changes at once."""


class NoticeMemory(Protocol):
    """What signed notices must not be forgotten. Every method may raise NoticesUnavailable."""

    async def is_new(self, notice: str, lasts_s: float) -> bool:
        """Whether it was not seen within the last `lasts_s` seconds; it is seen from now on."""

    async def keep(self, caller: str, plan: Plan) -> None:
        """Durably, unless a later one is kept."""

    async def plans(self) -> dict[str, Plan]:
        """By the callers' names."""

    async def close(self) -> None: ...


class NoticeStore(NoticeMemory, Protocol):
    """Keeps what signed notices ask for until it is done, too."""

    async def add(self, document_ids: Collection[str]) -> None:
        """Durably."""

    async def pending(self) -> dict[str, int]:
        """The documents to be synced, each with a number that changes when it is added again."""

    async def done(self, pending: Mapping[str, int]) -> None:
        """Forget these, unless they were added again since `pending` gave them."""


class LimitStore(Protocol):
    """Counts what callers use. Never fails and never waits long: without the shared counts it goes by its own."""

    async def take(self, counters: Sequence[Counter], lease: Lease) -> Taken:
        """Add all costs and take (or give back) the lease, in one step; nothing of it when anything has no room."""

    async def close(self) -> None: ...


class EvidenceStore(Protocol):
    """Keeps answers for a fixed time, the text of a passage once for a revision. Never waits long."""

    async def put(self, evidence: Evidence) -> None:
        """Keep it under the reply's id: a `get` after it finds it. Its texts live as long as any answer needs them."""

    async def get(self, answer_id: str) -> Evidence | None:
        """Exactly what was put; None when it is unknown, expired or not whole."""

    async def close(self) -> None: ...

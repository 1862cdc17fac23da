"""Asks an index the questions of a calibration, as far as the gate."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from msgspec import Struct

from app import background
from app.background import Vectors
from app.core import gate, trial_questions
from app.core.calibration import Scored
from app.core.model import Bars, Candidate, Passage, Query, Scope
from app.core.question import asking
from app.core.records import DocumentRecord, StateRecord
from app.core.trial_questions import Trial
from app.ports import Embedder, VectorStore
from app.request import DEFAULT_TOP_K

_ANSWERABLE, _ADVERSARIAL = 300, 150
"""The most that are built."""
_DOCUMENTS, _PASSAGES, _OF_ONE_DOCUMENT = 300, 600, 4
"""How many are read to make questions from; of one document at least so many passages, if it has them."""
_AT_ONCE = 4
_ANY_BAR = 1e-9
"""So that the gate tells the probability, and refuses nothing for it."""


class Answered(Struct, frozen=True):
    """A question with what the search found for it."""

    trial: Trial
    candidates: tuple[Candidate, ...]
    general: float
    """The cosine of the question and the nearest background text."""

    @property
    def cosine(self) -> float:
        """Of the nearest passage; -1 when nothing was found."""
        return max((candidate.score for candidate in self.candidates), default=-1.0)


class Trials:
    """The questions put to one index. Everything in it can be found, whoever may see it."""

    def __init__(self, store: VectorStore, state: StateRecord, embedder: Embedder, min_passages: int) -> None:
        self._store = store
        self._state = state
        self._embedder = embedder
        self._min_passages = min_passages

    async def ask(self, labelled: Sequence[Trial]) -> list[Answered]:
        """The labelled questions, and built ones of a kind that they have none of. Raises StoreError, EmbeddingFailed.

        Left out are those built to have no answer that some passage seems to answer.
        """
        records = [record async for record in self._store.documents(self._state.collection)]
        trials = [*labelled, *await self._built(records, labelled)]
        scope = Scope(frozenset(group for record in records for group in record.access))
        texts = await background.Background().load(self._embedder)
        places = asyncio.Semaphore(_AT_ONCE)

        async def one(trial: Trial) -> Answered:
            async with places:
                return await self._asked(trial, scope, texts)

        asked = await asyncio.gather(*map(one, trials))
        return [one for one in asked if not _is_answered_after_all(one)]

    def judge(self, asked: Sequence[Answered], floor: float) -> list[Scored]:
        """What the gate says over this cosine floor. Takes a few milliseconds a question: call it in a thread."""
        return [self._judged(one, Bars(floor, _ANY_BAR)) for one in asked]

    def _judged(self, one: Answered, bars: Bars) -> Scored:
        question = one.trial.question
        decision = gate.decide(question, one.candidates, bars, self._min_passages, one.general)
        probability = decision.relevance.answerability or 0.0
        return Scored(one.trial.kind, question, one.cosine, probability, decision.reason is None)

    async def _asked(self, trial: Trial, scope: Scope, texts: Vectors) -> Answered:
        vector = await self._embedder.embed_query(asking(trial.question))
        query = Query(vector, trial.question, self._state.languages)
        limit = max(DEFAULT_TOP_K, self._min_passages)
        found = await self._store.search(self._state.collection, query, limit, scope)
        return Answered(trial, tuple(found), await asyncio.to_thread(background.nearest, vector, texts))

    async def _built(self, records: Sequence[DocumentRecord], labelled: Sequence[Trial]) -> list[Trial]:
        given = {trial.kind for trial in labelled}
        if {"answerable", "unanswerable"} <= given:
            return []
        passages = await self._some_passages(records)
        built: list[Trial] = []
        if "answerable" not in given:
            built += await asyncio.to_thread(trial_questions.answerable, passages, _ANSWERABLE)
        if "unanswerable" not in given:
            built += trial_questions.off_domain()
            built += await asyncio.to_thread(trial_questions.adversarial, passages, _ADVERSARIAL)
        return built

    async def _some_passages(self, records: Sequence[DocumentRecord]) -> list[Passage]:
        """The same ones each time, from as many documents as there may be."""
        chosen = sorted((record.document_id for record in records), key=_digest)[:_DOCUMENTS]
        each = max(_OF_ONE_DOCUMENT, _PASSAGES // max(1, len(chosen)))
        passages: list[Passage] = []
        for document_id in chosen:
            own = [
                passage for passage in await self._store.passages(self._state.collection, document_id) if passage.access
            ]
            passages += sorted(own, key=lambda passage: _digest(passage.passage_id))[:each]
        return passages


def _is_answered_after_all(one: Answered) -> bool:
    return trial_questions.answered_after_all(one.trial, [candidate.passage for candidate in one.candidates])


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()

"""What a request works with: the parts behind their ports, and the settings that decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from app.admission import Admission
from app.background import Background
from app.core.model import Bars
from app.deadlines import Deadlines
from app.flights import Flights
from app.limiting import Limiter
from app.ports import AnswerCache, Answerer, AnswererPool, EvidenceStore, ServingEmbedder, VectorStore
from app.reranking import Reranking
from app.support import SupportCheck


class Embedders(Protocol):
    async def get(self, name: str) -> ServingEmbedder:
        """The embedder of that name, loaded once. Raises ModelUnavailable."""


class Policy(Struct, frozen=True, kw_only=True):
    """The settings that decide what is answered."""

    bars: Callable[[str], Bars]
    """By embedding model. Raises ModelUnavailable for a model without one."""
    void_calibration: Callable[[str], str | None]
    """By embedding model: why the calibration does not hold for it; None where there is nothing to say."""
    default_model: str
    min_passages: int
    context_tokens: int
    chat_endpoints: tuple[tuple[str, str], ...] = ()
    """(URL, model) of each that may write."""
    image_hosts: frozenset[str] = frozenset()
    """Whose images an answer may show."""
    log_questions: bool = False


@dataclass(frozen=True)
class Services:
    store: VectorStore
    embedders: Embedders
    answerer: AnswererPool
    support: SupportCheck
    background: Background
    reranking: Reranking
    fallback: Answerer
    """Stands in for a model whose text can't be used."""
    cache: AnswerCache
    evidence: EvidenceStore
    deadlines: Deadlines
    flights: Flights
    admission: Admission
    limiter: Limiter
    policy: Policy

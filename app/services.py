"""What a request works with: the parts behind their ports, and the settings that decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from app.deadlines import Deadlines
from app.ports import AnswerCache, Answerer, Embedder, EvidenceStore, VectorStore
from app.support import SupportCheck


class Embedders(Protocol):
    async def get(self, name: str) -> Embedder:
        """The embedder of that name, loaded once. Raises ModelUnavailable."""


class Policy(Struct, frozen=True, kw_only=True):
    """The settings that decide what is answered."""

    thresholds: Callable[[str], float]
    """Cosine by embedding model. Raises ModelUnavailable for a model without one."""
    default_model: str
    min_passages: int
    context_tokens: int
    chat_base_url: str = ""
    image_hosts: frozenset[str] = frozenset()
    """Whose images an answer may show."""
    log_questions: bool = False


@dataclass(frozen=True)
class Services:
    store: VectorStore
    embedders: Embedders
    answerer: Answerer
    support: SupportCheck
    fallback: Answerer
    """Stands in for a model whose text can't be used."""
    cache: AnswerCache
    evidence: EvidenceStore
    deadlines: Deadlines
    policy: Policy

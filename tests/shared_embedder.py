"""One loaded embedding model for the whole test run, and what it makes of the background texts: loading it, and
embedding them, takes longer than most tests."""

from __future__ import annotations

from functools import partial
from typing import Any

from app.adapters.fastembed_embedder import Embedders
from app.background import Background
from app.errors import EmbeddingFailed
from app.main import open_services


class SharedEmbedders(Embedders):
    """Stays open when a service that uses it closes."""

    def close(self) -> None:
        pass


class BrokenEmbedder:
    """Known by the same names as `whole`, but it embeds nothing."""

    def __init__(self, whole: Any) -> None:
        self.identity, self.dimension, self.name = whole.identity, whole.dimension, whole.name
        self.tokenizer = whole.tokenizer

    async def embed_passage(self, text: str) -> list[float]:
        raise EmbeddingFailed("The embedder broke.")


embedders = SharedEmbedders()
background = Background()
open_with_shared_embedder = partial(open_services, embedders=embedders, background=background)

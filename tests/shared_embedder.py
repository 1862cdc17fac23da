"""One loaded embedding model for the whole test run: loading it takes longer than most tests."""

from __future__ import annotations

from functools import partial

from app.adapters.fastembed_embedder import Embedders
from app.main import open_services


class SharedEmbedders(Embedders):
    """Stays open when a service that uses it closes."""

    def close(self) -> None:
        pass


embedders = SharedEmbedders()
open_with_shared_embedder = partial(open_services, embedders=embedders)

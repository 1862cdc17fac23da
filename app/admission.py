"""How much is taken on at once. Whoever comes when the service is full is told so at once: there is no queue."""

from __future__ import annotations

from app.errors import Overloaded
from app.metrics import REQUESTS_OVERLOADED
from app.ports import ServingEmbedder

MAX_WAITING_EMBEDDINGS = 128
"""Questions in the hands of one embedding model: about a second's worth of the bundled one on two cores."""


class Admission:
    """Places for answers in progress."""

    def __init__(self, max_answers: int) -> None:
        self._free = max_answers

    def enter(self) -> None:
        """Take a place, to be given back by `leave`. Raises Overloaded when there is none."""
        if self._free <= 0:
            REQUESTS_OVERLOADED.labels("answers").inc()
            raise Overloaded("As many answers are in progress as this service takes on at once; try again soon.")
        self._free -= 1

    def leave(self) -> None:
        self._free += 1


def check_embedder(embedder: ServingEmbedder | None) -> None:
    """Raises Overloaded when enough questions wait for the embedding model."""
    if embedder is not None and embedder.waiting >= MAX_WAITING_EMBEDDINGS:
        REQUESTS_OVERLOADED.labels("embeddings").inc()
        raise Overloaded("Too many questions wait for the embedding model; try again soon.")

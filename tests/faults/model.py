"""An embedding model that fails in the middle of its work."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from app.adapters.fastembed_embedder import THREADS, Embedders, FastembedEmbedder
from tests.faults.proxy import Fault
from tests.shared_embedder import SharedEmbedders, embedders

_DELAY_S = 0.05


class FaultyModel:
    """A loaded fastembed model; `killed` is an exception in the middle of a batch."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._fault: Fault | None = None
        self._opened, self._answers = threading.Event(), threading.Event()
        self._opened.set()
        self._answers.set()
        self._held = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def query_embed(self, query: Any) -> Iterator[Any]:
        return self._faulty(self._model.query_embed(query))

    def passage_embed(self, texts: Iterable[str]) -> Iterator[Any]:
        return self._faulty(self._model.passage_embed(texts))

    async def suffer(self, fault: Fault) -> None:
        self._fault = fault
        if fault is Fault.STALLED:
            self._answers.clear()

    async def mend(self) -> None:
        self._fault = None
        self._answers.set()

    def close(self) -> None:
        self._held = 0
        self._opened.clear()

    def open(self) -> None:
        self._opened.set()

    async def holds(self, requests: int) -> None:
        """Until as many texts as there are threads are in the model's hands; the others wait for it."""
        while self._held < min(requests, THREADS):  # noqa: ASYNC110 - the threads know no event of the loop
            await asyncio.sleep(0.01)

    def _faulty(self, vectors: Iterable[Any]) -> Iterator[Any]:
        for vector in vectors:
            self._held += 1
            self._opened.wait()
            self._answers.wait()
            match self._fault:
                case Fault.KILLED:
                    raise RuntimeError("the session of the model broke")
                case Fault.SLOW:
                    time.sleep(_DELAY_S)
                case Fault.RUBBISH:
                    yield np.full_like(vector, np.nan)
                    continue
            yield vector


async def faulty_embedders() -> tuple[FaultyModel, Embedders]:
    """The model that the tests share behind its faults, and the embedders that a service takes."""
    shared = await embedders.get("bundled")
    model = FaultyModel(shared._model)
    opened = SharedEmbedders()
    opened._loaded["bundled"] = FastembedEmbedder(shared.name, shared.identity, model)  # type: ignore[arg-type]
    return model, opened

"""Embedding through fastembed: one shared model, one text a call, on a pool of threads of its own.

On CPU one text a call is fastest (no padding), and two threads with one-threaded sessions use two cores best.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

from app.adapters import bundled_model, model_hub
from app.adapters.tokenizer import FastTokenizer
from app.errors import EmbeddingFailed
from app.metrics import EMBEDDINGS_IN_PROGRESS
from app.ports import Tokenizer

if TYPE_CHECKING:  # fastembed takes a second to import: only when a model is loaded
    from fastembed import TextEmbedding

BUNDLED = "bundled"
THREADS = min(8, os.cpu_count() or 1)
_BUNDLED_NAME = "vouch/all-MiniLM-L6-v2-int8"


class FastembedEmbedder:
    """The port `Embedder` on a loaded fastembed model."""

    def __init__(self, name: str, identity: str, model: TextEmbedding) -> None:
        self.name = name
        self.identity = identity
        self.tokenizer: Tokenizer = FastTokenizer.of_model(model)
        self._model = model
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="embed")
        self.dimension = len(_only(model.query_embed("warm up")))
        self.waiting = 0

    async def embed_query(self, text: str) -> list[float]:
        self.waiting += 1
        try:
            return await self._embed(self._model.query_embed, text)
        finally:
            self.waiting -= 1

    async def embed_passage(self, text: str) -> list[float]:
        return await self._embed(self._model.passage_embed, [text])

    async def _embed(self, method: Callable[..., Iterable[Any]], argument: object) -> list[float]:
        # The methods are lazy generators: they must be consumed in the thread.
        loop = asyncio.get_running_loop()
        try:
            with EMBEDDINGS_IN_PROGRESS.track_inprogress():
                return await loop.run_in_executor(self._pool, lambda: _only(method(argument)))
        except Exception as exc:
            raise EmbeddingFailed(f"The embedding model {self.name} could not embed a text.") from exc

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class Embedders:
    """The embedders of a process by name, each loaded once, when it is first asked for."""

    def __init__(self) -> None:
        self._loaded: dict[str, FastembedEmbedder] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}

    async def get(self, name: str) -> FastembedEmbedder:
        """Raises ModelUnavailable; a later call tries again. A caller that leaves stops no loading."""
        if name not in self._loaded:
            if name not in self._loading:
                self._loading[name] = asyncio.create_task(self._load(name))
            await asyncio.shield(self._loading[name])
        return self._loaded[name]

    async def _load(self, name: str) -> None:
        try:
            self._loaded[name] = await asyncio.to_thread(load, name)
        finally:
            del self._loading[name]

    def close(self) -> None:
        for embedder in self._loaded.values():
            embedder.close()


def load(name: str) -> FastembedEmbedder:
    """Load a model by name: `bundled`, or any name that fastembed knows. Takes a second: call it in a thread.

    Raises ModelUnavailable, in one line, also when its files would have to come from a hub that is out of reach.
    """
    return FastembedEmbedder(name, identity_of(name), _load_bundled() if name == BUNDLED else _load_from_hub(name))


def identity_of(name: str) -> str:
    """Names a model with its weights, without loading it."""
    return bundled_model.IDENTITY if name == BUNDLED else name


def _load_bundled() -> TextEmbedding:
    from fastembed import TextEmbedding

    _register_bundled()
    with bundled_model.model_folder() as folder:
        return TextEmbedding(_BUNDLED_NAME, specific_model_path=str(folder), **model_hub.SESSION)


@cache
def _register_bundled() -> None:
    """fastembed's registry belongs to the process, and a name can be added only once."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(
        model=_BUNDLED_NAME,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=_BUNDLED_NAME),
        dim=bundled_model.DIMENSION,
        model_file="model.onnx",
    )


def _load_from_hub(name: str) -> TextEmbedding:
    from fastembed import TextEmbedding

    return model_hub.load(TextEmbedding, "EMBEDDING_MODEL", name, instead="use `bundled`")


def _only(vectors: Iterable[Any]) -> list[float]:
    """The vector. Raises ValueError for one that is no direction: searching with it would be the store's failure."""
    vector: list[float] = next(iter(vectors)).tolist()
    if not math.isfinite(sum(vector)):
        raise ValueError("the vector holds a value that is no number")
    return vector

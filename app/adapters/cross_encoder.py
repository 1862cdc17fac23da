"""Reranking through fastembed: a cross-encoder that reads question and passage together.

One pair a call, on a pool of threads of its own: a caller that gives up leaves the queue.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters import model_hub
from app.errors import ModelUnavailable, RerankingFailed

if TYPE_CHECKING:  # fastembed takes a second to import: only when a model is loaded
    from fastembed.rerank.cross_encoder import TextCrossEncoder

THREADS = min(4, os.cpu_count() or 1)
_INSTEAD = "leave RERANKER_MODEL empty"
_MODEL_FILES = ("model.onnx", "onnx/model.onnx")


class CrossEncoder:
    """The port `Reranker` on a loaded fastembed model."""

    def __init__(self, model: TextCrossEncoder) -> None:
        self._model = model
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="rerank")

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        loop = asyncio.get_running_loop()
        scores = [loop.run_in_executor(self._pool, self._score, question, text) for text in texts]
        try:
            return await asyncio.gather(*scores)
        except Exception as exc:
            raise RerankingFailed("The reranking model could not score a passage.") from exc
        finally:
            for score in scores:
                score.cancel()

    def _score(self, question: str, text: str) -> float:
        [score] = self._model.rerank(question, [text], batch_size=1)
        if not math.isfinite(score):
            raise ValueError("the score is no number")
        return score

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def load(name: str) -> CrossEncoder:
    """Load a model by a name that fastembed knows, or from the folder of that name. Call it in a thread.

    The folder holds what fastembed fetches from a hub: model.onnx, tokenizer.json, tokenizer_config.json, config.json.
    Raises ModelUnavailable, in one line.
    """
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    if Path(name).is_dir():
        return CrossEncoder(_from_folder(Path(name)))
    return CrossEncoder(model_hub.load(TextCrossEncoder, "RERANKER_MODEL", name, instead=_INSTEAD))


def _from_folder(folder: Path) -> TextCrossEncoder:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    there = [file for file in _MODEL_FILES if (folder / file).is_file()]
    if not there:
        raise ModelUnavailable(f"RERANKER_MODEL={folder} holds no model.onnx: put it there, or {_INSTEAD}.")
    name = f"folder/{folder.resolve()}/{there[0]}"
    _register(name, there[0])
    try:
        return TextCrossEncoder(name, specific_model_path=str(folder), **model_hub.SESSION)
    except Exception as exc:  # fastembed raises whatever its libraries raise
        raise ModelUnavailable(f"RERANKER_MODEL={folder} could not be loaded: {' '.join(str(exc).split())}") from exc


@cache
def _register(name: str, file: str) -> None:
    """fastembed's registry belongs to the process, and a name can be added only once."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    TextCrossEncoder.add_custom_model(model=name, sources=ModelSource(hf=name), model_file=file)

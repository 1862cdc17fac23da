"""`python -m bench.peers`: what re-indexing costs here, and in the ingestion of LlamaIndex and of LangChain.

The same corpus, the same embedding model on the same two threads, and an embedded Qdrant each: Qdrant Edge here, the
local mode of qdrant-client there, which is what they support. Each peer is set up as its own guide says for documents
that change: a docstore with upserts and deletes, a record manager with full clean-up. Passages are as long as the
model reads. Counted are the passages handed to the model, and the seconds of the whole run.

The peers are not installed with Vouch. In a virtual environment of its own:
pip install --require-hashes --no-deps -r requirements-bench.txt
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from langchain_classic.indexes import SQLRecordManager, index
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore as LangChainStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaStore
from qdrant_client import QdrantClient, models

from app.adapters import fastembed_embedder
from app.adapters.edge_store import EdgeStore
from ingest import job

CORPUS = Path(os.environ.get("EVAL_DATA", "../shared/data"), "corpus/18f_handbook/pages/travel-and-leave")
INSERTED = "\n\nThis paragraph was put in at the top, and moves all that follows it.\n\n"
PASSAGE_TOKENS = 224
"""Leaves the room that a title and headings take in ours."""
OVERLAP_TOKENS = 20
THREADS = 2


class Model:
    """The bundled model on two threads, counting what it embeds."""

    def __init__(self) -> None:
        self.embedder = fastembed_embedder.load("bundled")
        self.count = self.embedder.tokenizer.count
        self.embedded = 0
        self._pool = ThreadPoolExecutor(THREADS)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += len(texts)
        model = self.embedder._model
        return list(self._pool.map(lambda text: next(iter(model.passage_embed([text]))).tolist(), texts))


class Contender(Protocol):
    name: str

    def run(self, corpus: Path) -> int:
        """Bring the index in step with the corpus; how many passages were embedded for it."""


class Vouch:
    name = "Vouch"

    def __init__(self, folder: Path, model: Model) -> None:
        self._folder = folder
        self._model = model

    def run(self, corpus: Path) -> int:
        return asyncio.run(self._run(corpus))

    async def _run(self, corpus: Path) -> int:
        store = EdgeStore(self._folder, "peers")
        try:
            done = await job.run(store, self._model.embedder, "peers", corpus, lambda _: None, allow_removals=True)
        finally:
            await store.close()
        return done.passages.embedded


class LlamaIndex:
    name = "LlamaIndex IngestionPipeline"

    def __init__(self, folder: Path, model: Model) -> None:
        self._model = model
        self._pipeline = IngestionPipeline(
            transformations=[
                SentenceSplitter(
                    chunk_size=PASSAGE_TOKENS, chunk_overlap=OVERLAP_TOKENS, tokenizer=model.embedder.tokenizer.spans
                ),
                _LlamaEmbedding(model),
            ],
            vector_store=LlamaStore("peers", client=QdrantClient(path=str(folder))),
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
        )

    def run(self, corpus: Path) -> int:
        before = self._model.embedded
        documents = [LlamaDocument(text=text, id_=name) for name, text in _texts(corpus)]
        self._pipeline.run(documents=documents)
        return self._model.embedded - before


class _LlamaEmbedding(BaseEmbedding):
    def __init__(self, model: Model) -> None:
        super().__init__(model_name="bundled", embed_batch_size=64)
        self._model = model

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.embed([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class LangChain:
    name = "LangChain indexing API"

    def __init__(self, folder: Path, model: Model) -> None:
        self._model = model
        client = QdrantClient(path=str(folder / "qdrant"))
        vectors = models.VectorParams(size=model.embedder.dimension, distance=models.Distance.COSINE)
        client.create_collection("peers", vectors_config=vectors)
        self._store = LangChainStore(client, "peers", embedding=_LangChainEmbedding(model))
        self._records = SQLRecordManager("peers", db_url=f"sqlite:///{folder}/records.sqlite")
        self._records.create_schema()
        self._splitter = RecursiveCharacterTextSplitter(
            chunk_size=PASSAGE_TOKENS, chunk_overlap=OVERLAP_TOKENS, length_function=model.count
        )

    def run(self, corpus: Path) -> int:
        before = self._model.embedded
        whole = [LangChainDocument(text, metadata={"source": name}) for name, text in _texts(corpus)]
        index(
            self._splitter.split_documents(whole),
            self._records,
            self._store,
            cleanup="full",
            source_id_key="source",
            key_encoder=_point_id,
        )
        return self._model.embedded - before


class _LangChainEmbedding(Embeddings):
    def __init__(self, model: Model) -> None:
        self._model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._model.embed([text])[0]


def _point_id(document: LangChainDocument) -> str:
    """Qdrant takes UUIDs alone."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{document.metadata['source']}\n{document.page_content}"))


def _texts(corpus: Path) -> list[tuple[str, str]]:
    paths = sorted(corpus.rglob("*.md"))
    return [(path.relative_to(corpus).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def _edit_the_top(corpus: Path) -> None:
    """Put a paragraph behind the first heading of the longest document."""
    path = max(corpus.rglob("*.md"), key=lambda path: path.stat().st_size)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if line.startswith("#")), 0)
    path.write_text("".join([*lines[: first + 1], INSERTED, *lines[first + 1 :]]), encoding="utf-8")


def _rename_the_folder(corpus: Path) -> None:
    moved = corpus / "moved"
    kept = list(corpus.iterdir())
    moved.mkdir()
    for path in kept:
        path.rename(moved / path.name)


STEPS: dict[str, Callable[[Path], Any]] = {
    "first load": lambda _: None,
    "no-op": lambda _: None,
    "edit at the top": _edit_the_top,
    "folder renamed": _rename_the_folder,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of Markdown files")
    corpus = parser.parse_args().corpus
    warnings.filterwarnings("ignore", "Payload indexes have no effect in the local Qdrant")
    print(f"{'':30}" + "".join(f"{step:>24}" for step in STEPS) + "\n" + f"{'':30}" + f"{'embedded   seconds':>24}" * 4)
    model = Model()
    for contender in (Vouch, LlamaIndex, LangChain):
        with tempfile.TemporaryDirectory() as folder:
            _measure(contender, Path(folder), corpus, model)


def _measure(contender: Callable[[Path, Model], Contender], folder: Path, corpus: Path, model: Model) -> None:
    copy, store = folder / "corpus", folder / "store"
    shutil.copytree(corpus, copy)
    store.mkdir()
    run = contender(store, model)
    print(f"{run.name:30}", end="", flush=True)
    for change in STEPS.values():
        change(copy)
        started = time.perf_counter()
        embedded = run.run(copy)
        print(f"{embedded:>14}{time.perf_counter() - started:>10.1f}", end="", flush=True)
    print()


if __name__ == "__main__":
    main()

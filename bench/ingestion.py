"""`python -m bench.ingestion`: how much of the embedding model's speed a job keeps, what it costs when nothing changed,
and how much memory it takes.

Throughput: passages a second of a whole job on an empty store (files to `ready`), as a share of what two threads get
out of onnxruntime by themselves on the very same texts, one text a call, already tokenised. Both take turns in one run,
as other work on the machine disturbs either; the share of processor time says what the job costs beside the model.

The other two embed with a stand-in that makes a vector out of a text's digest: 20,000 documents would take a real model
a quarter of an hour, and neither figure depends on it. Most of the memory that grows with the documents is the embedded
engine's: what the job itself keeps is a record and a path for each.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from app.adapters import bundled_model, fastembed_embedder
from app.adapters.edge_store import EdgeStore
from app.adapters.tokenizer import FastTokenizer
from app.core.hashing import byte_hash, prepared_text
from app.ports import Embedder
from ingest import job
from ingest.progress import Summary
from ingest.reading import Readers
from ingest.sources import find_files, read_bytes

SAMPLE = Path("ingest/sample")
COPIES = 4
ROUNDS = 3
THREADS = 2
NO_OP_DOCUMENTS = 10_000
MEMORY_DOCUMENTS = (1_000, 20_000)
INDEX = "bench"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--copies", type=int, default=COPIES, help="of the sample, each embedded anew")
    parser.add_argument("--corpus", type=Path, help="a folder to measure throughput on, in place of the sample")
    parser.add_argument("--documents", type=int, default=MEMORY_DOCUMENTS[0], help="for `peak`, one line of `memory`")
    parser.add_argument("parts", nargs="*", default=["throughput", "no-op", "memory"], help="what to measure")
    options = parser.parse_args()
    if "throughput" in options.parts:
        throughput(options.rounds, options.copies, options.corpus)
    if "no-op" in options.parts:
        no_op()
    if "memory" in options.parts:
        memory()
    if "peak" in options.parts:
        peak(options.documents)


def throughput(rounds: int = ROUNDS, copies: int = COPIES, corpus: Path | None = None) -> None:
    print("            direct/s   job/s   share   share of processor time")
    with tempfile.TemporaryDirectory() as folder:
        corpus = corpus or _copied_sample(Path(folder) / "corpus", copies)
        embedder = fastembed_embedder.load("bundled")
        inputs = _inputs(asyncio.run(_texts(corpus, embedder)))
        sessions = [_session() for _ in range(THREADS)]
        shares = []
        for number in range(rounds):
            if number % 2:
                whole, whole_cpu = _timed_on_empty_store(corpus, embedder)
                direct, direct_cpu = _timed(lambda: _embed_directly(sessions, inputs))
            else:
                direct, direct_cpu = _timed(lambda: _embed_directly(sessions, inputs))
                whole, whole_cpu = _timed_on_empty_store(corpus, embedder)
            shares.append(direct / whole)
            rates = f"{len(inputs) / direct:8.1f} {len(inputs) / whole:7.1f}"
            print(f"round {number + 1}   {rates} {direct / whole:7.3f} {direct_cpu / whole_cpu:14.3f}", flush=True)
        print(f"{len(inputs)} passages; median share {statistics.median(shares):.3f}")


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of processors, those of finished child processes too."""
    before, started = _processor_seconds(), time.perf_counter()
    work()
    return time.perf_counter() - started, _processor_seconds() - before


def _processor_seconds() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def _copied_sample(corpus: Path, copies: int) -> Path:
    """Copies that share no passage: each has titles of its own."""
    for path in SAMPLE.rglob("*.md"):
        for number in range(copies):
            text = path.read_text(encoding="utf-8").replace("\n# ", f"\n# {number} ", 1)
            copy = corpus / str(number) / path.relative_to(SAMPLE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    return corpus


async def _texts(corpus: Path, embedder: Embedder) -> list[str]:
    """What a job embeds."""
    async with Readers(embedder.tokenizer) as readers:
        read = [await readers.read(file.document_id, read_bytes(file)) for file in find_files(corpus)]
    passages = {passage.content_hash: passage for document in read for passage in document.passages}
    return [prepared_text(passage.title, passage.heading, passage.text) for passage in passages.values()]


def _inputs(texts: Sequence[str]) -> list[dict[str, Any]]:
    tokenizer = _tokenizer()
    tokenizer.no_padding()
    tokenizer.enable_truncation(bundled_model.MAX_TOKENS)
    encoded = tokenizer.encode_batch(texts)
    return [
        {
            "input_ids": np.array([each.ids], dtype=np.int64),
            "attention_mask": np.array([each.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([each.type_ids], dtype=np.int64),
        }
        for each in encoded
    ]


def _tokenizer() -> Tokenizer:
    with bundled_model.model_folder() as folder:
        return Tokenizer.from_file(str(folder / "tokenizer.json"))


def _session() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with bundled_model.model_folder() as folder:
        model = str((folder / "model.onnx").resolve())
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _embed_directly(sessions: Sequence[onnxruntime.InferenceSession], inputs: Sequence[dict[str, Any]]) -> None:
    left: SimpleQueue[dict[str, Any]] = SimpleQueue()
    for each in inputs:
        left.put(each)

    def work(session: onnxruntime.InferenceSession) -> None:
        with suppress(Empty):
            while True:
                session.run(None, left.get_nowait())

    threads = [Thread(target=work, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _timed_on_empty_store(corpus: Path, embedder: Embedder) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        return _timed(lambda: asyncio.run(_job(Path(folder), corpus, embedder)))


async def _job(store: Path, corpus: Path, embedder: Embedder) -> Summary:
    async with opened(store) as edge:
        return await job.run(edge, embedder, INDEX, corpus, lambda _: None)


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(path, INDEX)
    try:
        yield store
    finally:
        await store.close()


class StandIn:
    """An embedder that costs next to nothing: the digest of a text as its vector."""

    name = "bundled"
    identity = "stand-in"
    dimension = bundled_model.DIMENSION

    def __init__(self) -> None:
        self.tokenizer = FastTokenizer(_tokenizer(), bundled_model.MAX_TOKENS)

    async def embed_query(self, text: str) -> list[float]:
        return await self.embed_passage(text)

    async def embed_passage(self, text: str) -> list[float]:
        return [byte - 127.5 for byte in hashlib.shake_128(text.encode()).digest(self.dimension)]


def no_op() -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus, store, embedder = Path(folder) / "corpus", Path(folder) / "store", StandIn()
        _write_documents(corpus, NO_OP_DOCUMENTS)
        asyncio.run(_job(store, corpus, embedder))
        walking = _best(lambda: sum(1 for _ in find_files(corpus)))
        hashing = _best(lambda: [byte_hash(read_bytes(file)) for file in find_files(corpus)]) - walking
        whole = _best(lambda: asyncio.run(_job(store, corpus, embedder)))
        print(
            f"no-op on {NO_OP_DOCUMENTS:,} documents: {whole:.2f} s"
            f" (finding the files alone {walking:.2f} s, hashing them alone {hashing:.2f} s)"
        )


def _best(work: Callable[[], object]) -> float:
    return min(_timed(work)[0] for _ in range(ROUNDS))


def memory() -> None:
    print("documents   passages   peak of the job   of a reader process")
    for documents in MEMORY_DOCUMENTS:
        command = [sys.executable, "-m", "bench.ingestion", "peak", "--documents", str(documents)]
        subprocess.run(command, check=True)


def peak(documents: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write_documents(Path(folder) / "corpus", documents)
        summary = asyncio.run(_job(Path(folder) / "store", Path(folder) / "corpus", StandIn()))
    own, reader = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{documents:9,} {summary.passages.total:10,} {own:14.0f} MB {reader:18.0f} MB", flush=True)


def _write_documents(corpus: Path, count: int) -> None:
    """About 1 KB each, two sections, no two alike."""
    words = (SAMPLE / "people" / "leave.md").read_text(encoding="utf-8").split()
    for number in range(count):
        path = corpus / f"{number % 100}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        first, second = (" ".join(random.Random(f"{number}{part}").choices(words, k=80)) for part in "ab")
        path.write_text(f"# Document {number}\n\n{first}\n\n## More\n\n{second}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

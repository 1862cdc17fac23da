"""`python -m bench.ingestion`: how much of the embedding model's speed a whole job keeps.

Passages a second of a job on an empty store, from files to `ready`, as a share of what as many threads get out of
onnxruntime by themselves on the very same texts, one text a call, already tokenised. `embedder` is the part of that
which fastembed keeps when nothing but it runs: it tokenises and pools. All take turns in one run, onnxruntime first
and last in each round, as other work on the machine disturbs any. Two more figures stand that better: the share of
processor time says what the job costs beside the model, and `fed` is the part of the job's time in which it had a text
for each of the model's threads.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
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
from app.core.hashing import prepared_text
from app.ports import Embedder
from ingest import job
from ingest.embedding import IN_FLIGHT
from ingest.errors import UnreadableDocument
from ingest.progress import Summary
from ingest.reading import Readers
from ingest.sources import find_files, read_bytes

SAMPLE = Path("ingest/sample")
COPIES = 8
ROUNDS = 3
INDEX = "bench"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--copies", type=int, default=COPIES, help="of the sample, each embedded anew")
    parser.add_argument("--corpus", type=Path, help="another folder, in place of the sample")
    options = parser.parse_args()
    throughput(options.rounds, options.copies, options.corpus)


def throughput(rounds: int = ROUNDS, copies: int = COPIES, corpus: Path | None = None) -> None:
    print(" direct/s   job/s   share  embedder   processor time     fed")
    with tempfile.TemporaryDirectory() as folder:
        corpus = corpus or _copied_sample(Path(folder) / "corpus", copies)
        alone = fastembed_embedder.load("bundled")
        embedder = Watched(alone)
        texts = asyncio.run(_texts(corpus, embedder))
        inputs = _inputs(texts)
        sessions = [_session() for _ in range(fastembed_embedder.THREADS)]

        def timed_directly() -> tuple[float, float]:
            return timed(lambda: _embed_directly(sessions, inputs))

        turns = {
            "embedder": lambda: timed(lambda: asyncio.run(_embed_by(alone, texts))),
            "job": lambda: _timed_on_empty_store(corpus, embedder),
        }
        shares = []
        for number in range(rounds):
            first = timed_directly()
            took = {name: turns[name]() for name in (list(turns) if number % 2 else list(reversed(turns)))}
            last = timed_directly()
            direct, direct_cpu = (statistics.mean(each) for each in zip(first, last, strict=True))
            (fastembed, _), (whole, whole_cpu) = (took[name] for name in turns)
            speeds = (
                f"{len(texts) / direct:9.1f} {len(texts) / whole:7.1f} {direct / whole:7.3f} {direct / fastembed:9.3f}"
            )
            print(f"{speeds} {direct_cpu / whole_cpu:16.3f} {embedder.fed_s / whole:7.3f}", flush=True)
            shares.append(direct / whole)
        print(f"{len(texts)} passages; median share {statistics.median(shares):.3f}")


def timed(work: Callable[[], object]) -> tuple[float, float]:
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
        passages = {}
        for file in find_files(corpus):
            with suppress(UnreadableDocument):
                read = await readers.read(file.document_id, read_bytes(file))
                passages |= {passage.content_hash: passage for passage in read.passages}
    return [prepared_text(passage.title, passage.heading, passage.text) for passage in passages.values()]


def _inputs(texts: Sequence[str]) -> list[dict[str, Any]]:
    tokenizer = bundled_tokenizer()
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


def bundled_tokenizer() -> Tokenizer:
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


async def _embed_by(embedder: Embedder, texts: Sequence[str]) -> None:
    left = iter(texts)

    async def work() -> None:
        for text in left:
            await embedder.embed_passage(text)

    await asyncio.gather(*[work() for _ in range(IN_FLIGHT)])


def _timed_on_empty_store(corpus: Path, embedder: Watched) -> tuple[float, float]:
    embedder.fed_s = 0.0
    with tempfile.TemporaryDirectory() as folder:
        return timed(lambda: asyncio.run(run_job(Path(folder), corpus, embedder)))


async def run_job(store: Path, corpus: Path, embedder: Embedder) -> Summary:
    async with opened(store) as edge:
        return await job.run(edge, embedder, INDEX, corpus, lambda _: None)


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(path, INDEX)
    try:
        yield store
    finally:
        await store.close()


class Watched:
    """An embedder, and for how many seconds it had at least a text for each thread."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.identity, self.dimension = embedder.name, embedder.identity, embedder.dimension
        self.tokenizer, self.embed_query = embedder.tokenizer, embedder.embed_query
        self.fed_s = 0.0
        self._embedder = embedder
        self._texts = 0
        self._since = 0.0

    async def embed_passage(self, text: str) -> list[float]:
        self._count(1)
        try:
            return await self._embedder.embed_passage(text)
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        now = time.perf_counter()
        if self._texts >= fastembed_embedder.THREADS:
            self.fed_s += now - self._since
        self._texts += change
        self._since = now


if __name__ == "__main__":
    main()

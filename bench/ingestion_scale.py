"""`python -m bench.ingestion_scale`: what a job costs when nothing changed, and how much memory it takes.

A stand-in embeds, which makes a vector out of a text's digest: 20,000 documents would take a real model a quarter of an
hour, and neither figure depends on it. Most of the memory that grows with the documents is the embedded engine's: what
the job itself keeps is a record and a path for each.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.adapters import bundled_model
from app.adapters.tokenizer import FastTokenizer
from app.core.hashing import byte_hash
from bench.ingestion import ROUNDS, SAMPLE, bundled_tokenizer, run_job, timed
from ingest.sources import find_files, read_bytes

NO_OP_DOCUMENTS = 10_000
MEMORY_DOCUMENTS = (1_000, 20_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peak", type=int, metavar="DOCUMENTS", help="only the memory for so many documents")
    options = parser.parse_args()
    if options.peak:
        peak(options.peak)
    else:
        no_op()
        memory()


class StandIn:
    """An embedder that costs next to nothing: the digest of a text as its vector."""

    name = "bundled"
    identity = "stand-in"
    dimension = bundled_model.DIMENSION

    def __init__(self) -> None:
        self.tokenizer = FastTokenizer(bundled_tokenizer(), bundled_model.MAX_TOKENS)

    async def embed_query(self, text: str) -> list[float]:
        return await self.embed_passage(text)

    async def embed_passage(self, text: str) -> list[float]:
        return [byte - 127.5 for byte in hashlib.shake_128(text.encode()).digest(self.dimension)]


def no_op() -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus, store, embedder = Path(folder) / "corpus", Path(folder) / "store", StandIn()
        _write_documents(corpus, NO_OP_DOCUMENTS)
        asyncio.run(run_job(store, corpus, embedder))
        walking = _best(lambda: sum(1 for _ in find_files(corpus)))
        hashing = _best(lambda: [byte_hash(read_bytes(file)) for file in find_files(corpus)]) - walking
        whole = _best(lambda: asyncio.run(run_job(store, corpus, embedder)))
        print(
            f"no-op on {NO_OP_DOCUMENTS:,} documents: {whole:.2f} s"
            f" (finding the files alone {walking:.2f} s, hashing them alone {hashing:.2f} s)"
        )


def _best(work: Callable[[], object]) -> float:
    return min(timed(work)[0] for _ in range(ROUNDS))


def memory() -> None:
    print("documents   passages   peak of the job")
    for documents in MEMORY_DOCUMENTS:
        command = [sys.executable, "-m", "bench.ingestion_scale", "--peak", str(documents)]
        subprocess.run(command, check=True)


def peak(documents: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write_documents(Path(folder) / "corpus", documents)
        summary = asyncio.run(run_job(Path(folder) / "store", Path(folder) / "corpus", StandIn()))
    print(f"{documents:9,} {summary.passages.total:10,} {_peak_mb():14.0f} MB", flush=True)


def _peak_mb() -> float:
    """Of this program alone: getrusage counts what its parent had when it was started."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


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

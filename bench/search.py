"""`python -m bench.search`: what a search costs on the embedded store, with each leg and with neighbours.

Made-up documents of 20 passages each, with random vectors and words: neither how near nor how rare something is makes a
search slower. Each question is asked in all ways one after the other, so that the ratios hold on a busy machine, too.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar

from app.adapters.edge_store import EdgeStore
from app.core import merging, packing
from app.core.hashing import passage_id
from app.core.model import Candidate, EmbeddedPassage, Passage, Query, Scope
from app.core.records import IndexSpec

PASSAGES, A_DOCUMENT, QUESTIONS = 5_000, 20, 100
_COLLECTION, _DIMENSION, _SEED = "bench", 384, 7
_TOP_K, _BUDGET_TOKENS = 8, 8_000
_VOCABULARY, _WORDS, _ASKED = 20_000, 120, 8

T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=PASSAGES, help=f"how many are searched ({PASSAGES:,})")
    asyncio.run(measure(parser.parse_args().passages))


async def measure(passages: int = PASSAGES) -> None:
    chance = random.Random(_SEED)
    with tempfile.TemporaryDirectory() as folder:
        store = EdgeStore(Path(folder), "bench")
        try:
            await store.create(IndexSpec(_COLLECTION, "bench", "bundled", _DIMENSION))
            await store.write_passages(_COLLECTION, [_passage(number, chance) for number in range(passages)])
            rows = [await _asked(store, chance) for _ in range(QUESTIONS)]
        finally:
            await store.close()
    print(f"{passages:,} passages, {QUESTIONS} questions, median ms and what it is next to the dense leg")
    dense = statistics.median(row["dense"] for row in rows)
    for name in rows[0]:
        took = statistics.median(row[name] for row in rows)
        print(f"{name:<24} {took * 1e3:7.2f} ms {took / dense:6.2f}")


async def _asked(store: EdgeStore, chance: random.Random) -> dict[str, float]:
    """Seconds by what was done."""
    vector, words, scope = _vector(chance), _text(chance, _ASKED), Scope()
    dense, _ = await _timed(store.search(_COLLECTION, Query(vector), _TOP_K, scope))
    fused, found = await _timed(store.search(_COLLECTION, Query(vector, words), _TOP_K, scope))
    neighbours, standing = await _timed(store.passages_at(_COLLECTION, merging.places(found), scope))
    packed = _packed(found, standing)
    return {
        "dense": dense,
        "fused": fused,
        "neighbours": neighbours,
        "packed and merged": packed,
        "fused, with neighbours": fused + neighbours + packed,
    }


def _packed(found: Sequence[Candidate], standing: Sequence[Passage]) -> float:
    started = time.perf_counter()
    merging.merge(packing.choose(found, _BUDGET_TOKENS), standing, _BUDGET_TOKENS)
    return time.perf_counter() - started


async def _timed(work: Awaitable[T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result


def _passage(number: int, chance: random.Random) -> EmbeddedPassage:
    document_id, position = f"{number // A_DOCUMENT}.md", number % A_DOCUMENT
    passage = Passage(
        passage_id=passage_id(document_id, str(number), 0),
        document_id=document_id,
        content_hash=str(number),
        position=position,
        title=f"Document {number // A_DOCUMENT}",
        text=_text(chance, _WORDS),
    )
    return EmbeddedPassage(passage, _vector(chance))


def _text(chance: random.Random, words: int) -> str:
    """Some words are in most texts and most are in few, as in a language."""
    return " ".join(_word(int(chance.paretovariate(0.7)) % _VOCABULARY) for _ in range(words))


def _word(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _vector(chance: random.Random) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(_DIMENSION)]


if __name__ == "__main__":
    main()

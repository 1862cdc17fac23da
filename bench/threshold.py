"""`python -m bench.threshold`: where the cosine threshold of the bundled model stands, and what it costs.

Over the shared evaluation data (EVAL_DATA, by default ../shared/data): questions that the texts answer (CLAPNQ and
SQuAD 2, each over its own passages) against questions that have nothing to do with the texts (each over the other's,
and both over a handbook). Prints, for each threshold, the share of the one that would be refused and of the other
that would be let through.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from app.adapters import fastembed_embedder
from app.core.hashing import prepared_text
from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.readers import read
from ingest.sources import find_files, read_bytes

T = TypeVar("T")
DATA = Path(os.environ.get("EVAL_DATA", "../shared/data"))
QUESTIONS = 150
HANDBOOK_DOCUMENTS = 60
THRESHOLDS = [n / 100 for n in range(20, 62, 2)]


async def main() -> None:
    embedder = fastembed_embedder.load("bundled")

    async def vectors(texts: Iterable[str]) -> np.ndarray:
        return np.array(await asyncio.gather(*(embedder.embed_passage(text) for text in texts)))

    def passages(documents: Iterable[Document]) -> list[str]:
        pieces = ((d, piece) for d in documents for piece in chunk(d, embedder.tokenizer))
        return [prepared_text(d.title, piece.heading, piece.text) for d, piece in pieces]

    def best(questions: np.ndarray, texts: np.ndarray) -> np.ndarray:
        return (questions @ texts.T).max(axis=1)

    clapnq_questions, clapnq = _clapnq()
    squad_questions, squad = _squad()
    asked = {"clapnq": await vectors(clapnq_questions), "squad": await vectors(squad_questions)}
    texts = {
        "clapnq": await vectors(passages(clapnq)),
        "squad": await vectors(passages(squad)),
        "handbook": await vectors(passages(_handbook())),
    }
    on = [best(asked[name], texts[name]) for name in ("clapnq", "squad")]
    off = [best(asked[q], texts[t]) for q, t in (("clapnq", "handbook"), ("squad", "handbook"), ("squad", "clapnq"))]
    print("threshold   refused: clapnq   squad    let through: clapnq/handbook  squad/handbook  squad/clapnq")
    for threshold in THRESHOLDS:
        refused = [f"{(scores < threshold).mean():8.1%}" for scores in on]
        passed = [f"{(scores >= threshold).mean():14.1%}" for scores in off]
        print(f"{threshold:9.2f} ", *refused, *passed)


def _clapnq() -> tuple[Sequence[str], list[Document]]:
    lines = (DATA / "qa/clapnq/clapnq_dev_answerable.jsonl").read_text(encoding="utf-8").splitlines()
    entries = _some([json.loads(line) for line in lines])
    documents = [_document(e["passages"][0]["title"], e["passages"][0]["text"]) for e in entries]
    return [entry["input"] for entry in entries], documents


def _squad() -> tuple[Sequence[str], list[Document]]:
    articles = json.loads((DATA / "qa/squad2/cs224n_dev-v2.0.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [(article["title"].replace("_", " "), p) for article in articles for p in article["paragraphs"]]
    questions = [qa["question"] for _, p in paragraphs for qa in p["qas"] if not qa["is_impossible"]]
    return _some(questions), [_document(title, p["context"]) for title, p in paragraphs]


def _handbook() -> list[Document]:
    files = [file for file in find_files(DATA / "corpus/18f_handbook") if file.document_id.endswith(".md")]
    documents = []
    for file in _some(files, HANDBOOK_DOCUMENTS):
        try:
            documents.append(read(file.document_id, read_bytes(file)))
        except Exception as exc:
            print(f"left out {file.document_id}: {exc}")
    return documents


def _document(title: str, text: str) -> Document:
    return Document(title=title, blocks=(Block(text=text),))


def _some(items: Sequence[T], number: int = QUESTIONS) -> list[T]:
    return random.Random(7).sample(list(items), min(number, len(items)))


if __name__ == "__main__":
    asyncio.run(main())

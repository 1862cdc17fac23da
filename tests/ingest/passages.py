"""What the tests of the chunker share."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from app.core.hashing import prepared_text
from app.ports import Tokenizer
from ingest.chunking import fit_title
from ingest.document import Block, Document, Piece
from tests.shared_embedder import embedders

WORDS = ("the", "travel", "desk", "books", "every", "train", "and", "no", "flight", "unless", "a", "manager", "asks")


def bundled_tokenizer() -> Tokenizer:
    return asyncio.run(embedders.get("bundled")).tokenizer


def document(*blocks: Block, title: str = "") -> Document:
    return Document(title=title, blocks=blocks)


def assert_within_limit(read: Document, pieces: Sequence[Piece], tokenizer: Tokenizer) -> None:
    title = fit_title(read.title, tokenizer)
    for piece in pieces:
        assert tokenizer.count(prepared_text(title, piece.heading, piece.text)) <= tokenizer.max_tokens


def letters(*texts: str) -> str:
    return "".join("".join(texts).split())


def sentence(randomly: random.Random, words: int) -> str:
    return " ".join(randomly.choices(WORDS, k=words)).capitalize() + "."


def paragraph(randomly: random.Random) -> str:
    return " ".join(sentence(randomly, randomly.randint(5, 20)) for _ in range(randomly.randint(1, 6)))

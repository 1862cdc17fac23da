"""`python -m bench.edit_locality`: how many passages one edited paragraph re-embeds, and how full passages are.

500 random edits (insert, delete or change one paragraph that fits a passage) of documents of the shared corpus
(EVAL_DATA, by default ../shared/data) and of long sections put together from its paragraphs. Each edit is made to
the unedited document. The third line is of grouping alone, with the sizes of those paragraphs: a hundred times as
many edits show what is rare.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from app.adapters import fastembed_embedder
from app.core.hashing import content_hash, prepared_text
from app.ports import Tokenizer
from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.grouping import Unit, group
from ingest.readers import read
from ingest.sources import find_files, read_bytes

T = TypeVar("T")
CORPUS = Path(os.environ.get("EVAL_DATA", "../shared/data")) / "corpus/18f_handbook"
LONG_SECTIONS = 20
PARAGRAPHS = 300
GROUP_LIMIT = 230
EDITS_OF_GROUPS = 100
"""For each edit of a document."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=500)
    edits = parser.parse_args().edits
    tokenizer = fastembed_embedder.load("bundled").tokenizer
    randomly = random.Random(7)
    handbook = _handbook()
    paragraphs = _paragraphs(handbook, tokenizer)
    print("                        edits   mean   max  over 4   median fill")
    for name, documents in (("handbook", handbook), ("long sections", _long_sections(paragraphs, randomly))):
        counts = [_reembedded(randomly.choice(documents), paragraphs, tokenizer, randomly) for _ in range(edits)]
        _show(name, counts, [fill for document in documents for fill in _fills(document, tokenizer)])
    units = [Unit(text, len(tokenizer.spans(text))) for text in paragraphs]
    groups = group(units, GROUP_LIMIT)
    counts = list(_new_groups(units, edits * EDITS_OF_GROUPS, randomly))
    _show("groups", counts, [sum(unit.tokens for unit in each) / GROUP_LIMIT for each in groups])


def _show(name: str, counts: Sequence[int], fills: Sequence[float]) -> None:
    over = sum(count > 4 for count in counts)
    mean, fill = statistics.mean(counts), statistics.median(fills)
    print(f"{name:20} {len(counts):8} {mean:6.2f} {max(counts):5} {over:7} {fill:13.2f}", flush=True)


def _handbook() -> list[Document]:
    documents = []
    for file in find_files(CORPUS):
        try:
            documents.append(read(file.document_id, read_bytes(file)))
        except UnreadableDocument as exc:
            print(f"left out {file.document_id}: {exc}")
    return [document for document in documents if document.blocks]


def _paragraphs(documents: Sequence[Document], tokenizer: Tokenizer) -> list[str]:
    """Those that fit a passage, each once."""
    texts = {block.text: None for d in documents for block in d.blocks if block.kind == "paragraph"}
    return [text for text in texts if len(tokenizer.spans(text)) <= GROUP_LIMIT]


def _long_sections(paragraphs: Sequence[str], randomly: random.Random) -> list[Document]:
    sections = (randomly.sample(paragraphs, PARAGRAPHS) for _ in range(LONG_SECTIONS))
    return [Document(title="Long", blocks=tuple(Block(text) for text in section)) for section in sections]


def _reembedded(document: Document, paragraphs: Sequence[str], tokenizer: Tokenizer, randomly: random.Random) -> int:
    fitting = set(paragraphs)
    places = [at for at, block in enumerate(document.blocks) if block.text in fitting] or [0]
    at = randomly.choice(places)
    before = document.blocks[at]
    words = before.text.split(" ")
    words[randomly.randrange(len(words))] = "changed"
    new = structs.replace(before, text=randomly.choice(paragraphs), kind="paragraph")
    blocks = _edited(document.blocks, at, new, structs.replace(before, text=" ".join(words)), randomly)
    edited = structs.replace(document, blocks=tuple(blocks))
    return len(_contents(edited, tokenizer) - _contents(document, tokenizer))


def _contents(document: Document, tokenizer: Tokenizer) -> set[str]:
    return {content_hash(document.title, piece.heading, piece.text) for piece in chunk(document, tokenizer)}


def _new_groups(units: Sequence[Unit], edits: int, randomly: random.Random) -> Iterator[int]:
    for number in range(edits):
        section = randomly.sample(units, 60)
        at = randomly.randrange(len(section))
        new = Unit(f"new {number}", randomly.choice(units).tokens)
        edited = _edited(section, at, new, Unit(f"changed {number}", section[at].tokens), randomly)
        before = Counter(tuple(unit.text for unit in each) for each in group(section, GROUP_LIMIT))
        after = Counter(tuple(unit.text for unit in each) for each in group(edited, GROUP_LIMIT))
        yield (after - before).total()


def _edited(items: Sequence[T], at: int, new: T, changed: T, randomly: random.Random) -> list[T]:
    """With `new` inserted at a place, or what is there changed or deleted."""
    put = randomly.choice([[new, items[at]], [changed], []])
    return [*items[:at], *put, *items[at + 1 :]]


def _fills(document: Document, tokenizer: Tokenizer) -> list[float]:
    """Of the passages in sections that need more than one: a short section can fill none."""
    pieces = chunk(document, tokenizer)
    in_section = Counter(piece.heading for piece in pieces)
    long = [piece for piece in pieces if in_section[piece.heading] > 1]
    texts = [prepared_text(document.title, piece.heading, piece.text) for piece in long]
    return [tokenizer.count(text) / tokenizer.max_tokens for text in texts]


if __name__ == "__main__":
    main()

"""From a document's blocks to passages that the embedding model reads whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from app.core.hashing import prepared_text
from app.ports import Tokenizer
from ingest.document import Block, Document, Piece
from ingest.splitting import Splitter

CHUNKER_VERSION = 1
"""Part of the fingerprint: raise it with every change that makes other passages of the same text."""

TITLE_TOKENS = 24
HEADING_TOKENS = 40
"""For all headings of a path together. The rest of what the model reads belongs to the text."""


def chunk(document: Document, tokenizer: Tokenizer) -> list[Piece]:
    """The passages of a document, in order. With title and headings, none has more than `tokenizer.max_tokens`.

    Headings are boundaries. Blocks stay whole where they fit, and neighbours share a passage.
    """
    pieces: list[Piece] = []
    for (heading, page), blocks in groupby(document.blocks, key=lambda block: (block.heading, block.page)):
        fitted = fit_heading(heading, tokenizer)
        limit = tokenizer.max_tokens - tokenizer.count(prepared_text(document.title, fitted, ""))
        pieces += [Piece(text, fitted, page) for text in _passages(list(blocks), tokenizer, limit)]
    return pieces


def fit_title(title: str, tokenizer: Tokenizer) -> str:
    return _shortened(title, tokenizer, TITLE_TOKENS)


def fit_heading(heading: Sequence[str], tokenizer: Tokenizer) -> tuple[str, ...]:
    """The innermost headings that fit HEADING_TOKENS, the last one cut short when it alone does not."""
    kept: list[str] = []
    room = HEADING_TOKENS
    for name in reversed(heading):
        tokens = len(tokenizer.spans(name)) + 1  # the ` > ` before it
        if tokens > room:
            break
        kept.insert(0, name)
        room -= tokens
    if heading and not kept:
        kept = [_shortened(heading[-1], tokenizer, HEADING_TOKENS)]
    return tuple(kept)


def _passages(blocks: Sequence[Block], tokenizer: Tokenizer, limit: int) -> Iterator[str]:
    splitter = Splitter(tokenizer, limit)
    return splitter.joined(f"{part}\n\n" for block in blocks for part in splitter.parts(block))


def _shortened(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    spans = tokenizer.spans(text)
    return text if len(spans) <= tokens else text[: spans[tokens - 1][1]].rstrip()

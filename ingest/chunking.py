"""From a document's blocks to passages that the embedding model reads whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from app.core.hashing import prepared_text
from app.ports import Tokenizer
from ingest.document import Block, Document, Piece
from ingest.splitting import CHARACTERS_A_TOKEN, Splitter

CHUNKER_VERSION = 4
"""Part of the fingerprint: raise it with every change that makes other passages of the same document."""

TITLE_TOKENS = 24
HEADING_TOKENS = 40
"""For all headings of a path together. The rest of what the model reads belongs to the text."""


def chunk(document: Document, tokenizer: Tokenizer) -> list[Piece]:
    """The passages of a document, in order. None has more than `tokenizer.max_tokens` behind its title and headings.

    The title counts as `fit_title` leaves it. Headings are boundaries. Blocks stay whole where they fit, and
    neighbours share a passage. Headings that find no room in the heading path are said in the text.
    """
    pieces: list[Piece] = []
    title = fit_title(document.title, tokenizer)
    said: tuple[str, ...] = ()
    for (_, heading, page), blocks in groupby(document.blocks, key=lambda b: (b.section, b.heading, b.page)):
        fitted = fit_heading(heading, tokenizer)
        unsaid = [Block(name) for name in _unsaid(said, heading, fitted)]
        splitter = Splitter(tokenizer, prepared_text(title, fitted, ""))
        pieces += [Piece(text, fitted, page) for text in splitter.passages([*unsaid, *blocks])]
        said = heading
    return pieces


def fit_title(title: str, tokenizer: Tokenizer) -> str:
    return _shortened(title, tokenizer, TITLE_TOKENS)


def fit_heading(heading: Sequence[str], tokenizer: Tokenizer) -> tuple[str, ...]:
    """The innermost headings that fit HEADING_TOKENS, the last one cut short when it alone does not."""
    kept: list[str] = []
    room = HEADING_TOKENS
    for name in reversed(heading):
        if len(name) > room * CHARACTERS_A_TOKEN or (taken := len(tokenizer.spans(name)) + 1) > room:
            break
        kept.insert(0, name)
        room -= taken  # with the ` > ` before it
    if heading and not kept:
        kept = [_shortened(heading[-1], tokenizer, HEADING_TOKENS)]
    return tuple(kept)


def _unsaid(said: Sequence[str], heading: Sequence[str], fitted: Sequence[str]) -> Sequence[str]:
    """The headings that are new since the passage before, and not whole in what this one carries."""
    shared = next((i for i, (a, b) in enumerate(zip(said, heading, strict=False)) if a != b), len(said))
    carried = len(heading) - len(fitted)
    if heading and heading[carried] != fitted[0]:
        carried += 1
    return heading[shared:carried]


def _shortened(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    text = text[: tokens * CHARACTERS_A_TOKEN]
    spans = tokenizer.spans(text)
    return text if len(spans) <= tokens else text[: spans[tokens - 1][1]].rstrip()

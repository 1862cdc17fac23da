"""Texts as the sparse vectors that BM25 compares, made by Qdrant's own tokenizer and stemmer. Nothing is downloaded.

A vector holds what depends on its own text: how often a term occurs, damped, against the text's length. How rare a
term is in the index (IDF) is the store's to know, and it multiplies that in. Token ids are those of `qdrant/bm25`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from qdrant_edge import Bm25, Bm25Config, SparseVector, TokenizerType

from app.core.model import Passage

_WORDS = Bm25(Bm25Config(language="english", tokenizer=TokenizerType.Word))
_UNSPACED = Bm25(Bm25Config(language="english", tokenizer=TokenizerType.Multilingual))
_UNSPACED_RUN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese: words that only a dictionary can tell apart."""

_IDENTIFIER = re.compile(r"\w+(?:[-_./:@#]+\w+)+")
_SIGNS = re.compile(r"[\W_]+")


class TermWeights(NamedTuple):
    """A sparse vector: the ids of its terms, each once, and their weights."""

    indices: list[int]
    values: list[float]


def of_passage(passage: Passage) -> TermWeights:
    """Title, headings and text, each once: what the dense vector is made of, too."""
    return _terms("\n".join([passage.title, *passage.heading, passage.text]), is_question=False)


def of_question(text: str) -> TermWeights:
    """Empty for one of stop words alone."""
    return _terms(text, is_question=True)


def words(text: str) -> Collection[int]:
    """The ids of a text's words for comparing texts by themselves, those of scripts without spaces too."""
    return _UNSPACED.embed_query(text).indices


def warm_up() -> None:
    """Load the dictionaries for scripts without spaces: half a second, in which no other thread runs Python."""
    words("日本語 中文 ไทย")


def _terms(text: str, is_question: bool) -> TermWeights:
    weights: dict[int, float] = {}
    for model, part in ((_WORDS, _spaced(text)), (_UNSPACED, " ".join(_UNSPACED_RUN.findall(text)))):
        vector = _embedded(model, part, is_question) if part else None
        weights |= zip(vector.indices, vector.values, strict=True) if vector else ()
    return TermWeights(list(weights), list(weights.values()))


def _embedded(model: Bm25, text: str, is_question: bool) -> SparseVector:
    return model.embed_query(text) if is_question else model.embed_document(text)


def _spaced(text: str) -> str:
    """The text without its unspaced runs, and each identifier once more in one piece.

    The tokenizer cuts `ERR_1042` and `--allow-removals` at their signs. In one piece they are terms of their own,
    and rarer than their parts.
    """
    spaced = _UNSPACED_RUN.sub(" ", text)
    return " ".join([spaced, *(_SIGNS.sub("", found) for found in _IDENTIFIER.findall(spaced))])

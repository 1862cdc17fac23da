"""Texts as the sparse vectors that BM25 compares, made by Qdrant's own tokenizer and stemmers. Nothing is downloaded.

A vector holds what depends on its own text: how often a term occurs, damped, against the text's length. How rare a
term is in the index (IDF) is the store's to know, and it multiplies that in. Token ids are those of `qdrant/bm25`.

A passage is stemmed in the language of its document. A question is stemmed in its own language, in those that the index
holds and in English, each time without the stop words of its own: `die` is no word to look for in English passages when
the question is German. What another language's rules make of its words counts less: they find names and what words have
in common, but also take apart what its own rules keep together.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from qdrant_edge import Bm25, Bm25Config, TokenizerType

from app.adapters import languages
from app.core.model import Passage

_UNSPACED = Bm25(Bm25Config(language="english", tokenizer=TokenizerType.Multilingual))
_UNSPACED_RUN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese: words that only a dictionary can tell apart."""

_OF_OTHERS = 0.5
"""Weight of a term that only another language's stemmer makes of a question. Of 0.3, 0.5 and 1, chosen on CLAPNQ,
SQuAD 2 and Contoso as part of an index in five languages, and on XQuAD within and across languages: 1 loses up to .016
of R@1 in English, 0.3 up to .02 across languages."""

_IDENTIFIER = re.compile(r"\w+(?:[-_./:@#]+\w+)+")
_SIGNS = re.compile(r"[\W_]+")


class TermWeights(NamedTuple):
    """A sparse vector: the ids of its terms, each once, and their weights."""

    indices: list[int]
    values: list[float]


def of_passage(passage: Passage) -> TermWeights:
    """Title, headings and text, each once: what the dense vector is made of, too."""
    text = "\n".join([passage.title, *passage.heading, passage.text])
    language = passage.language if passage.language in languages.STEMMED else languages.DEFAULT
    weights: dict[int, float] = {}
    for model, part in ((languages.stemmer(language), _spaced(text)), (_UNSPACED, _unspaced(text))):
        vector = model.embed_document(part) if part else None
        weights |= zip(vector.indices, vector.values, strict=True) if vector else ()
    return TermWeights(list(weights), list(weights.values()))


def of_question(text: str, held: Collection[str] = ()) -> TermWeights:
    """Each term once, over an index that holds these languages. Empty for a question of stop words alone."""
    spaced, unspaced = _spaced(text), _unspaced(text)
    spoken = languages.language_of(spaced, likely=held)
    weights: dict[int, float] = {}
    for language in sorted(languages.STEMMED & {languages.DEFAULT, *held, spoken}):
        weight = 1.0 if spoken in (None, language) else _OF_OTHERS
        for term in languages.stemmer(language, spoken).embed_query(spaced).indices:
            weights[term] = max(weight, weights.get(term, 0.0))
    weights |= dict.fromkeys(_UNSPACED.embed_query(unspaced).indices if unspaced else (), 1.0)
    return TermWeights(list(weights), list(weights.values()))


def words(text: str) -> Collection[int]:
    """The ids of a text's words for comparing texts by themselves, those of scripts without spaces too."""
    return _UNSPACED.embed_query(text).indices


def warm_up() -> None:
    """Load the dictionaries for scripts without spaces: half a second, in which no other thread runs Python."""
    words("日本語 中文 ไทย")


def _unspaced(text: str) -> str:
    return " ".join(_UNSPACED_RUN.findall(text))


def _spaced(text: str) -> str:
    """The text without its unspaced runs, and each identifier once more in one piece.

    The tokenizer cuts `ERR_1042` and `--allow-removals` at their signs. In one piece they are terms of their own,
    and rarer than their parts.
    """
    spaced = _UNSPACED_RUN.sub(" ", text)
    return " ".join([spaced, *(_SIGNS.sub("", found) for found in _IDENTIFIER.findall(spaced))])

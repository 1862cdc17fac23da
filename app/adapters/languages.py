"""The languages that Qdrant's BM25 has a stemmer and stop words for, and telling them by those stop words."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, Language, StopwordsSet, TokenizerType

DEFAULT = "en"
"""English rules are also for what has no stemmer, and for what nobody knows the language of."""

_NAMES = {
    "ar": Language.Arabic,
    "da": Language.Danish,
    "de": Language.German,
    "el": Language.Greek,
    "en": Language.English,
    "es": Language.Spanish,
    "fi": Language.Finnish,
    "fr": Language.French,
    "hu": Language.Hungarian,
    "it": Language.Italian,
    "nl": Language.Dutch,
    "no": Language.Norwegian,
    "pt": Language.Portuguese,
    "ro": Language.Romanian,
    "ru": Language.Russian,
    "sv": Language.Swedish,
    "tr": Language.Turkish,
}
"""By ISO 639-1 code."""
STEMMED = frozenset(_NAMES)

SAMPLE = 2_000
"""Characters that are looked at: a few milliseconds."""
_LEAST = 2
_LEAST_SHARE = 1 / 8
"""Of a text's different words that must be stop words of its language. In prose a quarter is. A higher bar would leave
out texts with long words and lists, and to be taken for English costs a text more than to be taken for a neighbour's:
its stop words are then rare words of the index."""


@cache
def stemmer(code: str, spoken: str | None = None) -> Bm25:
    """Of a language; also without the stop words of `spoken`, in which the text is written. Safe in any thread."""
    stop_words = {_NAMES[each] for each in (code, spoken) if each is not None}
    return Bm25(Bm25Config(language=code, tokenizer=TokenizerType.Word, stopwords=StopwordsSet(languages=stop_words)))


def language_of(text: str, stated: str | None = None, likely: Collection[str] = ()) -> str | None:
    """The ISO 639-1 code of the language that a text is written in, by its beginning; None when nothing tells.

    Of languages with as many stop words in the text, it is the one that is `likely`.

    What is `stated` stands, unless another language has more than twice as many stop words in the text: templates and
    site generators often state English whatever their authors write. A language without stop words here is believed.
    """
    if stated is not None and stated not in _NAMES:
        return stated
    words = _different_words(text, None)
    held = {code: words - _different_words(text, code) for code in _NAMES}
    most = max(held.values())
    first = [code for code in held if held[code] == most]
    if len(first) > 1:
        first = [code for code in first if code in likely]
    is_clear = len(first) == 1 and most >= max(_LEAST, _LEAST_SHARE * words)
    if stated is None:
        return first[0] if is_clear else None
    return first[0] if is_clear and most > 2 * held[stated] else stated


def _different_words(text: str, without: str | None) -> int:
    """How many different words a text has, leaving out the stop words of a language."""
    return len(_counter(without).embed_query(text[:SAMPLE]).indices)


@cache
def _counter(code: str | None) -> Bm25:
    stop_words = {_NAMES[code]} if code is not None else set()
    return Bm25(
        Bm25Config(
            tokenizer=TokenizerType.Word, stopwords=StopwordsSet(languages=stop_words), stemmer=DisabledStemmer()
        )
    )

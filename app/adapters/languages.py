"""The languages that Qdrant's BM25 has a stemmer and stop words for, and telling them by those stop words."""

from __future__ import annotations

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
_LEAST_SHARE = 1 / 6
"""Of a text's different words that must be stop words of its language. In prose a quarter is; in that of a language
which is not among these, such as Polish, an eighth may be some other one's."""


@cache
def stemmer(code: str, spoken: str | None = None) -> Bm25:
    """Of a language; also without the stop words of `spoken`, in which the text is written. Safe in any thread."""
    stop_words = {_NAMES[each] for each in (code, spoken) if each is not None}
    return Bm25(Bm25Config(language=code, tokenizer=TokenizerType.Word, stopwords=StopwordsSet(languages=stop_words)))


def language_of(text: str, stated: str | None = None) -> str | None:
    """The ISO 639-1 code of the language that a text is written in, by its beginning; None when nothing tells.

    What is `stated` stands, unless another language has more than twice as many stop words in the text: templates and
    site generators often state English whatever their authors write. A language without stop words here is believed.
    """
    if stated is not None and stated not in _NAMES:
        return stated
    words = _different_words(text, None)
    held = {code: words - _different_words(text, code) for code in _NAMES}
    second, first = sorted(held, key=held.__getitem__)[-2:]
    is_clear = held[first] >= max(_LEAST, _LEAST_SHARE * words) and held[first] > held[second]
    if stated is None:
        return first if is_clear else None
    return first if is_clear and held[first] > 2 * held[stated] else stated


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

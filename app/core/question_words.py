"""What a question asks for, word by word: its terms, its names, its kind, and whether it says no.

A term is a folded word cut to its stem's length, so that "invaded" and "invades" are one; in scripts without spaces
it is a single character. Language-neutral but for the lists of small words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from app.core.claims import negation

_STEM = 6
"""Characters of a word that count: chosen on the development data, where it does as well as a real stemmer."""
_SHORTEST_STEM = 3
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?\Z")

_SMALL_WORDS = (
    "a an the of to in on at by for from with and or but as is are was were be been being am do does did done has have"
    " had having it its this that these those there their they them he she his her him we us our you your i my me who"
    " whom whose what which when where why how many much long often can could may might must should would will shall"
    " not no than then so if into about over under up out off also any some all each such very"
    " get need want please tell know find give take make go like name type kind use used call called first"
)
_OTHER_SMALL_WORDS = (
    "der das den dem des ein eine einen einem einer und oder ist sind habe hat haben wird werden wie was wer wo"
    " wann warum welche welcher welches wem wen wenn dass viel viele lange mit von zu zum zur für auf aus bei nach"
    " im am es er sie ich mein meine wir man kann nicht sich auch als diese dieser el la los las un una unos del al"
    " y o que qué cuál cuándo cómo quién dónde cuánto cuántos cuánta cuántas fue hay en por para con se su lo desde"
    " hasta este esta le les du de des une et ou à ce cette ces est sont qui quel quelle quels quelles quand comment"
    " où combien dans pour par avec au aux il elle di che è per kdy jak kdo kde kolik proč co který která které je"
    " jsou na se si v do"
)
_GERMAN_SMALL_WORDS = "der und ist wie wer wo wann viel viele welche welcher welches ich nicht wird"
_GERMAN = frozenset(_GERMAN_SMALL_WORDS.split())
_IDENTIFIER = re.compile(
    r"`([^`\n]{2,80})`|(?<!\S)(--?[A-Za-z][\w-]*\w)|\b([A-Za-z]\w*_\w*\w)\b|\b([A-Za-z]+-?[0-9]+[A-Za-z0-9-]*)\b"
)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{2,200})[\"”“»]")
_NAME = re.compile(r"(?<=[^\s.!?:] )[^\W\d_a-z][^\W_]+|\b[^\W_]*[0-9][^\W_]*\b")
_OWN_TROUBLE = re.compile(r"\b(?:i|my|me|we|us|our|if|why)\b", re.IGNORECASE)

_KINDS = [
    (
        "number",
        re.compile(r"\bhow (?:many|much|long|old|far|often|big|large|high|fast|tall|deep|wide)\b", re.IGNORECASE),
    ),
    ("date", re.compile(r"\bwhen\b|\b(?:what|which) (?:time|date|day|year|century|month)\b", re.IGNORECASE)),
    (
        "name",
        re.compile(r"\b(?:who|whom|whose|where)\b|\b(?:what|which) (?:city|country|place|state)\b", re.IGNORECASE),
    ),
]
_LOOKS = {
    "number": re.compile(
        r".*[0-9]|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million"
        r"|billion|half|none|several|once|twice)\Z",
        re.IGNORECASE,
    ),
    "date": re.compile(
        r".*[0-9]|(?:january|february|march|april|may|june|july|august|september|october|november|december|daily"
        r"|weekly|monthly|yearly|annually|century|today|now|\w{2,6}day)\Z",
        re.IGNORECASE,
    ),
    "name": re.compile(r"[^\W\d_a-z]"),
}


@lru_cache(maxsize=32_768)
def term(word: str) -> str:
    folded = _POSSESSIVE.sub("", word.casefold())
    if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss"):
        folded = folded[:-1]
    return folded if folded[:1].isdigit() else folded[:_STEM]


SMALL_TERMS = frozenset(map(term, f"{_SMALL_WORDS} {_OTHER_SMALL_WORDS}".split()))


def words(text: str) -> list[str]:
    """The words of `text` as they are written, in order."""
    return _WORD.findall(text)


def terms(text: str) -> frozenset[str]:
    return frozenset(map(term, words(text)))


def asked_terms(question: str) -> dict[str, str]:
    """The terms of the question that say what it is about, in order, each with the word it came from.

    A question of small words alone keeps all of them.
    """
    every = {term(word): word for word in reversed(words(question))}
    asked = {one: word for one, word in reversed(every.items()) if one not in SMALL_TERMS}
    return asked or dict(reversed(every.items()))


def names(question: str) -> Iterator[str]:
    """Words with a capital inside a sentence, or with a digit; in German, with its capital nouns, with a digit only."""
    german = not _GERMAN.isdisjoint(word.casefold() for word in words(question))
    for found in _NAME.findall(question):
        if term(found) not in SMALL_TERMS and not (german and found.isalpha()):
            yield found


def holds_name(terms: frozenset[str], name: str) -> bool:
    """Whether a name is among these terms, maybe with another last letter, as in Brno and v Brně; a number exactly."""
    wanted = term(name)
    stem = wanted[: max(_SHORTEST_STEM, len(wanted) - 1)]
    inflects = wanted.isalpha() and len(wanted) > _SHORTEST_STEM
    return wanted in terms or (inflects and any(held.startswith(stem) for held in terms))


def exact_terms(question: str) -> list[str]:
    """What can only be meant letter by letter: quoted phrases, and identifiers such as ERR_1042 or --allow-removals."""
    quoted = [match[1] for match in _QUOTED.finditer(question)]
    rest = _QUOTED.sub(" ", question)
    return [*quoted, *(next(filter(None, match.groups())) for match in _IDENTIFIER.finditer(rest))]


def holds_exactly(text: str, wanted: list[str]) -> bool:
    """Whether every one of `wanted` stands in `text` as a whole, whatever the case of its letters."""
    folded = " ".join(text.split()).casefold()
    return all(
        re.search(rf"(?<![\w-]){re.escape(' '.join(one.split()).casefold())}(?![\w-])", folded) for one in wanted
    )


def kind(question: str) -> str | None:
    """`number`, `date` or `name` where the question asks for one of them."""
    return next((name for name, pattern in _KINDS if pattern.search(question)), None)


def looks_like(word: str, wanted: str | None) -> bool:
    """Whether `word` may be what a question of this kind asks for."""
    return wanted is None or bool(_LOOKS[wanted].match(word))


def says_no(question: str) -> bool:
    """Whether it turns what is asked around. Telling of a trouble of one's own ("why can't I ...") does not."""
    return negation(question) is not None and not _OWN_TROUBLE.search(question)

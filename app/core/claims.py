"""What a sentence states that can be looked up word for word, and what of it the sources do not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from app.core import quantities
from app.core.quantities import Date, DateReading, Quantity

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_TOKEN = re.compile(r"[^\W_]+(?:[-.&'’/][^\W_]+)*")
_PARTS = re.compile(r"[-./&]")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_CLAUSE_START = re.compile(r"(?:\A|[.!?:;…|•\n]|[\"“„«*_`(\[]|\s[-–—])[\s*_\"“„«`(\[>#-]*\Z")
_CODE = re.compile(r"`+([^`\n]{2,80}?)`+")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_NO_NAMES = frozenset(
    _WORD.findall(
        "i i'm i'll i've i'd i’m i’ll i’ve i’d ok yes no the a an this that these those it they we you he she in on at"
        " for by to of as and or but if when while however also all each some both note"
    )
)
_LEAD = re.compile(r"[^:.]{1,60}:(?=\s)")
"""The title in front of many a list item, where capitals say nothing."""
_TITLED = re.compile(r"[A-Z][^\W_]+(?:(?: | of | of the | for | and |-)[A-Z][^\W_]+)+")
_ACRONYM = re.compile(r"\b[A-Z]{2,8}\b")

_OPENING_NO = re.compile(r"\A\W*no\b,?", re.IGNORECASE)
"""The "No, ..." of an answer, which the rest of the sentence repeats."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w{2,8}n['’]t|nicht|kein\w{0,2}|nie|niemals|ohne"
    r"|weder|nunca|sin|jamás|ningun[oa]s?|ningún|ne|jamais|sans|aucune?)\b(?! only\b)|[不没沒無无未]",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:unable|unavailable|unlike\w*|unless|unnecessary|unknown|unsupported|unauthori\w+|invalid|ineligible|incapable"
    r"|impossible|improper\w*|insufficient|inability|fail\w*|lack\w*|absen\w+|except|exception|exclud\w*|exclusion|refus\w+"
    r"|den(?:y|ie)\w*|prohibit\w*|forbid\w*|prevent\w*|avoid\w*|disabl\w+|disallow\w*|disagree\w*|rarely|hardly|few|little"
    r"|instead|rather)\b",
    re.IGNORECASE,
)
"""Says no in other words: enough for a source to hold the "not" of a sentence."""


class Facts(Struct, frozen=True):
    """What a source holds, ready to be compared with many sentences."""

    text: str
    """Case-folded, white space folded."""
    words: frozenset[str]
    initials: str
    """The first letters of all words in a row."""
    acronyms: frozenset[str]
    """As written, and those of its names of several words."""
    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]


def facts(text: str) -> Facts:
    words = [_POSSESSIVE.sub("", word).casefold() for word in _WORD.findall(text)]
    return Facts(
        " ".join(text.split()).casefold(),
        frozenset(words),
        "".join(word[0] for word in words),
        frozenset([*_ACRONYM.findall(text), *map(_acronym, _TITLED.findall(text))]),
        tuple(quantities.quantities(text)),
        tuple(quantities.dates(text)),
    )


def missing(sentence: str, sources: Sequence[Facts]) -> list[str]:
    """The numbers, units, dates and names of `sentence` that stand in none of `sources`, as the sentence writes them.

    Compared by value and without case. A number in letters counts only with a unit ("two weeks", not "the two
    offices"). A word is a name when it has a capital where none is due or stands in backticks; the first word of a
    sentence is one only when spelled like NASA, iPhone or B2B.
    """
    found = quantities.dates(sentence)
    undated = sentence
    for date in found:
        undated = undated[: date.start] + " " * (date.end - date.start) + undated[date.end :]
    lost = [date.text for date in found if not any(_holds_date(source, date) for source in sources)]
    lost += [part for number in quantities.quantities(undated) if (part := _lost_of(number, sources))]
    named = _TITLED.sub(
        lambda name: _blank(name) if _holds_acronym(sources, _acronym(name.group())) else name.group(), undated
    )
    lost += [name for name in _names(named) if not any(_holds_name(source, name) for source in sources)]
    return list(dict.fromkeys(lost))


def negation(text: str) -> str | None:
    """The first word with which `text` says no; None when it does not."""
    found = _NEGATION.search(_OPENING_NO.sub("", text))
    return found.group() if found else None


def denies(text: str) -> bool:
    """Whether `text` says no in any words."""
    return bool(_NEGATION.search(text) or _DENIAL.search(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _acronym(name: str) -> str:
    return "".join(word[0] for word in _WORD.findall(name) if word[0].isupper())


def _holds_acronym(sources: Sequence[Facts], acronym: str) -> bool:
    return any(acronym in source.acronyms for source in sources)


def _names(text: str) -> Iterator[str]:
    for pattern in (_CODE, _MAIL):
        yield from (match.group(match.lastindex or 0) for match in pattern.finditer(text))
        text = pattern.sub(_blank, text)
    lead = _LEAD.match(text)
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word.casefold() in _NO_NAMES or not any(map(str.isupper, word)):
            continue
        titled = (lead and token.end() <= lead.end()) or _CLAUSE_START.search(
            text, max(0, token.start() - 8), token.start()
        )
        if _spelled_like_a_name(word) or not titled:
            yield word


def _spelled_like_a_name(word: str) -> bool:
    return any(map(str.isupper, word[1:])) or any(map(str.isdigit, word))


def _holds_date(source: Facts, date: Date) -> bool:
    return any(_agree(own, other, source) for own in date.readings for held in source.dates for other in held.readings)


def _agree(own: DateReading, other: DateReading, source: Facts) -> bool:
    """Whether a source that gives the date `other` gives `own`; the year may stand elsewhere in it."""
    (year, month, day), (other_year, other_month, other_day) = own, other
    if month != other_month or day not in (0, other_day):
        return False
    return year in (0, other_year) or (other_year == 0 and bool(_units_of(frozenset([float(year)]), [source])))


def _lost_of(number: Quantity, sources: Sequence[Facts]) -> str | None:
    """The number when no source holds it, its unit when it is held with other units only."""
    if number.in_letters and number.unit is None:
        return None
    units = _units_of(number.readings, sources)
    if not units:
        return number.text
    return number.unit_text if number.unit and not units & {number.unit, None} else None


def _units_of(readings: frozenset[quantities.Reading], sources: Sequence[Facts]) -> set[str | None]:
    return {held.unit for source in sources for held in source.quantities if held.readings & readings}


def _holds_name(source: Facts, name: str) -> bool:
    folded = " ".join(name.split()).casefold()
    if folded in source.text:
        return True
    if all(_holds_word(source, _POSSESSIVE.sub("", part)) for part in _PARTS.split(folded) if len(part) > 1):
        return True
    return name in source.acronyms or (name.isupper() and len(name) > 2 and folded in source.initials)


def _holds_word(source: Facts, word: str) -> bool:
    """Also in another form: IRAs for IRA, American for America."""
    if word in source.words or word.removesuffix("s") in source.words:
        return True
    return len(word) >= 6 and any(held.startswith(word[:-2]) for held in source.words)

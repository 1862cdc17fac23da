"""Where the sentences of a text begin and end.

Rules, not a model: fast, the same on every machine, and wrong only in the harmless direction. In doubt two
sentences stay one. A full stop ends a sentence unless the word before it is an abbreviation or the next
word starts small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WIDE_STOPS = "。！？｡"
"""Full stops of scripts that put no space after them."""

_STOP = re.compile(
    r"(?<![.!?…؟۔।。！？｡])(?P<stop>[.!?…؟۔।。！？｡]++)"
    r"[\"'”’»›)\]}）」』】》〉*_`~]*+"
    r"(?:[ \t]?\[\^?[0-9]{1,4}\]|\([0-9]{1,4}\))*+"  # a marker belongs to the sentence it follows
    r"(?P<space>\s*+)"
)
_NEXT_WORD = re.compile(r"[^\w\s]{0,8}+(\w{0,20})")
_WORD_BREAK = re.compile(r"[\s(\[{\"'“‘„‚«¿¡*_/–—-]")
_DOTTED = re.compile(r"\w(?:\.\w)*")
_SHORT_NUMBER = re.compile(r"(?<![\w.,])[0-9]{1,2}\Z")
_LIST_NUMBER = re.compile(r"[\s>#*+-]*+(?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{1,5})")

_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_OWN_LINE = re.compile(r"[^\S\n]*+(?:[-*+•][^\S\n]|[0-9]{1,3}[.)][^\S\n]|[A-Za-z]\)[^\S\n]|\||#{1,6}[^\S\n])")
_HEADING = re.compile(r" {0,3}#{1,6}[^\S\n]")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER_LAST = _words(
    "mr mrs ms dr prof messrs rev hon gen col capt lt sgt maj sen rep gov pres st mt "
    "vs cf e.g eg i.e ie viz approx ca incl "
    "fr hrn frl z.b d.h bzw bspw vgl evtl ggf inkl exkl zzgl sog abt geb bzgl mio mrd "
    "mme mmes mlle mm mgr env éd sra sres srta ud uds vd dra dña aprox ej "
    "sig sigg dott dott.ssa avv geom dhr mevr mw drs bijv np tzn tzw např tzv "
    "ул см им напр тыс млн млрд проф акад"
)
_BEFORE_A_NUMBER = _words(
    "no nos nr p pp fig figs eq eqs sec secs art arts ch chap vol vols para tel ext max min "
    "abs abb anm bd kap lit rn ziff hr str pág págs núm pag pagg blz čl odst ust стр рис ст гл "
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez"
)
_SOMETIMES_LAST = _words("inc ltd co corp llc jr sr dept al bros ph.d ex")
_OPENERS = _words(
    "the a an this that these those it its he she they we you i his her their our your my in on at for from "
    "with by to of as if when while after before but and or so however there here no not all each every most "
    "some many what who why how where please see use do also then "
    "der die das ein eine es er sie wir wenn bitte für mit le la les une il elle nous vous el los las una"
)
_MONTHS = _words("januar jänner februar märz april mai juni juli august september oktober november dezember")
_BEFORE_AN_ORDINAL = re.compile(
    r"(?:^|[\s(])(?:[Dd](?:er|ie|as|em|en|es)|[Aa][mb]|[Ii]m|[Zz]u[mr]|[Vv]o[mn]|[Bb](?:is|eim)|[Ss]eit|jede[mnrs]?)\s++\Z"
)
"""German writes a full stop behind an ordinal, and what follows may be a noun: "am 3. Mai", "im 2. Stock"."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Character spans of the sentences of `text`, in order; joined they are the whole text.

    White space after a sentence belongs to it, and so does a marker such as `[3]` behind its full stop. A
    blank line ends a sentence, and so does the start of a list item, a table row or a heading; any other line
    break does not. Linear in the length of the text.
    """
    return [span for start, end in _blocks(text) for span in _spans_in(text, start, end)]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of text that no sentence crosses."""
    start, empty, closed = 0, True, False
    for line in _LINE.finditer(text):
        blank = line.group().isspace()
        if not empty and not blank and (closed or _OWN_LINE.match(text, line.start(), line.end())):
            yield start, line.start()
            start, empty, closed = line.start(), True, False
        empty = empty and blank
        closed = closed or (not empty and blank) or bool(_HEADING.match(text, line.start(), line.end()))
    if start < len(text):
        yield start, len(text)


def _spans_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    sentence = start
    for stop in _STOP.finditer(text, start, end):
        if stop.end() < end and _ends_sentence(text, start, stop):
            yield sentence, stop.end()
            sentence = stop.end()
    if sentence < end:
        yield sentence, end


def _ends_sentence(text: str, block_start: int, stop: re.Match[str]) -> bool:
    marks = stop["stop"]
    if marks[-1] in _WIDE_STOPS:
        return True
    if not stop["space"]:
        return False
    following = _NEXT_WORD.match(text, stop.end())
    next_word = following.group(1) if following else ""
    if next_word[:1].islower():
        return False
    return marks != "." or not (
        _is_abbreviation(text, block_start, stop.start(), next_word)
        or _is_ordinal(text, block_start, stop.start(), next_word)
    )


def _is_abbreviation(text: str, block_start: int, dot: int, next_word: str) -> bool:
    """Whether the full stop at `dot` belongs to the word before it alone."""
    if dot - block_start < 16 and _LIST_NUMBER.fullmatch(text, block_start, dot):
        return True
    word = _WORD_BREAK.split(text[max(block_start, dot - 16) : dot])[-1].casefold()
    if word in _NEVER_LAST:
        return True
    if word in _BEFORE_A_NUMBER:
        return next_word[:1].isdigit()
    if word in _SOMETIMES_LAST or (_DOTTED.fullmatch(word) and not word.isdigit()):
        return next_word.casefold() not in _OPENERS
    return False


def _is_ordinal(text: str, block_start: int, dot: int, next_word: str) -> bool:
    """Whether the full stop at `dot` makes the one or two digits before it an ordinal, as in German."""
    number = _SHORT_NUMBER.search(text, max(block_start, dot - 3), dot)
    if not number:
        return False
    before = text[max(block_start, number.start() - 8) : number.start()]
    return next_word.casefold() in _MONTHS or bool(_BEFORE_AN_ORDINAL.search(before))

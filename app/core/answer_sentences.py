"""The sentences of a finished answer: which sources each is meant to rest on, and whether it claims anything.

Whose marker is it? A sentence rests on the sources it names itself; without any, on those that the next sentence
with a marker in its paragraph names; without that, on none in particular. Blank lines and fences separate
paragraphs, but markers that stand alone belong to the paragraph before them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from app.core.markup.code import Span, code_in
from app.core.sentences import sentence_spans

_MARKER = re.compile(r"\[([0-9]{1,6})\]")
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n\s*+")
_MARKERS_ALONE = re.compile(r"\[[0-9]{1,6}\](?:[^\S\n]*\[[0-9]{1,6}\])*[^\S\n]*(?:\n|\Z)")
_LINE_MARKUP = re.compile(r"^[^\S\n]*(?:>\s?)*(?:#{1,6}\s|[-*+•]\s|[0-9]{1,3}[.)]\s)?", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__")
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;:!?])")
_FENCE = re.compile(r"[\s>*+\-0-9.)]*+(?:```|~~~)[^\n]*\n")

_HEADING = re.compile(r"\s*(?:#{1,6}\s[^\n]*|(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)[:：]?)\s*")
_NO_STATEMENT = re.compile(r"[?？:：][\s*_\"”»)]*\Z")
_ABOUT_THE_SOURCES = re.compile(
    r"\b(?:documents?|sources?|passages?|contexts?|text|excerpts?|provided information)\b[^.]{0,40}?"
    r"\b(?:not|no|cannot|\w{2,8}n['’]t)\b"
    r"|\bI (?:do not|don['’]t|did not|didn['’]t|cannot|can['’]t|could not|couldn['’]t|am unable|was unable)\b"
    r"|\b(?:not|n['’]t) (?:specify|mention)\b"
    r"|\b(?:not|n['’]t) (?:provide|contain|give) (?:any |enough )?(?:specific )?(?:details?|information)\b"
    r"|\bno (?:specific |explicit )?(?:mention|information|details?|evidence)\b"
    r"|\b(?:is|are|was|were)(?: not|n['’]t) (?:\w+ly )?(?:mentioned|specified|stated)\b",
    re.IGNORECASE,
)
_TO_THE_READER = re.compile(
    r"\W*(?:(?:hello|hi|hey|sure|certainly|of course|thanks|thank you|no problem|you(?:['’]re| are) welcome)"
    r"(?: there| everyone)?\W*\Z|(?:(?:please )?(?:let me know|feel free)|I hope|I(?:['’]m| am) sorry"
    r"|if you (?:have|need) (?:any|more|further))\b)",
    re.IGNORECASE,
)


class Sentence(Struct, frozen=True):
    start: int
    end: int
    """Offsets into the answer, without the white space around."""
    cited: tuple[int, ...]
    """The sources it rests on, in order; none when no marker is meant for it."""
    words: str
    """What is to be checked: without markers and Markdown marks. Empty when the sentence claims nothing."""


def read(answer: str) -> list[Sentence]:
    """The sentences of `answer` in order; a fence is one that claims nothing. Linear in the length of the answer."""
    code = code_in(answer)
    sentences: list[Sentence] = []
    at = 0
    for fence in [span for span in code if _FENCE.match(answer, *span)]:
        sentences += _prose(answer, at, fence[0], code)
        sentences.append(Sentence(*fence, (), ""))
        at = fence[1]
    return [*sentences, *_prose(answer, at, len(answer), code)]


def _prose(answer: str, start: int, end: int, code: list[Span]) -> Iterator[Sentence]:
    """The sentences between two fences."""
    ends = (found.end() for found in _BLANK_LINES.finditer(answer, start, end))
    cuts = [start, *(place for place in ends if not _MARKERS_ALONE.match(answer, place)), end]
    for first, last in pairwise(cuts):
        yield from _paragraph(answer, first, last, code)


def _paragraph(answer: str, start: int, end: int, code: list[Span]) -> list[Sentence]:
    """Read backwards: a sentence without a marker takes those of the next one."""
    sentences: list[Sentence] = []
    cited: tuple[int, ...] = ()
    for first, last in reversed(sentence_spans(answer[start:end])):
        text = answer[start + first : start + last]
        if words := text.strip():
            at = start + first + text.index(words[0])
            markers = [
                found for found in _MARKER.finditer(answer, at, at + len(words)) if not _inside(found.start(), code)
            ]
            cited = tuple(dict.fromkeys(int(marker[1]) for marker in markers)) or cited
            sentences.append(Sentence(at, at + len(words), cited, _claim(answer, at, at + len(words), markers)))
    return sentences[::-1]


def _inside(place: int, spans: list[Span]) -> bool:
    before = bisect_right(spans, place, key=lambda span: span[0])
    return before > 0 and place < spans[before - 1][1]


def _claim(answer: str, start: int, end: int, markers: list[re.Match[str]]) -> str:
    """The words of a sentence that can be checked; empty when it says nothing of the matter."""
    pieces: list[str] = []
    for marker in markers:
        pieces.append(answer[start : marker.start()])
        start = marker.end()
    text = "".join([*pieces, answer[start:end]]).strip()
    if _HEADING.fullmatch(text) or _NO_STATEMENT.search(text) or _TO_THE_READER.match(text):
        return ""
    return "" if _ABOUT_THE_SOURCES.search(text) else _plain(text)


def _plain(text: str) -> str:
    words = _EMPHASIS.sub("", _LINE_MARKUP.sub("", text)).replace("|", " ").split()
    return _SPACE_BEFORE_STOP.sub("", " ".join(words))

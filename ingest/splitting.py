"""Blocks that are too large for one passage, taken apart where it hurts least."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from app.core.sentences import sentence_spans
from app.ports import Tokenizer
from ingest.document import Block
from ingest.grouping import Unit, group

CHARACTERS_A_TOKEN = 8
"""At most, on average: some tokenizers take a word of any length for one unknown token."""
_WINDOW = 65_536
"""Characters that are tokenized in one call: a call for each word takes ten times as long."""
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])\s")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"\s*\S+\s*")
_SLICE = range(16, 65)
"""Characters of a slice of a word that is too long to stay whole."""


class Splitter:
    """Makes passages of at most `limit` tokens that fit behind `context`, which is embedded before each of them."""

    def __init__(self, tokenizer: Tokenizer, context: str) -> None:
        self._tokenizer = tokenizer
        self._context = context
        self._limit = tokenizer.max_tokens - tokenizer.count(context)

    def passages(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Blocks stay whole where they fit; neighbours share a passage."""
        units: list[Unit] = []
        for block, tokens in zip(blocks, self._counts([block.text for block in blocks]), strict=True):
            if tokens <= self._limit:
                units.append(Unit(f"{block.text}\n\n", tokens))
            elif parts := self._parts(block):
                # As if each filled its passage: two of them in one would say the head twice.
                units += [Unit(part, self._limit) for part in parts]
            else:
                *finer, last = self._units(_lines_or_items(block), self._limit, _CUTS)
                units += [*finer, Unit(f"{last.text}\n\n", last.tokens)]
        return self._grouped(units, self._limit)

    def _parts(self, block: Block) -> list[str]:
        """A table or code in parts that are whole by themselves; nothing of another block."""
        if block.kind not in ("table", "code"):
            return []
        lines = _lines(block.text)
        fence = _FENCE.match(lines[0]) if block.kind == "code" else None
        if fence is None:
            first = len(_lines(block.head)) if block.head else 2 if block.kind == "table" else 1
            return self._under(_rows(lines[first:]), "".join(lines[:first]))
        foot = fence["marks"]
        opening, *code = lines[:-1] if len(lines) > 1 and _closes(lines[-1], foot) else lines
        if block.head is None:
            return self._under(code[1:], opening + "".join(code[:1]), foot) or self._under(code, opening, foot)
        for head in (block.head, *_lines(block.head)[:1]):
            if parts := self._under(code, opening, foot, head):
                return parts
        return self._under(code, opening, foot)

    def _under(self, lines: Sequence[str], opening: str, foot: str = "", head: str = "") -> list[str]:
        """Parts that begin with `opening`, then `head` if they lack it, and end with `foot`; none where these need
        more than half of a passage."""
        [taken] = self._counts([f"{opening}{head}\n{foot}"])
        room = self._limit - taken
        if room < self._limit // 2:
            return []
        parts = self._grouped(list(self._units(lines, room, _CUTS)), room)
        return [f"{opening}{'' if head.strip() in part else head}{part}\n{foot}".rstrip() for part in parts]

    def _grouped(self, units: Sequence[Unit], limit: int) -> Iterator[str]:
        for together in group(units, limit):
            if self._surely_fits(together):
                yield "".join(unit.text for unit in together).strip("\n").rstrip()
            else:
                yield from self._fitting([unit.text for unit in together])

    def _surely_fits(self, units: Sequence[Unit]) -> bool:
        """Whether the tokens that were counted tell it: no tokenizer joins or takes apart words across white space,
        beyond a token of its own at a seam. Counting again would be the most expensive part of reading."""
        apart = all(unit.text[-1:].isspace() and unit.text.strip() for unit in units)
        return apart and sum(unit.tokens + 1 for unit in units) <= self._limit

    def _fitting(self, texts: Sequence[str]) -> Iterator[str]:
        """A tokenizer may need more tokens for a whole than for its parts: then two parts are made of it."""
        text = "".join(texts).strip("\n").rstrip()
        if not text:
            return
        if self._tokenizer.count(self._context + text) <= self._tokenizer.max_tokens or len(text) == 1:
            yield text
            return
        halves = texts if len(texts) > 1 else text
        yield from self._fitting(list(halves[: len(halves) // 2]))
        yield from self._fitting(list(halves[len(halves) // 2 :]))

    def _units(
        self, texts: Sequence[str], limit: int, cuts: Sequence[Callable[[str], Sequence[str]]]
    ) -> Iterator[Unit]:
        """Each text whole if it fits, else its sentences, a sentence's words, a word's slices."""
        for text, tokens in zip(texts, self._counts(texts), strict=True):
            if tokens <= limit or not cuts:
                yield Unit(text, tokens)
            else:
                yield from self._units(cuts[0](text), limit, cuts[1:])

    def _counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; of one that is too large at first sight, what its characters count for."""
        counts = [-(-len(text) // CHARACTERS_A_TOKEN) for text in texts]
        near = [index for index, count in enumerate(counts) if count <= self._limit]
        for window in _windows([len(texts[index]) for index in near]):
            indices = near[window]
            for index, tokens in zip(indices, self._tokens([texts[index] for index in indices]), strict=True):
                counts[index] = max(counts[index], tokens)
        return counts

    def _tokens(self, texts: Sequence[str]) -> Iterator[int]:
        """Tokens of each text, from one call for all of them."""
        starts = [start for start, _ in self._tokenizer.spans("\n".join(texts))]
        bounds = accumulate((len(text) + 1 for text in texts), initial=0)
        firsts = (bisect_left(starts, bound) for bound in bounds)
        return (following - first for first, following in pairwise(firsts))


def _windows(lengths: Sequence[int]) -> Iterator[slice]:
    """Consecutive slices that hold about _WINDOW characters each."""
    start = size = 0
    for index, length in enumerate(lengths):
        if size + length > _WINDOW and index > start:
            yield slice(start, index)
            start, size = index, 0
        size += length
    if start < len(lengths):
        yield slice(start, len(lengths))


def _lines_or_items(block: Block) -> Sequence[str]:
    match block.kind:
        case "list":
            return _items(_lines(block.text))
        case "table" | "code":
            return _lines(block.text)
    return [block.text]


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _rows(lines: Sequence[str]) -> Sequence[str]:
    """Of a table that is written as a list, or lines."""
    return _items(lines) if lines and _ITEM.match(lines[0]) else lines


def _items(lines: Sequence[str]) -> list[str]:
    """A list's items, each with what is nested in it."""
    margin = len(lines[0]) - len(lines[0].lstrip())
    items: list[str] = []
    for line in lines:
        opens = _ITEM.match(line) and len(line) - len(line.lstrip()) <= margin
        if items and not opens:
            items[-1] += line
        else:
            items.append(line)
    return items


def _closes(line: str, marks: str) -> bool:
    """Whether a line ends the fence that `marks` began."""
    line = line.strip()
    return len(line) >= len(marks) and set(line) == {marks[0]}


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text) or [text]


def _slices(word: str) -> list[str]:
    """Cut where a checksum of the characters before says so, so that an edit moves only the cuts near it."""
    slices, start = [], 0
    for end in range(_SLICE.start, len(word)):
        long_enough = end - start >= _SLICE.start
        if long_enough and (
            end - start >= _SLICE[-1] or zlib.crc32(word[end - 8 : end].encode("utf-8", "replace")) % 32 == 0
        ):
            slices.append(word[start:end])
            start = end
    return [*slices, word[start:]]


_CUTS: Sequence[Callable[[str], Sequence[str]]] = (_sentences, _words, _slices)
"""What a text that is too large is cut into, then what its parts are cut into, and so on."""

"""Blocks that are too large for one passage, taken apart where it hurts least."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

from app.core.sentences import sentence_spans
from app.ports import Tokenizer
from ingest.document import Block
from ingest.grouping import Unit, group

CHARACTERS_A_TOKEN = 8
"""At most, on average: some tokenizers take a word of any length for one unknown token."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])\s")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_WORD = re.compile(r"\s*\S+\s*")
_SLICE = range(16, 65)
"""Characters of a slice of a word that is too long to stay whole."""


class Splitter:
    """Cuts texts into parts of at most `limit` tokens, special tokens not counted."""

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        self._tokenizer = tokenizer
        self._limit = limit

    def parts(self, block: Block) -> Iterable[str]:
        """The block whole if it fits, else parts of it in order; tables and code repeat their head in each."""
        if self._fits(block.text):
            return [block.text]
        lines = block.text.splitlines(keepends=True)
        match block.kind:
            case "list":
                return self.joined(_items(lines))
            case "table":
                return self._under_head(lines[:2], lines[2:], "")
            case "code" if _FENCE.match(lines[0]) and _FENCE.fullmatch(lines[-1].rstrip()):
                return self._under_head(lines[:2], lines[2:-1], lines[-1])
            case "code":
                return self.joined(lines)
        return self.joined([block.text])

    def joined(self, texts: Iterable[str]) -> Iterator[str]:
        """Neighbouring texts put together to parts that fit; a text that is too large is itself taken apart."""
        for together in group([unit for text in texts for unit in self._units(text)], self._limit):
            yield from self._checked(together)

    def _checked(self, together: Sequence[Unit]) -> Iterator[str]:
        """A tokenizer may need more tokens for a whole than for its parts: then two parts are made of it."""
        text = "".join(unit.text for unit in together)
        if len(together) == 1 or self._fits(text):
            if text.strip():
                yield text.strip("\n").rstrip()
            return
        half = len(together) // 2
        yield from self._checked(together[:half])
        yield from self._checked(together[half:])

    def _under_head(self, head: Sequence[str], rows: Sequence[str], foot: str) -> Iterator[str]:
        """Parts that all begin with `head` and end with `foot`, unless those leave little room for rows."""
        room = self._limit - self._count("".join([*head, foot]))
        if room < self._limit // 2:
            yield from self.joined([*head, *rows, foot])
            return
        for part in Splitter(self._tokenizer, room).joined(rows):
            yield "".join([*head, part, "\n", foot]).rstrip()

    def _units(self, text: str) -> Iterator[Unit]:
        """The text whole if it fits, else its sentences, a sentence's words, a word's slices."""
        if self._fits(text):
            yield Unit(text, self._count(text))
            return
        for smaller in (_sentences(text), _words(text), _slices(text)):
            if len(smaller) > 1:
                for each in smaller:
                    yield from self._units(each)
                return
        yield Unit(text, self._count(text))

    def _fits(self, text: str) -> bool:
        # The length first: tokenizing megabytes only to see that they are too many takes seconds.
        return len(text) <= self._limit * CHARACTERS_A_TOKEN and self._count(text) <= self._limit

    def _count(self, text: str) -> int:
        """Tokens, or what so many characters count for."""
        return max(len(self._tokenizer.spans(text)), len(text) // CHARACTERS_A_TOKEN)


def _items(lines: Sequence[str]) -> list[str]:
    """A list's items, each with what is nested in it."""
    items: list[str] = []
    for line in lines:
        if items and not _ITEM.match(line):
            items[-1] += line
        else:
            items.append(line)
    return items


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


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

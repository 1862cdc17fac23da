"""The parts of the sources that can be quoted, and the words that each counts for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct, structs

from app.core.merging import found_in
from app.core.model import Source, Span
from app.core.prompt import neutralise
from app.core.question_words import exact_terms, holds_exactly
from app.core.quotable import Block, blocks

Terms = Callable[[str], Collection[int]]
"""Turns a text into the ids of its words, stemmed and without stop words."""

_MOST_EXACT = 8
"""Identifiers and phrases of a question that are looked for; a question that lists more asks for none in particular."""
_LONGEST_PROCEDURE = 8_000
"""Characters up to which a list that was cut by passages is quoted whole: half of what an answer may have."""
_BETWEEN_PASSAGES = len("\n\n")
"""What stands between two passages of one section in a merged source."""
_THOUSANDS = re.compile(r"(?<=[0-9])[,.](?=[0-9]{3}\b)")
_FIRST_ITEM = re.compile(r"\s*(?:1|[aA])[.)]")


class Part(Struct, eq=False):
    """One sentence, item, row or code block, and where it stands."""

    source: Source
    """One passage; several may have the same number."""
    text: str
    """All of it, neutralised."""
    block: Block
    index: int
    own: frozenset[int]
    terms: frozenset[int]
    """Of the part, its lead and the headings above it."""
    title: frozenset[int]

    @property
    def place(self) -> tuple[int, Span]:
        """Orders parts of one source as they stand in it."""
        start = self.source.passages[0].start if self.source.passages else 0
        return start, self.block.parts[self.index]

    @property
    def words(self) -> str:
        return self.text[slice(*self.block.parts[self.index])]

    @property
    def in_context(self) -> str:
        """With the title, the headings and the lead above it."""
        lead = self.text[slice(*self.block.lead)] if self.block.lead else ""
        return " ".join([self.source.title, *self.source.heading, lead, self.words])


def term_ids(text: str, terms: Terms) -> frozenset[int]:
    """The ids of the words of `text`; 1,500 and 1500 are one."""
    return frozenset(terms(_THOUSANDS.sub("", text)))


def parts_of(sources: Sequence[Source], question: str, terms: Terms) -> list[Part]:
    """All parts of what the search found, source by source, in the order of the text.

    Where some hold an identifier or a quoted phrase of the question letter by letter, its words count for them alone:
    what is said of ERR_1042 tells nothing of ERR_1043.
    """
    parts = [part for source in sources for found in found_in(source) for part in _parts(found, terms)]
    for wanted in exact_terms(question)[:_MOST_EXACT]:
        pieces = term_ids(wanted, terms) - term_ids(question.replace(wanted, " "), terms)
        holding = {part for part in parts if holds_exactly(part.in_context, [wanted])}
        if holding:
            parts = [part if part in holding else _less(part, pieces) for part in parts]
    return parts


def _parts(source: Source, terms: Terms) -> Iterator[Part]:
    text = neutralise(source.text)
    title, headings = term_ids(source.title, terms), term_ids(" ".join(source.heading), terms)
    for block in blocks(text):
        lead = term_ids(text[slice(*block.lead)], terms) if block.lead else frozenset()
        for index, span in enumerate(block.parts):
            own = term_ids(text[slice(*span)], terms)
            yield Part(source, text, block, index, own, own | lead | headings, title)


def _less(part: Part, terms: frozenset[int]) -> Part:
    return structs.replace(part, own=part.own - terms, terms=part.terms - terms, title=part.title - terms)


def with_all_steps(picked: Sequence[Part], parts: Sequence[Part]) -> list[Part]:
    """The picked parts, and the items of their lists that stand in the passages before and after.

    `parts` are all there are, as `parts_of` has them. A list that is too long stays cut.
    """
    steps = [
        step
        for run in _runs(parts)
        if not set(run).isdisjoint(picked) and sum(len(part.words) for part in run) <= _LONGEST_PROCEDURE
        for step in run
    ]
    return list(dict.fromkeys([*picked, *steps]))


def _runs(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The lists among the parts, those in one that passages cut."""
    run: list[Part] = []
    for part in parts:
        if part.block.kind != "list":
            continue
        if run and part.block is not run[-1].block and not _goes_on(run[-1], part):
            yield run
            run = []
        run.append(part)
    if run:
        yield run


def _goes_on(last: Part, first: Part) -> bool:
    """Whether the list of `first`, in the next passage of the section, goes on with that of `last`."""
    if last.source.number != first.source.number or not last.source.passages or not first.source.passages:
        return False
    follows = last.source.passages[0].end + _BETWEEN_PASSAGES == first.source.passages[0].start
    ends = not last.text[last.block.parts[-1][1] :].strip()
    begins = not first.block.lead and not first.text[: first.block.parts[0][0]].strip()
    return follows and ends and begins and not _FIRST_ITEM.match(first.words)

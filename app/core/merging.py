"""Sources out of packed passages and their neighbours: what stands together in a document is one source.

Found passages that follow each other are merged, and with them the one before and the one after each that stand in
its section. Passages that the search found come first: a neighbour only takes what they leave of the budget. On the
pages of Contoso a larger budget holds more of the reference answers with neighbours; from other sections they added
tokens and no more of the answers, and to prefer them to further found passages gained nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from app.core import packing
from app.core.model import Candidate, Passage, Place, Source, SourcePassage
from app.core.repeats import Fingerprint, adds_nothing

_BESIDE = (1, -1)
"""Of a passage: what follows it, then what leads to it."""


def places(chosen: Sequence[Candidate]) -> list[Place]:
    """Where to look for what `merge` needs: the chosen passages, and those beside them."""
    return [
        (candidate.passage.document_id, candidate.passage.position + step)
        for candidate in chosen
        for step in (0, *_BESIDE)
        if candidate.passage.position + step >= 0
    ]


def merge(chosen: Sequence[Candidate], standing: Sequence[Passage], budget_tokens: int) -> tuple[Source, ...]:
    """The chosen candidates as sources, best first, numbered from 1; with their neighbours while `budget_tokens` last.

    `standing` is what stands at `places(chosen)`. A place where two passages stand, or not the one that was found,
    belongs to a document that is being changed: nothing is merged there. A neighbour that repeats what is packed
    already, or is an older version of it, is left out. `budget_tokens` bounds the sum of `packing.prompt_tokens` over
    all that goes in.
    """
    there = _undisputed(standing)
    found = [candidate.passage for candidate in chosen]
    together = {_place(passage): passage for passage in found if there.get(_place(passage)) == passage}
    alone = [[passage] for passage in found if together.get(_place(passage)) != passage]
    together |= {_place(passage): passage for passage in _neighbours(found, together, there, budget_tokens)}
    ranks = {passage.passage_id: rank for rank, passage in enumerate(found)}
    stretches = sorted(
        [*_stretches(together), *alone], key=lambda stretch: min(ranks.get(p.passage_id, len(ranks)) for p in stretch)
    )
    return tuple(_source(number, stretch, chosen) for number, stretch in enumerate(stretches, 1))


def _place(passage: Passage) -> Place:
    return passage.document_id, passage.position


def _undisputed(standing: Sequence[Passage]) -> dict[Place, Passage]:
    """The passages by their places, where no other one stands at the same."""
    held = Counter(map(_place, standing))
    return {_place(passage): passage for passage in standing if held[_place(passage)] == 1}


def _neighbours(
    found: Sequence[Passage], together: Mapping[Place, Passage], there: Mapping[Place, Passage], budget_tokens: int
) -> Iterator[Passage]:
    """What to put beside the best passage, then beside the next, as long as it fits."""
    known = [Fingerprint(passage) for passage in found]
    left = budget_tokens - sum(map(packing.prompt_tokens, found))
    for passage in _beside(together, there):
        cost = packing.prompt_tokens(passage)
        if cost > left:
            continue
        fingerprint = Fingerprint(passage)
        if not adds_nothing(fingerprint, known, asked=frozenset()):
            known.append(fingerprint)
            left -= cost
            yield passage


def _beside(together: Mapping[Place, Passage], there: Mapping[Place, Passage]) -> Iterator[Passage]:
    """What stands beside these in the same section, each passage once."""
    seen = set(together)
    for (document_id, position), passage in together.items():
        for step in _BESIDE:
            place = (document_id, position + step)
            if place in there and place not in seen and there[place].heading == passage.heading:
                seen.add(place)
                yield there[place]


def _stretches(together: Mapping[Place, Passage]) -> list[list[Passage]]:
    """The passages in runs that follow each other in one document."""
    stretches: list[list[Passage]] = []
    for document_id, position in sorted(together):
        if (document_id, position - 1) not in together:
            stretches.append([])
        stretches[-1].append(together[document_id, position])
    return stretches


def _source(number: int, stretch: Sequence[Passage], chosen: Sequence[Candidate]) -> Source:
    ids = {passage.passage_id for passage in stretch}
    hits = [candidate for candidate in chosen if candidate.passage.passage_id in ids]
    if len(stretch) == 1:
        return packing.source(number, hits[0])
    best = hits[0].passage
    text, passages = _joined(stretch, best.heading, {hit.passage.passage_id: hit.score for hit in hits})
    merged = packing.source(number, structs.replace(hits[0], passage=structs.replace(best, text=text)))
    pages = [passage.page for passage in stretch if passage.page is not None]
    return structs.replace(merged, passages=passages, pages=(min(pages), max(pages)) if pages else None)


def found_in(source: Source) -> list[Source]:
    """The passages of a source that the search found, each by itself with its own score, under the same number."""
    if not source.passages:
        return [source]
    return [
        structs.replace(
            source,
            passage_id=each.passage_id,
            heading=each.heading,
            page=each.page,
            score=each.score,
            text=source.text[each.start : each.end],
            passages=(each,),
            pages=None,
        )
        for each in source.passages
        if each.score is not None
    ]


def _joined(
    stretch: Sequence[Passage], heading: tuple[str, ...], scores: Mapping[str, float]
) -> tuple[str, tuple[SourcePassage, ...]]:
    """The texts one after the other, and where each stands.

    A heading line tells where another section begins: another one than before, or at the start than `heading`.
    """
    text, passages = "", []
    for passage in stretch:
        text += "\n\n" if text else ""
        if passage.heading != heading:
            text += f"## {' / '.join(' '.join(name.split()) for name in passage.heading)}\n\n"
            heading = passage.heading
        passages.append(
            SourcePassage(
                passage_id=passage.passage_id,
                heading=passage.heading,
                page=passage.page,
                start=len(text),
                end=len(text) + len(passage.text),
                score=scores.get(passage.passage_id),
            )
        )
        text += passage.text
    return text, tuple(passages)

"""Which passages become one source, and what that source says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.core import merging
from app.core.merging import found_in, merge, places
from app.core.model import Candidate, Passage, Source
from app.core.packing import prompt_tokens, source

ROOMY = 100_000


def passage(position: int, text: str | None = None, **fields: object) -> Passage:
    document_id = fields.get("document_id", "a.md")
    values = {
        "passage_id": f"{document_id} {position} {text or ''}",
        "document_id": document_id,
        "content_hash": f"{document_id} {position} {text}",
        "position": position,
        "title": "Leave",
        "heading": ("Annual",),
        "text": text or f"Passage {position} of {document_id}.",
        **fields,
    }
    return Passage(**values)  # type: ignore[arg-type]


def found(passage: Passage, score: float = 0.5) -> Candidate:
    return Candidate(passage, score)


def texts(sources: Sequence[Source]) -> list[str]:
    return [source.text for source in sources]


DOCUMENT = [passage(position) for position in range(6)]


def test_a_passage_brings_the_ones_beside_it_in_their_order() -> None:
    (merged,) = merge([found(DOCUMENT[2], 0.7)], DOCUMENT, ROOMY)
    assert merged.text == "Passage 1 of a.md.\n\nPassage 2 of a.md.\n\nPassage 3 of a.md."
    assert (merged.number, merged.passage_id, merged.score) == (1, DOCUMENT[2].passage_id, 0.7)
    assert [each.passage_id for each in merged.passages] == [each.passage_id for each in DOCUMENT[1:4]]
    assert [each.score for each in merged.passages] == [None, 0.7, None]
    assert [merged.text[each.start : each.end] for each in merged.passages] == [each.text for each in DOCUMENT[1:4]]


def test_found_passages_that_follow_each_other_become_one_source_with_the_place_of_the_better() -> None:
    other = passage(0, document_id="b.md", heading=("Other",))
    sources = merge([found(DOCUMENT[3], 0.8), found(other, 0.7), found(DOCUMENT[2], 0.6)], [*DOCUMENT[2:4], other], 0)
    assert texts(sources) == ["Passage 2 of a.md.\n\nPassage 3 of a.md.", "Passage 0 of b.md."]
    assert (sources[0].passage_id, sources[0].score) == (DOCUMENT[3].passage_id, 0.8)
    assert [each.score for each in sources[0].passages] == [0.6, 0.8]
    assert sources[1] == source(2, found(other, 0.7))


def test_a_passage_between_two_found_ones_joins_them() -> None:
    (merged,) = merge([found(DOCUMENT[1]), found(DOCUMENT[3])], DOCUMENT[:5], ROOMY)
    assert [each.passage_id for each in merged.passages] == [each.passage_id for each in DOCUMENT[:5]]


def test_a_neighbour_takes_only_what_the_found_ones_leave_and_the_next_one_goes_first() -> None:
    chosen = [found(DOCUMENT[1]), found(DOCUMENT[4])]
    taken = sum(prompt_tokens(candidate.passage) for candidate in chosen)
    assert texts(merge(chosen, DOCUMENT, taken)) == [DOCUMENT[1].text, DOCUMENT[4].text]
    one_more = taken + prompt_tokens(DOCUMENT[2])
    assert texts(merge(chosen, DOCUMENT, one_more)) == ["Passage 1 of a.md.\n\nPassage 2 of a.md.", DOCUMENT[4].text]


def test_a_neighbour_of_another_section_stays_out_but_a_found_one_comes_with_its_heading() -> None:
    carry = passage(1, heading=("Carry-over", "To\nMarch"))
    beside = [passage(0), carry, passage(2, heading=("Carry-over", "To\nMarch"))]
    assert texts(merge([found(beside[0])], beside, ROOMY)) == ["Passage 0 of a.md."]
    (merged,) = merge([found(carry, 0.6), found(beside[0], 0.5)], beside[:2], ROOMY)
    assert merged.text == "## Annual\n\nPassage 0 of a.md.\n\n## Carry-over / To March\n\nPassage 1 of a.md."
    assert merged.heading == carry.heading
    assert [merged.text[each.start : each.end] for each in merged.passages] == [each.text for each in beside[:2]]


def test_the_pages_are_the_first_and_the_last() -> None:
    pages = [passage(0, page=4), passage(1, page=4), passage(2, page=5), passage(3)]
    (merged,) = merge([found(pages[1])], pages[:3], ROOMY)
    assert (merged.page, merged.pages) == (4, (4, 5))
    assert merge([found(DOCUMENT[0])], DOCUMENT[:2], ROOMY)[0].pages is None
    assert merge([found(pages[1])], pages[1:2], ROOMY)[0].pages is None


def test_the_images_of_a_merged_text_are_all_of_it() -> None:
    picture = passage(1, "See ![plan](https://a.example/plan.png).")
    (merged,) = merge([found(passage(0))], [passage(0), picture], ROOMY)
    assert merged.images == ("https://a.example/plan.png",)


def test_a_neighbour_that_repeats_what_is_packed_stays_out() -> None:
    twin = passage(0, "Passage 1 of a.md.", document_id="b.md")
    beside = passage(1, document_id="b.md")
    sources = merge([found(beside, 0.9), found(DOCUMENT[1], 0.5)], [twin, beside, DOCUMENT[1]], ROOMY)
    assert texts(sources) == ["Passage 1 of b.md.", "Passage 1 of a.md."]


def test_without_what_stands_there_each_passage_is_a_source_by_itself() -> None:
    chosen = [found(DOCUMENT[2], 0.7), found(DOCUMENT[3], 0.6)]
    assert merge(chosen, [], ROOMY) == (source(1, chosen[0]), source(2, chosen[1]))


def test_nothing_is_merged_where_two_versions_of_a_document_stand() -> None:
    newer = passage(3, "A newer version.")
    standing = [*DOCUMENT[1:4], newer]
    assert texts(merge([found(DOCUMENT[2])], standing, ROOMY)) == ["Passage 1 of a.md.\n\nPassage 2 of a.md."]
    both = merge([found(newer, 0.8), found(DOCUMENT[3], 0.7)], standing, ROOMY)
    assert both == (source(1, found(newer, 0.8)), source(2, found(DOCUMENT[3], 0.7)))
    assert texts(merge([found(newer)], DOCUMENT, ROOMY)) == ["A newer version."]


def test_the_places_are_those_of_the_passages_and_beside_them() -> None:
    assert places([found(DOCUMENT[0]), found(passage(4, document_id="b.md"))]) == [
        ("a.md", 0),
        ("a.md", 1),
        ("b.md", 4),
        ("b.md", 5),
        ("b.md", 3),
    ]


def test_what_was_found_can_be_had_back_each_passage_with_its_own_score() -> None:
    plain = source(3, found(DOCUMENT[0]))
    assert found_in(plain) == [plain]
    (merged,) = merge([found(DOCUMENT[3], 0.8), found(DOCUMENT[2], 0.6)], DOCUMENT, ROOMY)
    apart = [(each.number, each.passage_id, each.score, each.text) for each in found_in(merged)]
    assert apart == [(1, DOCUMENT[n].passage_id, score, DOCUMENT[n].text) for n, score in ((2, 0.6), (3, 0.8))]


@st.composite
def indexes(draw: st.DrawFn) -> tuple[list[Candidate], list[Passage]]:
    """Documents of which some passages were found, some of them by an older version, and what stands there now."""
    sections = st.sampled_from([("A",), ("B",), ()])
    documents = [
        [passage(n, document_id=name, heading=draw(sections), page=draw(st.none() | st.just(n))) for n in range(8)]
        for name in ("a.md", "b.md")
    ]
    stored = [each for document in documents for each in document]
    older = [passage(each.position, "old", document_id=each.document_id) for each in stored[:3]]
    hits = draw(st.lists(st.sampled_from(stored + older), unique_by=lambda each: each.passage_id, max_size=8))
    chosen = [found(each, 0.9 - rank / 100) for rank, each in enumerate(hits)]
    wanted = set(places(chosen))
    standing = [
        each for each in stored + draw(st.sampled_from([[], older])) if (each.document_id, each.position) in wanted
    ]
    return chosen, draw(st.permutations(standing))


@given(indexes(), st.integers(0, 900))
def test_every_found_passage_is_in_one_source_and_what_is_merged_follows_each_other(
    index: tuple[list[Candidate], list[Passage]], more: int
) -> None:
    chosen, standing = index
    budget = sum(prompt_tokens(candidate.passage) for candidate in chosen) + more
    sources = merge(chosen, standing, budget)
    known = {each.passage_id: each for each in [*standing, *(candidate.passage for candidate in chosen)]}
    packed = [[each.passage_id for each in source.passages] or [source.passage_id] for source in sources]
    flat = [each for ids in packed for each in ids]
    assert len(flat) == len(set(flat))
    assert {candidate.passage.passage_id for candidate in chosen} <= set(flat)
    assert sum(prompt_tokens(known[each]) for each in flat) <= budget
    assert [source.number for source in sources] == list(range(1, len(sources) + 1))
    for ids in packed:
        together = [known[each] for each in ids]
        assert {each.document_id for each in together} == {together[0].document_id}
        assert all(after.position == before.position + 1 for before, after in pairwise(together))
    best = [min(rank for rank, c in enumerate(chosen) if c.passage.passage_id in ids) for ids in packed]
    assert best == sorted(best)
    assert [source.passage_id for source in sources] == [chosen[rank].passage.passage_id for rank in best]
    for source_ in sources:
        assert all(source_.text[each.start : each.end] == known[each.passage_id].text for each in source_.passages)
        again = [each.passage_id for each in merging.found_in(source_)]
        assert set(again) == {c.passage.passage_id for c in chosen} & set(packed[source_.number - 1])

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.catalogue import MAX_LISTED, choose, compose, sources
from app.core.citations import CitationFilter
from app.core.links import packed_links
from app.core.model import Candidate
from app.core.records import DocumentRecord
from app.writing import MAX_ANSWER_LENGTH
from tests.core.test_titles import NASTY
from tests.stores import document, passage

THRESHOLD = 0.4


def found(document_id: str, score: float, position: int = 0) -> Candidate:
    return Candidate(passage(document_id, position, heading=("H",), page=3, text=f"text {position}"), score)


def chosen(records: list[DocumentRecord], candidates: list[Candidate], topic: str) -> list[str]:
    return [entry.record.document_id for entry in choose(records, candidates, topic, THRESHOLD)]


def listing(*records: DocumentRecord, more: int = 0, certain: bool = True) -> str:
    return compose(sources(choose(records, [], "", THRESHOLD)), more, certain=certain)


def test_a_document_is_listed_for_its_best_passage_best_document_first() -> None:
    candidates = [found("b.md", 0.6), found("a.md", 0.5), found("b.md", 0.9, 1), found("c.md", 0.39)]
    records = [document(name) for name in ("a.md", "b.md", "c.md", "d.md")]
    assert chosen(records, candidates, "leave") == ["b.md", "a.md"]
    assert chosen(records, [found("a.md", THRESHOLD)], "leave") == ["a.md"]


@pytest.mark.parametrize(
    ("title", "topic", "listed"),
    [
        ("On-call: the rules", "rules of on-call", False),
        ("The rules of On-Call", "on-call rules", True),
        ("Refund", "refunds", True),
        ("Refunds", "refund", True),
        ("Leaves of absence", "leave", True),
        ("Incident runbook", "incidents in March", False),
        ("Büro Bremen", "büro bremen", True),
        ("Anything", "???", False),
        ("Was", "s", False),
    ],
)
def test_a_title_that_holds_every_word_of_the_topic_is_enough(title: str, topic: str, listed: bool) -> None:
    assert chosen([document("a.md", title=title)], [], topic) == (["a.md"] if listed else [])


def test_an_untitled_document_goes_by_its_id() -> None:
    nameless = document("people/hiring.md", title=" ")
    assert chosen([nameless], [], "hiring") == ["people/hiring.md"]
    assert listing(nameless) == "- people/hiring.md [1]"


def test_without_a_topic_all_are_listed_by_title() -> None:
    records = [document("1", title="beta"), document("3", title="Alpha"), document("2", title="alpha")]
    assert chosen(records, [], "") == ["2", "3", "1"]


def test_only_what_has_a_record_is_listed() -> None:
    assert chosen([], [found("a.md", 0.9)], "leave") == []


def test_a_source_is_the_best_passage_under_the_name_of_its_record() -> None:
    record = document("a.md", title="A", url="https://x.example/a", updated_at="2026-01-02")
    best = found("a.md", 0.8, 1)
    (source,) = sources(choose([record], [found("a.md", 0.5), best], "leave", THRESHOLD))
    assert (source.number, source.document_id, source.passage_id) == (1, "a.md", best.passage.passage_id)
    assert (source.title, source.url, source.updated_at) == ("A", "https://x.example/a", "2026-01-02")
    assert (source.heading, source.page, source.text, source.score) == (("H",), 3, "text 1", 0.8)


def test_a_source_without_a_passage_is_the_record() -> None:
    one, other = sources(choose([document("a.md"), document("b.md")], [], "", THRESHOLD))
    assert (one.heading, one.page, one.text, one.score) == ((), None, "", 0.0)
    assert one.passage_id != other.passage_id


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x.example/a_b?c=d#e", ": https://x.example/a_b?c=d#e"),
        ("http://x.example/(a)", ": http://x.example/(a)"),
        (None, ""),
        ("https://x.example/[9]", ""),
        ("https://x.example/%5B9%5D", ""),
        ("https://x.example/a b", ""),
        ("https://x.example/`", ""),
        ("https://x.example/<source>", ""),
        ("https://x.example/büro", ""),
        ("https://x.example/\n", ""),
        ("javascript:alert(1)", ""),
        ("https://x.example/" + "a" * 200, ""),
    ],
)
def test_an_address_is_shown_when_it_is_nothing_else(url: str | None, shown: str) -> None:
    assert listing(document("a.md", title="A", url=url)) == f"- A{shown} [1]"


def test_a_long_title_is_cut() -> None:
    assert listing(document("a.md", title="word " * 50)) == f"- {'word ' * 19}word… [1]"


def test_the_last_line_says_how_many_more_there_are() -> None:
    a = document("a.md", title="A")
    assert listing(a) == "- A [1]"
    assert listing(a, more=12) == "- A [1]\n\n… and 12 more in the index"
    assert listing(a, more=12, certain=False) == "- A [1]\n\n… and at least 12 more in the index"
    assert listing(a, certain=False) == "- A [1]\n\n… and perhaps more in the index"


@given(st.lists(st.tuples(st.text(max_size=30) | NASTY, st.none() | NASTY), min_size=1, max_size=8), st.booleans())
def test_the_citation_filter_lets_every_list_through_whole(
    documents: list[tuple[str, str | None]], certain: bool
) -> None:
    records = [
        document(f"{n}.md", title=title, url=url and f"https://{url}") for n, (title, url) in enumerate(documents)
    ]
    text = listing(*records, more=3, certain=certain)
    listed = sources(choose(records, [], "", THRESHOLD))
    citations = CitationFilter(len(records), links=packed_links(listed))
    assert citations.feed(text) + citations.flush() == text
    assert (citations.valid, citations.dropped) == (set(range(1, len(records) + 1)), [])


@pytest.mark.parametrize("title", ["Sources", "References:", "7. Sources", "参考文献"])
def test_a_document_named_like_a_list_of_sources_takes_no_line_along(title: str) -> None:
    records = [document("0.md", title=title), document("1.md", title="Zebras", url="https://x.example/a")]
    text = listing(*records)
    citations = CitationFilter(2, links=packed_links(sources(choose(records, [], "", THRESHOLD))))
    assert citations.feed(text) + citations.flush() == text
    assert citations.valid == {1, 2}


@pytest.mark.parametrize("character", ["*", "【", "a", "`", "\U0001f600"])
def test_the_longest_list_is_no_longer_than_an_answer_may_be(character: str) -> None:
    url = "https://x.example/" + "a" * 142
    records = [document(f"{n}.md", title=character * 500, url=url) for n in range(MAX_LISTED)]
    assert len(listing(*records, more=10**6, certain=False)) <= MAX_ANSWER_LENGTH

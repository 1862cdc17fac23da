from __future__ import annotations

import re
from itertools import groupby

import pytest

from app.core.citations import CitationFilter
from app.core.markup.grammar_table import GRAMMAR, MARKERS
from tests.core.citing import SOURCES, filtered, outcome


@pytest.mark.parametrize("row", GRAMMAR, ids=lambda row: row.what)
def test_the_table_says_what_leaves(row: tuple[str, str, str]) -> None:
    _, written, leaves = row
    assert outcome([written])[0] == leaves
    assert outcome(list(written))[0] == leaves


@pytest.mark.parametrize("source_count", [0, 1, 2])
@pytest.mark.parametrize("row", MARKERS, ids=lambda row: row.what)
def test_with_fewer_sources_fewer_markers_leave(row: tuple[str, str, str], source_count: int) -> None:
    _, written, leaves = row
    citations = CitationFilter(source_count)
    output = citations.feed(written) + citations.flush()
    expected = [number for number in re.findall(r"\[(\d)\]", leaves) if int(number) <= source_count]
    assert [number for number, _ in groupby(re.findall(r"\[(.*?)\]", output))] == [n for n, _ in groupby(expected)]
    assert not set("【】〔〕［］\ue200\ue201†") & set(output)


@pytest.mark.parametrize("row", GRAMMAR, ids=lambda row: row.what)
def test_what_leaves_by_the_table_passes_unchanged(row: tuple[str, str, str]) -> None:
    assert filtered(row[2]) == row[2]


@pytest.mark.parametrize(
    ("written", "dropped", "forms"),
    [
        ("[9]", ["[9]"], ["number"]),
        ("[009]", ["[9]"], ["number"]),
        ("[1, 9]", ["[9]"], ["list"]),
        ("[2-9]", ["[4-9]"], ["range"]),
        ("[0-4]", ["[0]", "[4]"], ["range", "range"]),
        ("[4-2]", ["[4-2]"], ["range"]),
        ("[Source 9]", ["[9]"], ["word"]),
        ("【9†source】", ["[9]"], ["dagger"]),
        ("【4:0†source】", ["【4:0†source】"], ["foreign"]),
        ("[[9]]", ["[9]"], ["number"]),
        ("a [9", ["[9"], ["unfinished"]),
        ("[9](https://e.example)", ["[9]"], ["number"]),
        ("`[9]`", [], []),
        ("[1] [sic]", [], []),
    ],
)
def test_what_is_dropped_is_reported_with_its_form(written: str, dropped: list[str], forms: list[str]) -> None:
    citations = CitationFilter(SOURCES)
    citations.feed(written)
    citations.flush()
    assert (citations.dropped, citations.dropped_forms) == (dropped, forms)

"""Plain text: paragraphs, lists and underlined headings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.document import Block
from ingest.readers import text


def blocks(source: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.heading) for block in text.parse(source).blocks]


def test_blank_lines_part_paragraphs() -> None:
    assert blocks("One\ntwo.\n\n \t\n\nThree.\n \nFour.\n\n") == [("One\ntwo.", ()), ("Three.", ()), ("Four.", ())]


def test_underlined_lines_are_headings() -> None:
    source = "TRAVEL\n======\n\nBook early.\n\nTrains\n------\nSecond class.\n\nHOTELS\n======\nCheap.\n"
    assert blocks(source) == [
        ("Book early.", ("TRAVEL",)),
        ("Second class.", ("TRAVEL", "Trains")),
        ("Cheap.", ("HOTELS",)),
    ]
    assert text.parse(source).title == "TRAVEL"


def test_a_heading_with_nothing_under_it_is_text() -> None:
    source = "A\n===\n\nB\n---\n\nC\n---\n\nText.\n\nD\n---\n"
    assert blocks(source) == [("B", ("A",)), ("Text.", ("A", "C")), ("D", ("A",))]


def test_without_headings_there_is_no_title() -> None:
    assert text.parse("First line\n\nSecond.").title == ""
    assert text.parse("Sub\n---\nText.").title == ""


def test_rules_and_short_dashes_are_text() -> None:
    assert blocks("-----\n\nName\n--\n\n\u00a0\n\n=====") == [("-----", ()), ("Name\n--", ()), ("=====", ())]


def test_lists_are_told_from_paragraphs() -> None:
    kinds = [block.kind for block in text.parse("- a\n- b\n\n 1) a\n\n• a\n\n2026 was good.\n\n-5 degrees").blocks]
    assert kinds == ["list", "list", "list", "paragraph", "paragraph"]


def test_indentation_is_kept() -> None:
    assert text.parse("  indented\n    more  \n\nx").blocks[0] == Block("  indented\n    more")


@given(st.text(st.sampled_from("ab1 \n\t=-.•\u00a0é中😀")))
def test_every_character_but_underlines_is_in_some_block_in_order(source: str) -> None:
    said = "".join(block.text for block in text.parse(source).blocks)
    headings = "".join("".join(block.heading) for block in text.parse(source).blocks)
    kept = "".join((said + headings).split())
    for character in "ab1.•é中😀":
        assert source.count(character) <= kept.count(character)

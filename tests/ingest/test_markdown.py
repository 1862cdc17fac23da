"""Markdown: what is a block, what stands under which heading, and what is hidden."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.document import Block
from ingest.readers import markdown

Said = list[tuple[str, tuple[str, ...]]]


def blocks(source: str) -> Said:
    return [(block.text, block.heading) for block in markdown.parse(source).blocks]


def kinds(source: str) -> list[str]:
    return [block.kind for block in markdown.parse(source).blocks]


def text(source: str) -> str:
    return "\n\n".join(block.text for block in markdown.parse(source).blocks)


def test_blocks_stand_under_the_headings_above_them() -> None:
    source = "Before.\n\n# A\n\none\n\n### B\ntwo\n## C ##\nthree\n\n# D\nfour\n"
    assert blocks(source) == [
        ("Before.", ()),
        ("one", ("A",)),
        ("two", ("A", "B")),
        ("three", ("A", "C")),
        ("four", ("D",)),
    ]


def test_setext_headings_of_one_line_and_of_many() -> None:
    assert blocks("A\n===\none\n\nB and\n**more**\n---\ntwo") == [("one", ("A",)), ("two", ("A", "B and more"))]


def test_sections_of_the_same_name_are_told_apart() -> None:
    first, second = markdown.parse("# Notes\none\n# Notes\ntwo").blocks
    assert (first.heading, second.heading) == (("Notes",), ("Notes",))
    assert first.section != second.section


def test_a_heading_with_nothing_under_it_is_text_of_its_parent() -> None:
    source = "# A\n## B\n## C\ntext\n### D\n# E\n"
    assert blocks(source) == [("## B", ("A",)), ("text", ("A", "C")), ("### D", ("A", "C")), ("# E", ())]


def test_a_heading_is_its_text_without_markup() -> None:
    source = "# The *big* `x[0]` \\[1\\] &amp; **A**\ntext"
    assert blocks(source) == [("text", ("The big x[0] [1] & A",))]


def test_a_heading_with_more_than_text_is_text_as_well() -> None:
    source = "# See [the form](https://example.org/form)\ntext\n\n## ![logo](logo.png)\n"
    assert blocks(source) == [
        ("# See [the form](https://example.org/form)", ("See the form",)),
        ("text", ("See the form",)),
        ("## ![logo](logo.png)", ("See the form", "logo")),
    ]


def test_an_empty_heading_has_no_name_and_is_no_text() -> None:
    assert blocks("# A\n##\ntext\n#\nmore\n#") == [("text", ("A",)), ("more", ())]


def test_the_title_is_that_of_the_front_matter_else_the_first_heading_of_level_one() -> None:
    assert markdown.parse("---\ntitle: T\n---\n# A").title == "T"
    assert markdown.parse("## Sub\n\n# A\n\n# B").title == "A"
    assert markdown.parse("## Sub\n\ntext").title == ""


def test_kinds_of_blocks() -> None:
    source = (
        "para\n\n- a\n\n1. b\n\n```\nc\n```\n\n    d\n\n| a |\n|---|\n| b |\n\n> e\n\n<div>f</div>\n\n***\n\n[g]: /h\n"
    )
    assert kinds(source) == ["paragraph", "list", "list", "code", "code", "table", "other", "other", "other"]


def test_nested_lists_code_and_quotes_stay_with_their_item() -> None:
    item = "- a\n  - b\n\n    more\n\n    ```\n    c\n\n    d\n    ```\n  > e\n  # no heading\n- f"
    assert blocks(f"# A\n{item}\n\nAfter.") == [(item, ("A",)), ("After.", ("A",))]


def test_headings_inside_lists_and_quotes_are_no_boundaries() -> None:
    source = "# A\n\n> # B\n> text\n\n1. # C\n\n   text\n\nAfter."
    assert {heading for _, heading in blocks(source)} == {("A",)}
    assert markdown.parse("> # B\n").title == ""


def test_headings_inside_code_and_comments_are_none() -> None:
    assert blocks("# A\n\n```sh\n# no\n```\n\n<!--\n# no\n-->\n\n    # no\n") == [
        ("```sh\n# no\n```", ("A",)),
        ("    # no", ("A",)),
    ]


def test_link_definitions_are_kept() -> None:
    source = "See [a].\n\n[a]: /one\n[b]:\n  /two\n  'title'\n\nAfter.\n\n[c]: /three"
    assert [said for said, _ in blocks(source)] == [
        "See [a].",
        "[a]: /one\n[b]:\n  /two\n  'title'",
        "After.",
        "[c]: /three",
    ]


def test_a_heading_may_use_a_link_defined_below() -> None:
    assert blocks("# See [x]\n\ntext\n\n[x]: /u")[1] == ("text", ("See x",))


def test_liquid_raw_html_and_footnotes_are_kept_as_they_stand() -> None:
    source = (
        "{% include a.html b='c' %}\n\n<table><tr><td>1 &lt; 2</td></tr></table>\n\nA note.[^1]\n\n[^1]: {{ site.url }}"
    )
    assert text(source) == source


def test_spaces_that_do_not_break_are_no_indentation() -> None:
    assert blocks("#\u00a0A\n\n\u00a0\n\n\u00a0\u00a0\u00a0\u00a0text\u00a0") == [
        ("#\u00a0A", ()),
        ("\u00a0\u00a0\u00a0\u00a0text", ()),
    ]


MARKS = (
    *("# ", "## ", "\n", "\n\n", "- ", "1. ", "  ", "    ", "> ", "`", "```\n", "| a | b |\n", "|---|---|\n", "***\n"),
    *("===", "---\n", "[a]: /u\n", "[x](y)", "<div>", "*", "_", "\\", "word", "中文", "عربي", "😀", "é", "\u00a0"),
)
MARKUP = st.lists(st.sampled_from(MARKS), max_size=30).map("".join)


@given(MARKUP)
def test_every_letter_of_the_source_is_in_some_block_or_heading_in_order(source: str) -> None:
    letters = iter("".join(character for character in source if character.isalnum()))
    document = markdown.parse("\\\n" + source)  # no front matter
    section = 0
    said = []
    for block in document.blocks:
        said += [*block.heading, block.text] if block.section != section else [block.text]
        section = block.section
    everything = iter("".join(said))
    assert all(letter in everything for letter in letters)


@given(MARKUP)
def test_reading_twice_gives_the_same(source: str) -> None:
    assert markdown.parse("a" + source) == markdown.parse("a" + source)


HOSTILE = {
    "quotes in quotes": ">" * 10_000 + " a",
    "lists in lists": "- " * 10_000 + "a",
    "a staircase of lists": "".join(" " * depth + "- a\n" for depth in range(1_000)),
    "a line of stars": "a" + "*" * 100_000,
    "stars that open": "*a " * 100_000,
    "a heading of stars": "# " + "*a" * 50_000,
    "brackets": "[" * 100_000,
    "images": "![](" * 50_000,
    "ticks": "`" * 100_000,
    "ticks of every length": " ".join("`" * length for length in range(1, 500)) + " <!-- -->",
    "comments that never close": "a <!-- " * 50_000,
    "ticks and comments": "a ` <!-- " * 50_000,
    "entities": "&" * 100_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_is_read_in_linear_time(source: str) -> None:
    started = time.process_time()
    document = markdown.parse(source)
    assert time.process_time() - started < 15
    assert sum(len(block.text) for block in document.blocks) >= len(source.replace("<!-- -->", "")) - 1


MANY = {
    "items": "- item\n",
    "loose items": "- item\n\n",
    "headings": "# heading\n",
    "rows": "| a | b |\n",
    "paragraphs": "paragraph\n\n",
    "definitions": "[a]: /u\n",
    "quotes": "> quote\n",
    "comments": "a <!-- b -->\n\n",
}


@pytest.mark.parametrize("line", MANY.values(), ids=MANY)
def test_ten_times_as_many_lines_take_about_ten_times_as_long(line: str) -> None:
    head = "| a | b |\n|---|---|\n" if line.startswith("|") else ""

    def seconds(lines: int) -> float:
        started = time.process_time()
        markdown.parse(head + line * lines)
        return time.process_time() - started

    few = max(min(seconds(1_000), seconds(1_000)), 0.02)
    assert min(seconds(10_000), seconds(10_000)) < 80 * few  # a hundred times, were it quadratic


def test_blocks_are_blocks() -> None:
    assert markdown.parse("# A\n\ntext").blocks == (Block("text", ("A",), "paragraph", section=1),)

from __future__ import annotations

import html
import re
from itertools import groupby

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.markup.grammar_table import GRAMMAR, MARKERS
from app.core.markup.lexemes import CLOSING, OPENING
from tests.core.citing import SOURCES, filtered, markers_seen, outcome

rows = st.sampled_from([row.written for row in GRAMMAR])
tokens = st.sampled_from(
    ["[1]", "[2]", "[9]", "[01]", "[[9]", "]", "[", "12", "3", "9", " ", "a", ". ", ", ", "(", ")", "*", "**", "_", "!"]
)
code_marks = st.sampled_from(["`", "``", "```", "~~~", "````", "\\", "py"])
block_marks = st.sampled_from(["> ", "- ", "1. ", "2) ", "   ", "    ", "\t", "# ", "---", "===", "|", "|-|\n", ": "])
line_ends = st.sampled_from(["\n", "\n\n", "\r\n", "\r"])
markup = st.sampled_from(["<", ">", "<b>", "</b>", "<a href=x>", "<div>", "<!--", "-->", "&#91;", "&#93;", "&", ";"])
links = st.sampled_from(["](", "](x)", "](https://e.example)", "![", "https://", "www.", "e.example", "[a]: ", "//"])
others = st.sampled_from(
    ["【", "】", "†", "\ue200", "\ue201", "\u200b", "¹", "٣", "–", "-", ";", "and", "Source", "^", "#"]
)
markdown = st.lists(
    st.one_of(tokens, tokens, code_marks, block_marks, line_ends, markup, links, others, rows), max_size=30
).map("".join)
any_text = st.one_of(markdown, st.text(max_size=60), st.text("[]`~\\ \n>-#.019a", max_size=80))


@st.composite
def split_texts(draw: st.DrawFn) -> list[str]:
    text = draw(any_text)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=800, deadline=None)
@given(split_texts())
def test_a_split_of_the_input_changes_nothing(pieces: list[str]) -> None:
    whole = outcome(["".join(pieces)])
    assert outcome(pieces) == whole
    assert outcome(list("".join(pieces))) == whole


@settings(max_examples=800, deadline=None)
@given(any_text)
def test_a_reader_sees_no_marker_but_those_of_packed_sources(text: str) -> None:
    assert markers_seen(filtered(text)) <= {"[1]", "[2]", "[3]"}


@settings(max_examples=800, deadline=None)
@given(any_text)
def test_what_leaves_passes_unchanged(text: str) -> None:
    once = filtered(text)
    again, _, dropped, _ = outcome([once])
    assert dropped == []
    assert again == once


BRACKET_OR_URL = re.compile(f"[{re.escape(OPENING + CLOSING)}\ue200\ue201]|://|www[.]", re.IGNORECASE)
plain_text = st.one_of(
    st.text(),
    st.text("ab<>/!?=&;#x91\"' \n\r\t-*_`~|:.,()w\\", max_size=60),
    st.lists(st.sampled_from(["<", "<b", "</", "<!", "<?", ">", "&", "amp;", "lt;", "- ", "> ", "\n", "a", " "])).map(
        "".join
    ),
)


@settings(max_examples=800, deadline=None)
@given(plain_text.filter(lambda text: not BRACKET_OR_URL.search(html.unescape(text))))
def test_what_is_no_bracket_url_or_html_to_commonmark_passes_unchanged(text: str) -> None:
    """Entities stay too, those of brackets aside. In indented code, which is text here, HTML is found besides."""
    tokens = MarkdownIt("commonmark").parse(text)
    kinds = {child.type for token in tokens for child in (token, *(token.children or []))}
    assume(not kinds & {"html_block", "html_inline", "link_open", "code_block"})
    assert filtered(text) == text


@given(st.lists(st.tuples(st.text("abc .,\n", max_size=8), st.integers(0, 12), st.integers(0, 2))))
def test_valid_markers_are_kept_in_order_and_the_others_reported(parts: list[tuple[str, int, int]]) -> None:
    text = "".join(f"{words}[{'0' * zeros}{number}]" for words, number, zeros in parts)
    output, valid, dropped, _ = outcome([text])
    numbers = [number for _, number, _ in parts]
    kept = [str(n) for n in numbers if 1 <= n <= SOURCES]
    assert [n for n, _ in groupby(re.findall(r"\[(.*?)\]", output))] == [n for n, _ in groupby(kept)]
    assert valid == {n for n in numbers if 1 <= n <= SOURCES}
    assert [int(marker[1:-1]) for marker in dropped] == [n for n in numbers if not 1 <= n <= SOURCES]


@given(st.lists(st.tuples(st.sampled_from(MARKERS), st.sampled_from([" a ", ". ", "\n\n", " `x` ", " **b** "]))))
def test_markers_of_every_form_are_kept_in_order(parts: list[tuple[tuple[str, str, str], str]]) -> None:
    output = filtered("".join(f"x {row[1]}{between}" for row, between in parts))
    expected = [number for row, _ in parts for number in re.findall(r"\[(\d)\]", row[2])]
    assert re.findall(r"\[(\d)\]", output) == expected

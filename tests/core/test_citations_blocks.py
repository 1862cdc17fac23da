"""Fences, code spans and tables against markdown-it-py, an independent reader of Markdown."""

from __future__ import annotations

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.markup.blocks import BlockScanner
from app.core.markup.code import code_in
from app.core.markup.events import Kind, Line


class Recorder:
    """Notes the lines, and which of them have code."""

    def __init__(self) -> None:
        self.seen = ""
        self.lines: list[Line] = []
        self.numbers: list[int] = []
        self.fenced: set[int] = set()
        self.divisions = 0

    def line(self, line: Line) -> None:
        self.lines.append(line)
        self.seen += line.raw
        self.numbers.append(self.seen.count("\n"))

    def text(self, text: str) -> None:
        self.seen += text

    def verbatim(self, text: str) -> None:
        first = self.seen.count("\n") + text.startswith("\n")
        self.seen += text
        self.fenced |= {*range(first, self.seen.count("\n") + 1)}

    def divide(self) -> None:
        self.divisions += 1


def recorded(document: str) -> Recorder:
    recorder = Recorder()
    blocks = BlockScanner(recorder)
    blocks.feed(document)
    blocks.flush()
    return recorder


line_starts = st.sampled_from(["", " ", "   ", "    ", "\t", "> ", ">", "- ", "-", "* ", "1. ", "2. ", "10) ", "  - "])
line_bodies = st.sampled_from(
    [
        "",
        "a",
        "a b",
        "```",
        "``` py",
        "````",
        "~~~",
        "~~~ py",
        "``",
        "# a",
        "#",
        "---",
        "***",
        "===",
        "- - -",
        "``` a`b",
    ]
)
lines = st.builds(lambda starts, body: "".join(starts) + body, st.lists(line_starts, max_size=3), line_bodies)
# markdown-it-py takes up a block quote behind any indent; the standard says three columns at most.
agreed_lines = lines.filter(lambda line: not re.search(r"(\t|    ) *>", line))
documents = st.lists(agreed_lines, max_size=14).map("\n".join)


def fenced_lines(document: str) -> set[int]:
    tokens = MarkdownIt("commonmark").parse(document)
    return {line for token in tokens if token.type == "fence" and token.map for line in range(*token.map)}


def without_blank(numbers: set[int], document: str) -> set[int]:
    """Whether a blank last line is still in the fence shows nowhere."""
    return {number for number in numbers if document.split("\n")[number].strip(" \t>")}


@settings(max_examples=600, deadline=None)
@given(documents)
def test_fences_are_those_of_another_commonmark_parser(document: str) -> None:
    recorder = recorded(document)
    assert recorder.seen == document
    assert without_blank(recorder.fenced, document) == without_blank(fenced_lines(document), document)


def is_deep_and_lazy(line: Line) -> bool:
    """Four columns deep, left of the item whose paragraph it continues: text by the standard (as cmark has it).

    markdown-it-py measures from the item, and begins headings, rules and fences there.
    """
    return line.lazy and len(line.indent.expandtabs(4)) > 3


@settings(max_examples=600, deadline=None)
@given(documents)
def test_paragraphs_are_those_of_another_commonmark_parser(document: str) -> None:
    """A line continues a paragraph here exactly where it lies inside one there, underlines aside."""
    recorder = recorded(document)
    assume(not any(map(is_deep_and_lazy, recorder.lines)))
    tokens = MarkdownIt("commonmark").parse(document)
    inline = [token.map for token in tokens if token.type == "inline" and token.map]
    inside = {line for first, end in inline for line in range(first + 1, end)}
    found = {number for number, line in zip(recorder.numbers, recorder.lines, strict=True) if line.continues}
    indented = {n for token in tokens if token.type == "code_block" and token.map for n in range(*token.map)}
    assert found - indented == inside - indented


span_texts = st.lists(
    st.sampled_from(["`", "``", "```", "a", " ", "\\", "\n", "<b>", "<", '<b title="', '">', "*"])
).map("".join)


@settings(max_examples=600, deadline=None)
@given(span_texts)
def test_code_spans_are_those_of_another_commonmark_parser(text: str) -> None:
    text = f"a{text}"
    tokens = MarkdownIt("commonmark").parse(text)
    codes = [c for token in tokens for c in token.children or [] if c.type == "code_inline"]
    if any(token.type not in ("paragraph_open", "paragraph_close", "inline") for token in tokens):
        return  # fences and HTML blocks are other tests' matter
    assert [_content(text[slice(*span)]) for span in code_in(text)] == [code.content for code in codes]


def _content(span: str) -> str:
    inner = span.strip("`").replace("\n", " ")
    return inner[1:-1] if inner.strip(" ") and inner[0] == inner[-1] == " " else inner


def test_the_rows_of_a_table_are_divided_into_cells() -> None:
    recorder = recorded("| a | b |\n|---|---|\n| c \\| d | e |\n\nf | g")
    assert recorder.divisions == 4
    assert [line.kind for line in recorder.lines][-2:] == [Kind.BLANK, Kind.TEXT]


def test_without_a_delimiter_row_nothing_is_divided() -> None:
    assert recorded("a | b\nc | d").divisions == 0
    assert recorded("a | b\n|---|\nc | d").divisions == 0


def test_a_delimiter_row_outside_the_item_of_its_header_makes_no_table() -> None:
    assert recorded("- a | b\n-|-\nc | d").divisions == 0
    assert recorded("- a | b\n  -|-\n  c | d").divisions == 2


def test_the_offsets_of_code_point_into_the_text() -> None:
    text = "> `a\n> b` <b>\n\n```py\nc\n```\n- d `e`\r\n<https://x.example/`>"
    assert [text[slice(*span)] for span in code_in(text)] == ["`a\n> b`", "```py\nc\n```", "`e`"]

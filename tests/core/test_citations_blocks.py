"""Fences and code spans against markdown-it-py, an independent reader of CommonMark."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.blocks import BlockScanner


class Recorder:
    def __init__(self) -> None:
        self.seen = ""
        self.code_ends: list[tuple[int, int]] = []

    def text(self, text: str) -> None:
        self.seen += text

    def code(self, text: str) -> None:
        self.code_ends.append((len(self.seen), len(self.seen) + len(text)))
        self.seen += text

    def end_paragraph(self) -> None:
        pass


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


@settings(max_examples=600)
@given(documents)
def test_fences_are_those_of_another_commonmark_parser(document: str) -> None:
    recorder = Recorder()
    blocks = BlockScanner(recorder)
    blocks.feed(document)
    blocks.flush()
    assert recorder.seen == document
    found = {document.count("\n", 0, max(start, end - 1)) for start, end in recorder.code_ends}
    assert without_blank(found, document) == without_blank(fenced_lines(document), document)

"""What holds of the passages of any text, and after any edit."""

from __future__ import annotations

import os
import random
import re
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from app.ports import Tokenizer
from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.readers import markdown, read, text
from ingest.sources import find_files, read_bytes
from ingest.splitting import CHARACTERS_A_TOKEN
from tests.ingest.passages import assert_within_limit, bundled_tokenizer, document, letters, paragraph

HANDBOOK = Path(os.environ.get("EVAL_DATA", "../shared/data")) / "corpus/18f_handbook"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bundled_tokenizer()


# Any text

WORD = st.sampled_from(
    [
        "word",
        "Ende.",
        "中文没有空格",
        "عربي",
        "😀😀",
        "👩‍👩‍👧",
        "x" * 150,
        "한국어",
        "ﷺ" * 40,
        "e\u0301",
        "\u00a0",
        "。",
        "a/b-c",
    ]
)
LINE = st.lists(WORD, min_size=1, max_size=60).map(" ".join)
BLOCK = st.builds(
    Block,
    st.lists(LINE, min_size=1, max_size=12).map("\n".join),
    st.lists(LINE.map(lambda name: name[:300]), max_size=3).map(tuple),
    st.sampled_from(["paragraph", "list", "other"]),
    section=st.integers(0, 3),
)


@settings(max_examples=60)
@given(st.lists(BLOCK, max_size=5), LINE)
def test_any_text_is_whole_in_order_and_within_the_limit(tokenizer: Tokenizer, blocks: list[Block], title: str) -> None:
    read = document(*blocks, title=title)
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    assert chunk(read, tokenizer) == pieces
    left = iter(letters(*(piece.text for piece in pieces)))
    assert all(letter in left for letter in letters(*(block.text for block in blocks)))


@settings(max_examples=30)
@given(
    st.lists(LINE, min_size=1, max_size=8), st.sampled_from(["```\n{}\n```", "| a |\n|---|\n| {} |", "- {}", "> {}"])
)
def test_markdown_of_any_text_is_whole_and_within_the_limit(tokenizer: Tokenizer, lines: list[str], form: str) -> None:
    read = markdown.parse("\n\n".join(form.format(line) for line in lines * 3))
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    left = iter(letters(*(piece.text for piece in pieces)))
    assert all(letter in left for letter in letters(*(block.text for block in read.blocks)))


HUGE = {
    "sentences": "This is one sentence of the text. " * 30_000,
    "no sentences": "word and more text here " * 40_000,
    "no spaces": "abcdefghij0123456789" * 50_000,
    "Chinese": "中文没有空格的长句子，" * 20_000,
    "Arabic": "هذا نص عربي طويل " * 20_000,
    "emoji": "😀👩‍👩‍👧" * 50_000,
    "mixed": "word 中文 عربي 😀 " * 20_000,
}


@pytest.mark.parametrize("source", HUGE.values(), ids=HUGE)
def test_a_huge_paragraph_is_cut_in_little_time(tokenizer: Tokenizer, source: str) -> None:
    started = time.process_time()
    read = document(Block(source), title="T")
    pieces = chunk(read, tokenizer)
    assert time.process_time() - started < 60
    assert_within_limit(read, pieces, tokenizer)
    assert letters(*(piece.text for piece in pieces)) == letters(source)
    assert max(len(piece.text) for piece in pieces) <= CHARACTERS_A_TOKEN * tokenizer.max_tokens


class Bytes:
    """A tokenizer that needs many tokens for a character, and more for two texts together than for each."""

    max_tokens = 128

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(at, at + 1) for at, character in enumerate(text) for _ in character.encode()]

    def count(self, text: str) -> int:
        return 2 + len(self.spans(text)) + len(text) // 16


@pytest.mark.parametrize("source", ["😀" * 500, "word " * 300, "中文 " * 200, "```\n" + "a = 1\n" * 200 + "```"])
def test_the_limit_holds_for_a_tokenizer_whose_parts_do_not_add_up(source: str) -> None:
    read = markdown.parse(f"# Title\n\n{source}")
    pieces = chunk(read, Bytes())
    assert_within_limit(read, pieces, Bytes())
    left = iter(letters(*(piece.text for piece in pieces)))
    assert all(letter in left for letter in letters(source))


class LongWords:
    """A tokenizer that takes a word for one token, but one of over 70 characters for many: slices tell too little."""

    max_tokens = 128

    def spans(self, text: str) -> list[tuple[int, int]]:
        spans = []
        for start, end in (match.span() for match in re.finditer(r"\S+", text)):
            step = 1 if end - start > 70 else end - start
            spans += [(at, at + step) for at in range(start, end, step)]
        return spans

    def count(self, text: str) -> int:
        return 2 + len(self.spans(text))


def test_the_limit_holds_for_slices_that_need_more_tokens_together() -> None:
    word = "".join(chr(ord("a") + (7 * n + n // 5) % 26) for n in range(400))
    read = document(Block(word), title="T")
    pieces = chunk(read, LongWords())
    assert_within_limit(read, pieces, LongWords())
    assert letters(*(piece.text for piece in pieces)) == letters(word)


# Edits


def new_passages(before: Document, after: Document, tokenizer: Tokenizer) -> int:
    stored = {(piece.heading, piece.text) for piece in chunk(before, tokenizer)}
    return len({(piece.heading, piece.text) for piece in chunk(after, tokenizer)} - stored)


def test_an_edited_paragraph_makes_few_passages_new_wherever_it_stands(tokenizer: Tokenizer) -> None:
    randomly = random.Random(6)
    paragraphs = [paragraph(randomly) for _ in range(150)]
    before = text.parse("\n\n".join(paragraphs))
    new = []
    for at in range(0, 150, 5):
        for put in ([], [paragraph(randomly), paragraphs[at]], [f"Changed. {paragraphs[at]}"]):
            edited = [*paragraphs[:at], *put, *paragraphs[at + 1 :]]
            new.append(new_passages(before, text.parse("\n\n".join(edited)), tokenizer))
    assert max(new) <= 4
    assert statistics.mean(new) <= 2


@pytest.mark.parametrize(
    "source",
    [
        " ".join(f"Sentence {n} of the text ends here." for n in range(400)),
        "".join(f"Z{n * 7919:x}" for n in range(3_000)),
        "```\nfirst line\n" + "\n".join(f"line {n * 7919:x}" for n in range(400)) + "\n```",
        "| a | b |\n|---|---|\n" + "\n".join(f"| {n * 7919:x} | x |" for n in range(400)),
        "\n".join(f"- item {n * 7919:x}" for n in range(400)),
    ],
    ids=["sentences", "no spaces", "code", "table", "list"],
)
def test_an_edit_inside_a_large_block_makes_few_passages_new(tokenizer: Tokenizer, source: str) -> None:
    before = markdown.parse(source)
    for share in (0.1, 0.5, 0.9):
        at = int(len(source) * share)
        edited = markdown.parse(source[:at] + "q" + source[at:])
        assert new_passages(before, edited, tokenizer) <= 5


def test_the_same_edit_under_another_heading_leaves_this_one(tokenizer: Tokenizer) -> None:
    before = markdown.parse("# A\none\n\n# B\ntwo")
    after = markdown.parse("# A\none\n\nmore\n\n# B\ntwo")
    assert new_passages(before, after, tokenizer) == 1


@pytest.mark.skipif(not HANDBOOK.is_dir(), reason="the shared evaluation data (EVAL_DATA) is not there")
def test_a_real_handbook_is_whole_within_the_limit_and_well_filled(tokenizer: Tokenizer) -> None:
    fills = []
    for file in list(find_files(HANDBOOK))[::4]:
        handbook = read(file.document_id, read_bytes(file))
        pieces = chunk(handbook, tokenizer)
        assert_within_limit(handbook, pieces, tokenizer)
        left = iter(letters(*(piece.text for piece in pieces)))
        assert all(letter in left for block in handbook.blocks for letter in letters(block.text))
        whole = structs.replace(handbook, blocks=tuple(Block(block.text) for block in handbook.blocks))
        fills += [len(tokenizer.spans(piece.text)) for piece in chunk(whole, tokenizer)]
    assert statistics.median(fills) > tokenizer.max_tokens / 2

"""From blocks to passages, with the tokenizer of the bundled model."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from app.core.hashing import prepared_text
from app.ports import Tokenizer
from ingest.chunking import HEADING_TOKENS, TITLE_TOKENS, chunk, fit_heading, fit_title
from ingest.document import Block, Document, Piece
from ingest.readers import markdown, read, text
from ingest.sources import find_files, read_bytes
from ingest.splitting import CHARACTERS_A_TOKEN
from tests.shared_embedder import embedders

HANDBOOK = Path(os.environ.get("EVAL_DATA", "../shared/data")) / "corpus/18f_handbook"
WORDS = ("the", "travel", "desk", "books", "every", "train", "and", "no", "flight", "unless", "a", "manager", "asks")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return asyncio.run(embedders.get("bundled")).tokenizer


def document(*blocks: Block, title: str = "") -> Document:
    return Document(title=title, blocks=blocks)


def assert_within_limit(read: Document, pieces: Sequence[Piece], tokenizer: Tokenizer) -> None:
    title = fit_title(read.title, tokenizer)
    for piece in pieces:
        assert tokenizer.count(prepared_text(title, piece.heading, piece.text)) <= tokenizer.max_tokens


def letters(*texts: str) -> str:
    return "".join("".join(texts).split())


def sentence(randomly: random.Random, words: int) -> str:
    return " ".join(randomly.choices(WORDS, k=words)).capitalize() + "."


def paragraph(randomly: random.Random) -> str:
    return " ".join(sentence(randomly, randomly.randint(5, 20)) for _ in range(randomly.randint(1, 6)))


# What belongs together


def test_neighbours_under_one_heading_share_a_passage(tokenizer: Tokenizer) -> None:
    read = markdown.read("# A\n\none\n\n- two\n\n## B\n\nthree\n\n```\nfour\n```\n")
    assert chunk(read, tokenizer) == [
        Piece("one\n\n- two", ("A",)),
        Piece("three\n\n```\nfour\n```", ("A", "B")),
    ]


def test_sections_of_the_same_name_do_not_share_a_passage(tokenizer: Tokenizer) -> None:
    pieces = chunk(markdown.read("# A\none\n# A\ntwo"), tokenizer)
    assert [piece.text for piece in pieces] == ["one", "two"]


def test_pages_are_boundaries(tokenizer: Tokenizer) -> None:
    pieces = chunk(document(Block("one", page=1), Block("two", page=1), Block("three", page=2)), tokenizer)
    assert [(piece.text, piece.page) for piece in pieces] == [("one\n\ntwo", 1), ("three", 2)]


def test_a_block_that_fits_is_never_cut(tokenizer: Tokenizer) -> None:
    randomly = random.Random(1)
    blocks = [Block(paragraph(randomly)) for _ in range(100)]
    fitting = [block.text for block in blocks if len(tokenizer.spans(block.text)) < 250]
    pieces = chunk(document(*blocks), tokenizer)
    assert len(fitting) > 80
    assert all(any(block in piece.text for piece in pieces) for block in fitting)


def test_nothing_gives_nothing(tokenizer: Tokenizer) -> None:
    for blocks in ((), (Block(" \n\u00a0"),), (Block(" \n" * 5_000),)):
        assert chunk(document(*blocks), tokenizer) == []


# What is too large


def test_a_large_list_is_cut_between_items(tokenizer: Tokenizer) -> None:
    randomly = random.Random(2)
    source = "\n".join(f"  - {sentence(randomly, 12)}\n    - {sentence(randomly, 12)}" for _ in range(60))
    pieces = chunk(markdown.read(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith("  - ") for piece in pieces)
    assert letters(*(piece.text for piece in pieces)) == letters(source)


def test_a_large_table_repeats_its_head(tokenizer: Tokenizer) -> None:
    head = "| Name | Days |\n|------|-----:|"
    rows = [f"| Person {n} | {n} |" for n in range(300)]
    pieces = chunk(markdown.read("\n".join([head, *rows])), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith(f"{head}\n| Person") for piece in pieces)
    assert [row for piece in pieces for row in piece.text.split("\n")[2:]] == rows
    assert all(markdown.read(piece.text).blocks[0].kind == "table" for piece in pieces)


def test_a_table_whose_head_leaves_no_room_is_cut_without_it(tokenizer: Tokenizer) -> None:
    head = "|" + " a long name of a column |" * 60 + "\n" + "|" + "---|" * 60
    read = markdown.read(head + "\n" + "\n".join("|" + " 1 |" * 60 for _ in range(9)))
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    assert letters(*(piece.text for piece in pieces)) == letters(read.blocks[0].text)


@pytest.mark.parametrize(
    ("opening", "closing"), [("```python", "```"), ("~~~~", "~~~~~"), ("````", ""), ("  ```", "```")]
)
def test_large_code_repeats_its_fence_and_first_line(tokenizer: Tokenizer, opening: str, closing: str) -> None:
    lines = [f"    total += price_of_item[{n}]" for n in range(200)]
    source = "\n".join([opening, "def total(price_of_item):", *lines, closing])
    pieces = chunk(markdown.read(source), tokenizer)
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.text.lstrip().startswith(f"{opening.lstrip()}\ndef total(price_of_item):\n    total")
        [block] = markdown.read(f"{piece.text}\n\nAfter.").blocks[:-1]
        assert block.text == piece.text
    assert [line for piece in pieces for line in piece.text.split("\n")[2:-1]] == lines


def test_code_whose_first_line_leaves_no_room_repeats_its_fence(tokenizer: Tokenizer) -> None:
    source = "```\n" + " ".join(f"word{n}" for n in range(3_000)) + "\n```"
    pieces = chunk(markdown.read(source), tokenizer)
    assert len(pieces) > 10
    assert all(piece.text.startswith("```\n") and piece.text.endswith("\n```") for piece in pieces)
    assert letters(*(piece.text.strip("`\n") for piece in pieces)) == letters(source.strip("`\n"))


def test_large_indented_code_stays_code(tokenizer: Tokenizer) -> None:
    source = "\n".join(f"    ```{n}" for n in range(300))
    pieces = chunk(markdown.read(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith("    ```") for piece in pieces)


def test_a_large_paragraph_is_cut_between_sentences(tokenizer: Tokenizer) -> None:
    randomly = random.Random(4)
    source = " ".join(sentence(randomly, 12) for _ in range(100))
    pieces = chunk(text.read(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.endswith(".") for piece in pieces)
    assert " ".join(piece.text for piece in pieces) == source


def test_a_large_sentence_is_cut_between_words(tokenizer: Tokenizer) -> None:
    source = " ".join(random.Random(5).choices(WORDS, k=3_000))
    pieces = chunk(text.read(source), tokenizer)
    assert len(pieces) > 10
    assert " ".join(piece.text for piece in pieces) == source


# Title and headings


def test_long_titles_and_headings_leave_room_for_the_text(tokenizer: Tokenizer) -> None:
    name = " ".join(f"heading{n}" for n in range(400))
    read = markdown.read(f"# {name}\n\n## {name}\n\n" + "word " * 1_000)
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    assert len(tokenizer.spans(fit_title(read.title, tokenizer))) <= TITLE_TOKENS
    assert len(tokenizer.spans(" > ".join(pieces[-1].heading))) <= HEADING_TOKENS
    assert statistics.median(len(tokenizer.spans(piece.text)) for piece in pieces) > 90


def test_the_innermost_headings_are_kept(tokenizer: Tokenizer) -> None:
    path = ("outer " * 20, "middle " * 15, "inner " * 15)
    assert fit_heading(path, tokenizer) == path[1:]
    assert fit_heading((), tokenizer) == ()
    [cut] = fit_heading(("long " * 100,), tokenizer)
    assert cut.startswith("long long")
    assert len(cut) < 250


@pytest.mark.parametrize("name", ["x" * 100_000, "中" * 100_000, "*" * 100_000])
def test_a_heading_without_spaces_is_cut_short(tokenizer: Tokenizer, name: str) -> None:
    assert len(fit_title(name, tokenizer)) <= 8 * TITLE_TOKENS
    [cut] = fit_heading((name,), tokenizer)
    assert 0 < len(cut) <= 8 * HEADING_TOKENS


def test_headings_that_find_no_room_in_the_path_are_said_in_the_text(tokenizer: Tokenizer) -> None:
    long = [" ".join(f"{letter}{n}" for n in range(20)) for letter in "abc"]
    pieces = chunk(markdown.read(f"# {long[0]}\n## {long[1]}\n### {long[2]}\ntext\n\n### Short\nmore"), tokenizer)
    said = " ".join(" ".join([*piece.heading, piece.text]) for piece in pieces)
    assert all(said.count(name) >= 1 for name in long)
    assert pieces[0].text == f"{long[0]}\n\n{long[1]}\n\ntext".replace(
        f"{long[1]}\n\n", "", long[1] in pieces[0].heading
    )
    assert pieces[-1].text == "more"


def test_a_heading_that_is_cut_short_is_said_whole_in_the_text(tokenizer: Tokenizer) -> None:
    name = " ".join(f"n{n}" for n in range(60))
    [piece] = chunk(markdown.read(f"# {name}\ntext"), tokenizer)
    assert piece.text == f"{name}\n\ntext"
    assert name.startswith(piece.heading[0])


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
    read = markdown.read("\n\n".join(form.format(line) for line in lines * 3))
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
    assert time.process_time() - started < 20
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
    read = markdown.read(f"# Title\n\n{source}")
    pieces = chunk(read, Bytes())
    assert_within_limit(read, pieces, Bytes())
    left = iter(letters(*(piece.text for piece in pieces)))
    assert all(letter in left for letter in letters(source))


# Edits


def new_passages(before: Document, after: Document, tokenizer: Tokenizer) -> int:
    stored = {(piece.heading, piece.text) for piece in chunk(before, tokenizer)}
    return len({(piece.heading, piece.text) for piece in chunk(after, tokenizer)} - stored)


def test_an_edited_paragraph_makes_few_passages_new_wherever_it_stands(tokenizer: Tokenizer) -> None:
    randomly = random.Random(6)
    paragraphs = [paragraph(randomly) for _ in range(150)]
    before = text.read("\n\n".join(paragraphs))
    new = []
    for at in range(0, 150, 5):
        for put in ([], [paragraph(randomly), paragraphs[at]], [f"Changed. {paragraphs[at]}"]):
            edited = [*paragraphs[:at], *put, *paragraphs[at + 1 :]]
            new.append(new_passages(before, text.read("\n\n".join(edited)), tokenizer))
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
    before = markdown.read(source)
    for share in (0.1, 0.5, 0.9):
        at = int(len(source) * share)
        edited = markdown.read(source[:at] + "q" + source[at:])
        assert new_passages(before, edited, tokenizer) <= 5


def test_the_same_edit_under_another_heading_leaves_this_one(tokenizer: Tokenizer) -> None:
    before = markdown.read("# A\none\n\n# B\ntwo")
    after = markdown.read("# A\none\n\nmore\n\n# B\ntwo")
    assert new_passages(before, after, tokenizer) == 1


@pytest.mark.skipif(not HANDBOOK.is_dir(), reason="the shared evaluation data (EVAL_DATA) is not there")
def test_a_real_handbook_is_whole_within_the_limit_and_well_filled(tokenizer: Tokenizer) -> None:
    fills = []
    for file in list(find_files(HANDBOOK))[::4]:
        handbook = read(file, read_bytes(file))
        pieces = chunk(handbook, tokenizer)
        assert_within_limit(handbook, pieces, tokenizer)
        left = iter(letters(*(piece.text for piece in pieces)))
        assert all(letter in left for block in handbook.blocks for letter in letters(block.text))
        whole = structs.replace(handbook, blocks=tuple(Block(block.text) for block in handbook.blocks))
        fills += [len(tokenizer.spans(piece.text)) for piece in chunk(whole, tokenizer)]
    assert statistics.median(fills) > tokenizer.max_tokens / 2

"""From blocks to passages, with the tokenizer of the bundled model."""

from __future__ import annotations

import random
import statistics

import pytest

from app.ports import Tokenizer
from ingest.chunking import HEADING_TOKENS, TITLE_TOKENS, chunk, fit_heading, fit_title
from ingest.document import Block, Piece
from ingest.readers import markdown, text
from tests.ingest.passages import WORDS, assert_within_limit, bundled_tokenizer, document, letters, paragraph, sentence


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bundled_tokenizer()


# What belongs together


def test_neighbours_under_one_heading_share_a_passage(tokenizer: Tokenizer) -> None:
    read = markdown.parse("# A\n\none\n\n- two\n\n## B\n\nthree\n\n```\nfour\n```\n")
    assert chunk(read, tokenizer) == [
        Piece("one\n\n- two", ("A",)),
        Piece("three\n\n```\nfour\n```", ("A", "B")),
    ]


def test_sections_of_the_same_name_do_not_share_a_passage(tokenizer: Tokenizer) -> None:
    pieces = chunk(markdown.parse("# A\none\n# A\ntwo"), tokenizer)
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
    pieces = chunk(markdown.parse(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith("  - ") for piece in pieces)
    assert letters(*(piece.text for piece in pieces)) == letters(source)


def test_a_large_table_repeats_its_head(tokenizer: Tokenizer) -> None:
    head = "| Name | Days |\n|------|-----:|"
    rows = [f"| Person {n} | {n} |" for n in range(300)]
    pieces = chunk(markdown.parse("\n".join([head, *rows])), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith(f"{head}\n| Person") for piece in pieces)
    assert [row for piece in pieces for row in piece.text.split("\n")[2:]] == rows
    assert all(markdown.parse(piece.text).blocks[0].kind == "table" for piece in pieces)


def test_large_indented_code_repeats_its_first_line(tokenizer: Tokenizer) -> None:
    lines = [f"        value_{n} = compute({n})" for n in range(100)]
    pieces = chunk(markdown.parse("\n".join(["Text.", "", "    def fill():", *lines])), tokenizer)
    assert len(pieces) > 2
    assert all(piece.text.startswith("    def fill():\n        value_") for piece in pieces[1:])


def test_a_table_whose_head_leaves_no_room_is_cut_without_it(tokenizer: Tokenizer) -> None:
    head = "|" + " a long name of a column |" * 60 + "\n" + "|" + "---|" * 60
    read = markdown.parse(head + "\n" + "\n".join("|" + " 1 |" * 60 for _ in range(9)))
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    assert letters(*(piece.text for piece in pieces)) == letters(read.blocks[0].text)


@pytest.mark.parametrize(
    ("opening", "closing"), [("```python", "```"), ("~~~~", "~~~~~"), ("````", ""), ("  ```", "```")]
)
def test_large_code_repeats_its_fence_and_first_line(tokenizer: Tokenizer, opening: str, closing: str) -> None:
    lines = [f"    total += price_of_item[{n}]" for n in range(200)]
    source = "\n".join([opening, "def total(price_of_item):", *lines, closing])
    pieces = chunk(markdown.parse(source), tokenizer)
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.text.lstrip().startswith(f"{opening.lstrip()}\ndef total(price_of_item):\n    total")
        [block] = markdown.parse(f"{piece.text}\n\nAfter.").blocks[:-1]
        assert block.text == piece.text
    assert [line for piece in pieces for line in piece.text.split("\n")[2:-1]] == lines


def test_code_whose_first_line_leaves_no_room_repeats_its_fence(tokenizer: Tokenizer) -> None:
    source = "```\n" + " ".join(f"word{n}" for n in range(3_000)) + "\n```"
    pieces = chunk(markdown.parse(source), tokenizer)
    assert len(pieces) > 10
    assert all(piece.text.startswith("```\n") and piece.text.endswith("\n```") for piece in pieces)
    assert letters(*(piece.text.strip("`\n") for piece in pieces)) == letters(source.strip("`\n"))


def test_large_indented_code_stays_code(tokenizer: Tokenizer) -> None:
    source = "\n".join(f"    ```{n}" for n in range(300))
    pieces = chunk(markdown.parse(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith("    ```") for piece in pieces)


def test_a_large_paragraph_is_cut_between_sentences(tokenizer: Tokenizer) -> None:
    randomly = random.Random(4)
    source = " ".join(sentence(randomly, 12) for _ in range(100))
    pieces = chunk(text.parse(source), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.endswith(".") for piece in pieces)
    assert " ".join(piece.text for piece in pieces) == source


def test_a_large_sentence_is_cut_between_words(tokenizer: Tokenizer) -> None:
    source = " ".join(random.Random(5).choices(WORDS, k=3_000))
    pieces = chunk(text.parse(source), tokenizer)
    assert len(pieces) > 10
    assert " ".join(piece.text for piece in pieces) == source


# Title and headings


def test_long_titles_and_headings_leave_room_for_the_text(tokenizer: Tokenizer) -> None:
    name = " ".join(f"heading{n}" for n in range(400))
    read = markdown.parse(f"# {name}\n\n## {name}\n\n" + "word " * 1_000)
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    assert len(tokenizer.spans(fit_title(read.title, tokenizer))) <= TITLE_TOKENS
    assert len(tokenizer.spans(" > ".join(pieces[-1].heading))) <= HEADING_TOKENS
    assert statistics.median(len(tokenizer.spans(piece.text)) for piece in pieces) > 90


def test_the_innermost_headings_are_kept(tokenizer: Tokenizer) -> None:
    path = ("outer " * 20, "middle " * 15, "inner " * 15)
    assert fit_heading(path, tokenizer) == path[1:]
    assert fit_heading((), tokenizer) == ()
    assert fit_heading(("the outer", "inner " * (HEADING_TOKENS - 1)), tokenizer) == ("inner " * (HEADING_TOKENS - 1),)
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
    pieces = chunk(markdown.parse(f"# {long[0]}\n## {long[1]}\n### {long[2]}\ntext\n\n### Short\nmore"), tokenizer)
    said = " ".join(" ".join([*piece.heading, piece.text]) for piece in pieces)
    assert all(said.count(name) >= 1 for name in long)
    assert pieces[0].text == f"{long[0]}\n\n{long[1]}\n\ntext".replace(
        f"{long[1]}\n\n", "", long[1] in pieces[0].heading
    )
    assert pieces[-1].text == "more"


def test_a_heading_that_is_cut_short_is_said_whole_in_the_text(tokenizer: Tokenizer) -> None:
    name = " ".join(f"n{n}" for n in range(60))
    [piece] = chunk(markdown.parse(f"# {name}\ntext"), tokenizer)
    assert piece.text == f"{name}\n\ntext"
    assert name.startswith(piece.heading[0])

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.citations import CitationFilter

SOURCES = 3


def filtered(text: str, source_count: int = SOURCES) -> str:
    citations = CitationFilter(source_count)
    return citations.feed(text) + citations.flush()


def outcome(pieces: list[str]) -> tuple[str, set[int], list[str]]:
    citations = CitationFilter(SOURCES)
    text = "".join([citations.feed(piece) for piece in pieces]) + citations.flush()
    return text, citations.valid, citations.dropped


fragments = st.sampled_from(
    ["[1]", "[2]", "[9]", "[01]", "[[9]", "]", "[", "12", "3", " ", "a", ". ", "\\", "`", "``", "```", "~~~", "````"]
)
block_marks = st.sampled_from(["> ", "- ", "1. ", "2) ", "   ", "    ", "\t", "# ", "---", "===", "*", "py"])
line_ends = st.sampled_from(["\n", "\n\n", "\r\n", "\r"])
markdown = st.lists(st.one_of(fragments, block_marks, line_ends), max_size=40).map("".join)
any_text = st.one_of(markdown, st.text(max_size=60), st.text("[]`~\\ \n>-#.019a", max_size=80))


@st.composite
def split_texts(draw: st.DrawFn) -> list[str]:
    text = draw(any_text)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=1000)
@given(split_texts())
def test_a_split_of_the_input_changes_nothing(pieces: list[str]) -> None:
    whole = outcome(["".join(pieces)])
    assert outcome(pieces) == whole
    assert outcome(list("".join(pieces))) == whole


def seen_outside_code(text: str) -> list[str]:
    """Each paragraph as another parser reads it, its code and escapes cut out."""
    tokens = MarkdownIt("commonmark").disable(["link", "image", "entity"]).parse(text)
    paragraphs = [token.children or [] for token in tokens if token.type == "inline"]
    return ["".join(c.content if c.type == "text" else "\0" for c in children) for children in paragraphs]


@settings(max_examples=1000)
@given(any_text)
def test_outside_code_no_marker_is_left_but_those_of_packed_sources(text: str) -> None:
    for paragraph in seen_outside_code(filtered(text)):
        for marker in re.findall(r"\[([0-9]+)\]", paragraph):
            assert marker in ("1", "2", "3"), paragraph


@given(st.text().filter(lambda text: not set(text) & set("[]`~")))
def test_without_brackets_and_code_the_output_is_the_input(text: str) -> None:
    assert filtered(text) == text


@given(st.lists(st.tuples(st.text("abc .,\n", max_size=8), st.integers(0, 12), st.integers(0, 2))))
def test_valid_markers_are_kept_in_order_and_the_others_reported(parts: list[tuple[str, int, int]]) -> None:
    text = "".join(f"{words}[{'0' * zeros}{number}]" for words, number, zeros in parts)
    output, valid, dropped = outcome([text])
    numbers = [number for _, number, _ in parts]
    assert re.findall(r"\[(.*?)\]", output) == [str(n) for n in numbers if 1 <= n <= SOURCES]
    assert valid == {n for n in numbers if 1 <= n <= SOURCES}
    assert [int(marker[1:-1]) for marker in dropped] == [n for n in numbers if not 1 <= n <= SOURCES]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes [1]. No [9].", "Yes [1]. No."),
        ("[01][002]", "[1][2]"),
        ("[0] [4] [99999999999999999999999999999999]", ""),
        ("a[1][9][2]b", "a[1][2]b"),
        ("a [9] b", "a b"),
        ("a  [9]", "a "),
        ("[1 ] [-1] [a] [] [1.5]", "[1 ] [-1] [a] [] [1.5]"),
        ("[１]", "[１]"),
        # Joins.
        ("[[9]12]", "[12"),
        ("[[9]12]]]", "[12"),
        ("[12 [9]]", "[12"),
        ("[[9]1]", "[1"),
        ("[[9][9]12]34]", "[1234"),
        ("[[9] 12]", "[ 12]"),
        ("[[1]2]", "[[1]2]"),
        ("[[9]]", "[]"),
        ("`a [7]`[9]`", "`a [7]` `"),
        ("\\[9]`a [7]`", "\\ `a [7]`"),
        # Ends of streams.
        ("a [9", "a"),
        ("a [1", "a"),
        ("a [", "a ["),
        ("a [see", "a [see"),
        ("a ", "a "),
        ("a [9] ", "a "),
        ("", ""),
    ],
)
def test_markers(text: str, expected: str) -> None:
    assert filtered(text) == expected


CODE = "`arr[9]`", "``a ` [9]``", "` \n[9] `", "```\n[9]\n```", "~~~~ [9] `x`\n~~~\n[9]\n~~~~~  \n", "```py [9]"
TEXT_AROUND_CODE = [
    ("Press ` now. The fee is 40 [9].", "Press ` now. The fee is 40."),
    ("`` [9] `", "`` `"),
    ("`[9]\n\n`", "`\n\n`"),
    ("\\`[9]`", "\\` `"),
    ("\\\\`[9]`", "\\\\`[9]`"),
    ("`" + 511 * "x" + "[9]`", "`" + 511 * "x" + "`"),
    ("`" + 507 * "x" + "[9]`", "`" + 507 * "x" + "[9]`"),
    ("`" + 508 * "x" + "[9]`", "`" + 508 * "x" + "`"),
    ("`a ``[9]`` b", "`a ``[9]`` b"),
    ("` a\n# b `[9]", "` a\n# b `"),
    ("` a\n- b `[9]", "` a\n- b `"),
    ("` a\n2. b `[9]`", "` a\n2. b ` `"),
    ("` a\n> b `[9]", "` a\n> b `"),
    ("> ` a\nb [9]`", "> ` a\nb [9]`"),
    ("` a\n---\nb [9]`", "` a\n---\nb`"),
    ("` a\n===\nb [9]`", "` a\n===\nb`"),
    ("# ` a\nb [9]`", "# ` a\nb`"),
    ("` a\n```\n[9]\n```\n[9]`", "` a\n```\n[9]\n```\n`"),
    ("```\n[9]\n``\n[9]\n```\n[9]", "```\n[9]\n``\n[9]\n```\n"),
    ("```\n[9]\n~~~\n[9]", "```\n[9]\n~~~\n[9]"),
    ("```\n[9]\n``` x\n[9]", "```\n[9]\n``` x\n[9]"),
    ("   ```\n[9]\n   ```\n[9]", "   ```\n[9]\n   ```\n"),
    ("    ```\n[9]", "    ```\n"),
    ("a ```\n[9]", "a ```\n"),
    ("```a`b\n[9]", "```a`b\n"),
    ("``` " + 600 * "x" + " [9]\n[9]\n```\n[9]", "``` " + 600 * "x" + "\n[9]\n```\n"),
    ("``` " + 600 * "x" + " ` [9]\n[9]", "``` " + 600 * "x" + " `\n"),
    ("> ```\n> [9]\nx [9]", "> ```\n> [9]\nx"),
    ("> ```\n> [9]\n\nx [9]", "> ```\n> [9]\n\nx"),
    ("- ```\n  [9]\n\n  [9]\n  ```\n  x [9]", "- ```\n  [9]\n\n  [9]\n  ```\n  x"),
    ("- ```\n  [9]\nx [9]", "- ```\n  [9]\nx"),
    ("10. a\n\n    ```\n    [9]\n    ```\n    b [9]", "10. a\n\n    ```\n    [9]\n    ```\n    b"),
    ("-\t```\n\t[9]\n\t```\n\tx [9]", "-\t```\n\t[9]\n\t```\n\tx"),
    ("```\r\n[9]\r\n```\r\n[9]", "```\r\n[9]\r\n```\r\n"),
    ("```\r[9]\r```\r[9]", "```\r[9]\r```\r"),
    ("` a\r\n [9] `", "` a\r\n [9] `"),
]


@pytest.mark.parametrize("code", CODE)
def test_code_passes_untouched_and_counts_for_nothing(code: str) -> None:
    citations = CitationFilter(9)
    assert citations.feed(code) + citations.flush() == code
    assert citations.valid == set()
    assert citations.dropped == []


@pytest.mark.parametrize(("text", "expected"), TEXT_AROUND_CODE)
def test_code_ends_where_commonmark_says(text: str, expected: str) -> None:
    assert filtered(text) == expected


def test_a_marker_after_code_counts() -> None:
    citations = CitationFilter(3)
    assert citations.feed("`x[3]` is set [2].") + citations.flush() == "`x[3]` is set [2]."
    assert citations.valid == {2}


def test_plain_text_leaves_at_once() -> None:
    citations = CitationFilter(3)
    assert [citations.feed(piece) for piece in ("The", " fee", " is ", "40")] == ["The", " fee", " is", " 40"]


def test_a_long_span_is_released_when_it_can_no_longer_be_code() -> None:
    citations = CitationFilter(3)
    pieces = [citations.feed("x") for _ in citations.feed("`") or range(600)]
    assert len("".join(pieces)) == 601


@pytest.mark.parametrize(
    "unit", ["`", "[", "[9", "[9]", "]", "[[9]", "` `` ", "\\", "~", "> ", "- ", "1. ", "\n", "```\n"]
)
def test_work_grows_with_the_length_of_the_input(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    citations = CitationFilter(3)
    for at in range(0, len(text), 1000):
        citations.feed(text[at : at + 1000])
    citations.flush()

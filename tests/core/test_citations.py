from __future__ import annotations

import html
import re
from itertools import groupby

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.citations import CitationFilter
from app.core.markup.grammar_table import GRAMMAR, JOINS, MARKERS
from app.core.markup.lexemes import CLOSING, OPENING
from tests.core.citing import SOURCES, filtered, outcome

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


def seen_outside_code(text: str) -> list[str]:
    """Each paragraph as a reader sees it, by another parser's word: markup is gone, escapes and entities are read."""
    parsed = MarkdownIt("commonmark").parse(text)
    paragraphs = [token.children or [] for token in parsed if token.type == "inline"]
    return ["".join(map(_seen, children)) for children in paragraphs]


def _seen(token: object) -> str:
    kind, content = getattr(token, "type", ""), getattr(token, "content", "")
    if kind in ("code_inline", "image"):
        return "\ufffd"
    return content if kind in ("text", "text_special") else "\n" if kind.endswith("break") else ""


INVISIBLE = re.compile("[\u200b\u2060]")
NUMBER_IN_BRACKETS = re.compile(r"[\[【〔［]\s*[\^#]?\s*(-?\d+)\s*\^?\s*[\]】〕］]")


@settings(max_examples=800, deadline=None)
@given(any_text)
def test_a_reader_sees_no_marker_but_those_of_packed_sources(text: str) -> None:
    for paragraph in seen_outside_code(filtered(text)):
        for marker in NUMBER_IN_BRACKETS.finditer(INVISIBLE.sub("", paragraph)):
            assert marker[0] in ("[1]", "[2]", "[3]"), paragraph


@settings(max_examples=800, deadline=None)
@given(any_text)
def test_nothing_of_the_output_would_be_dropped_again(text: str) -> None:
    once = filtered(text)
    assume(not _has_orphan(once))
    again, _, dropped, _ = outcome([once])
    assert dropped == []
    assert again == once


def _has_orphan(text: str) -> bool:
    """Whether a bracket is open at the end of its paragraph: `[[9]12]` leaves `[12`, which is an unfinished marker."""
    plain = text.replace("&#91;", "[").replace("&lsqb;", "[").replace("&#93;", "]").replace("&rsqb;", "]")
    paragraphs = re.split(r"\n[ \t>]*\n|[\n\r](?=[ >\t]*(?:[-*+>#|]|\d+[.)]))", plain)
    return any(len(re.findall(r"[\[【〔［]", part)) > len(re.findall(r"[\]】〕］]", part)) for part in paragraphs)


BRACKET_OR_URL = re.compile(f"[{re.escape(OPENING + CLOSING)}\ue200\ue201]|://|www[.]", re.IGNORECASE)
plain_text = st.one_of(
    st.text(),
    st.text("ab<>/!?=&;#x91\"' \n\r\t-*_`~|:.,()w\\", max_size=60),
    st.lists(st.sampled_from(["<", "<b", "</", "<!", "<?", ">", "&", "amp;", "lt;", "- ", "> ", "\n", "a", " "])).map("".join),
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


@pytest.mark.parametrize("row", GRAMMAR, ids=lambda row: row.what)
def test_the_table_says_what_leaves(row: tuple[str, str, str]) -> None:
    _, written, leaves = row
    assert outcome([written])[0] == leaves
    assert outcome(list(written))[0] == leaves


@pytest.mark.parametrize("row", [row for row in GRAMMAR if row not in JOINS], ids=lambda row: row.what)
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
    ("` a\n<div>[9]`", "` a\n\n`"),
    ('<b title="`">[9]`', "`"),
    ("` a\n```\n[9]\n```\nb [9]`", "` a\n```\n[9]\n```\nb`"),
    ("```\n[9]\n``\n[9]\n```\na [9]", "```\n[9]\n``\n[9]\n```\na"),
    ("```\n[9]\n~~~\n[9]", "```\n[9]\n~~~\n[9]"),
    ("```\n[9]\n``` x\n[9]", "```\n[9]\n``` x\n[9]"),
    ("   ```\n[9]\n   ```\na [9]", "   ```\n[9]\n   ```\na"),
    ("    ```\na [9]", "    ```\na"),
    ("a ```\na [9]", "a ```\na"),
    ("```a`b\na [9]", "```a`b\na"),
    ("``` " + 600 * "x" + " [9]\n[9]\n```\na [9]", "``` " + 600 * "x" + "\n[9]\n```\na"),
    ("``` " + 600 * "x" + " ` [9]\na [9]", "``` " + 600 * "x" + " `\na"),
    ("> ```\n> [9]\nx [9]", "> ```\n> [9]\nx"),
    ("> ```\n> [9]\n\nx [9]", "> ```\n> [9]\n\nx"),
    ("- ```\n  [9]\n\n  [9]\n  ```\n  x [9]", "- ```\n  [9]\n\n  [9]\n  ```\n  x"),
    ("- ```\n  [9]\nx [9]", "- ```\n  [9]\nx"),
    ("10. a\n\n    ```\n    [9]\n    ```\n    b [9]", "10. a\n\n    ```\n    [9]\n    ```\n    b"),
    ("-\t```\n\t[9]\n\t```\n\tx [9]", "-\t```\n\t[9]\n\t```\n\tx"),
    ("```\r\n[9]\r\n```\r\na [9]", "```\r\n[9]\r\n```\r\na"),
    ("```\r[9]\r```\ra [9]", "```\r[9]\r```\ra"),
    ("` a\r\n [9] `", "` a\r\n [9] `"),
    ("| a |\n|---|\n| ` | b [9] ` |", "| a |\n|---|\n| ` | b ` |"),
    ("| a |\n|---|\n| `b \\| [9]` |", "| a |\n|---|\n| `b \\| [9]` |"),
]


@pytest.mark.parametrize("code", CODE)
def test_code_passes_untouched_and_counts_for_nothing(code: str) -> None:
    assert outcome([code]) == (code, set(), [], 0)


@pytest.mark.parametrize(("text", "expected"), TEXT_AROUND_CODE)
def test_code_ends_where_commonmark_says(text: str, expected: str) -> None:
    assert filtered(text) == expected


def test_a_marker_after_code_counts() -> None:
    assert outcome(["`x[3]` is set [2]."])[:2] == ("`x[3]` is set [2].", {2})


def test_plain_text_leaves_at_once() -> None:
    citations = CitationFilter(3)
    pieces = ["The", " fee", " is ", "40", ", paid", " with", " https"]
    assert [citations.feed(piece) for piece in pieces] == ["The", " fee", " is", " 40", ", paid", " with", " https"]


@pytest.mark.parametrize(
    ("opening", "filler", "limit"),
    [
        ("`", "x", 512),
        ("[", "x", 64),
        ("【", "x", 64),
        ("[a](https://e.example/", "x", 2048),
        ("<a title='", "x", 2048),
    ],
)
def test_what_is_held_is_bounded(opening: str, filler: str, limit: int) -> None:
    citations = CitationFilter(3)
    held = len(opening) - len(citations.feed(opening))
    for _ in range(limit + 100):
        held += len(filler) - len(citations.feed(filler))
        assert held <= limit + 64
    assert held <= 64


UNITS = ["`", "[", "[9", "[9]", "]", "[[9]", "` `` ", "\\", "~", "> ", "- ", "1. ", "\n", "```\n", "<a b='\"", "<!--"]
UNITS += ["[a](", '](a "', "&", "(", "**[9]**", "www.", "【1,", "| a ", "Sources\n", "- [9]\n", "[a]: x y\n", "`a\n"]


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length_of_the_input(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    citations = CitationFilter(3)
    for at in range(0, len(text), 1000):
        citations.feed(text[at : at + 1000])
    citations.flush()

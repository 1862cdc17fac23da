"""What is named as wrong with a finished answer, and what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown_faults import MERMAID_TYPES, faults

CITED = "You get 28 days [1].\n\n"


def codes(text: str, source_count: int = 3) -> list[str]:
    return [fault.code for fault in faults(text, source_count)]


def mermaid(diagram: str) -> str:
    return f"{CITED}```mermaid\n{diagram}\n```\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "```\na\n```",
        "```\n```",
        "```\n\n\n```",
        "~~~~ py\n```\n~~~~\n",
        "````\n```\n````",
        "```py\r\na\r\n```\r\n",
        "```\na\u2028b\x0bc\n```",
        "> ```\n> a\n> ```\n",
        "1. Do:\n   ```sh\n   make\n   ```\n2. Done",
        "A ``` in the text, `code`, and a lone ` backtick",
        "[a](http://b.example), [b](<c d>), ![c](d.png 'title'), <https://e.example>",
        r"Escaped: \[a\](b) and `[a](b c)`",
        "```\n[a](b c) <http://x\n```",
        "Call array[i] and see [sic] or [a] (b)",
        "- [x] done",
        "if a < b: see [2]",
    ],
)
def test_whole_markdown_has_no_fault(text: str) -> None:
    assert codes(CITED + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```",
        "```\na",
        "```\na\n",
        "```py\na\n\n\n",
        "```\na\n```\n\n```\n",
        "````\na\n```\n",
        "```\na\n    ```\n",
        "~~~\na\n```",
        "> ```\n> a\n\nafter",
        "- ```\n  a\n\nafter",
    ],
)
def test_a_fence_that_is_never_closed_is_named(text: str) -> None:
    assert codes(CITED + text) == ["unclosed_fence"]


@pytest.mark.parametrize(
    "text",
    [
        "[a](http://b.exam",
        "[a](b c)",
        "see [a](",
        "![a](b c.png)",
        "[a]()",
        "![a]()",
        "**[a](b c)**",
        "- item\n- [a](b\n",
        "see <https://exam",
        "| a |\n|---|\n| [b](c d) |",
        "for more see [the handb",
    ],
)
def test_a_link_that_is_not_whole_is_named(text: str) -> None:
    assert codes(CITED + text) == ["broken_link"]


@pytest.mark.parametrize(
    "diagram",
    [
        "graph TD\n  A --> B",
        "graph TD;A-->B",
        "\n\n  flowchart LR",
        "gitGraph:\n  commit",
        "stateDiagram-v2\n  [*] --> A",
        "pie showData",
        "%%{init: {'theme': 'dark'}}%%\nsequenceDiagram\n  A->>B: hi",
        "%%{\n  init: {}\n}%%\n%% a comment\n\nmindmap",
        "---\ntitle: Leave\n---\ntimeline",
        "  ---\ntitle: Leave\n---\n%% a comment\nkanban",
    ],
)
def test_a_mermaid_block_of_a_known_type_has_no_fault(diagram: str) -> None:
    assert codes(mermaid(diagram)) == []


@pytest.mark.parametrize("word", sorted(MERMAID_TYPES))
def test_every_listed_type_is_known(word: str) -> None:
    assert codes(mermaid(f"{word}\n  a")) == []
    assert codes(mermaid(f"{word}x\n  a")) == ["unknown_mermaid"]


@pytest.mark.parametrize(
    "diagram",
    ["", "A --> B", "Graph TD", "piechart", "%% only a comment", "---\ntitle: x\n---", "%%{init: {}", "---\ngraph TD"],
)
def test_another_mermaid_block_is_named(diagram: str) -> None:
    assert codes(mermaid(diagram)) == ["unknown_mermaid"]


@pytest.mark.parametrize("info", ["mermaid", " Mermaid", "mermaid {theme}"])
def test_a_mermaid_block_that_is_never_closed_is_named_as_such(info: str) -> None:
    assert codes(f"{CITED}```{info}\ngraph TD\n") == ["unclosed_mermaid"]


def test_another_language_is_no_mermaid() -> None:
    assert codes(f"{CITED}```mermaidjs\nA --> B\n```") == []


def test_a_marker_must_name_a_source() -> None:
    assert codes("You get 28 days [1][4].") == ["invalid_marker"]
    assert codes("You get 28 days [4].") == ["invalid_marker", "no_marker"]
    assert codes("You get 28 days.") == ["no_marker"]
    assert codes("You get `x[9]` [1].") == []
    assert "numbered 1 to 3" in faults("You get 28 days [4].", 3)[0].sentence


@pytest.mark.parametrize("text", ["NOT_FOUND", ' "NOT_FOUND." ', ""])
def test_an_abstention_has_no_fault(text: str) -> None:
    assert codes(text) == []


def test_each_kind_is_named_once_with_a_sentence() -> None:
    text = "[a](b c) [9] and [d](e f) [8]\n\n```mermaid\nx\n```\n\n```mermaid\ny\n```\n\n```mermaid\ngraph"
    found = faults(text, 3)
    assert [fault.code for fault in found] == [
        "broken_link",
        "unknown_mermaid",
        "unclosed_mermaid",
        "invalid_marker",
        "no_marker",
    ]
    assert all(fault.sentence.endswith(".") and "{" not in fault.sentence for fault in found)


fragments = st.sampled_from(
    [
        "```",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "> ",
        "- ",
        "mermaid",
        "graph",
        "[",
        "]",
        "(",
        ")",
        "<https://",
        "a",
        "[1]",
        "\\",
        "`",
    ]
) | st.sampled_from(["---", "%%{", "}%%", "![", "\x00", "\u2028"])


@settings(max_examples=500)
@given(st.one_of(st.text(), st.lists(fragments, max_size=30).map("".join)))
def test_every_text_is_judged(text: str) -> None:
    assert len(codes(text)) == len(set(codes(text)))


@given(st.lists(st.sampled_from(["a", "``", "", "[1]", "    x", "# h", "- b"]), max_size=8))
def test_a_fence_around_any_lines_is_closed_exactly_with_its_last_line(lines: list[str]) -> None:
    fenced = "\n".join([CITED, "```", *lines])
    assert codes(fenced) == ["unclosed_fence"]
    assert codes(f"{fenced}\n```") == []


@pytest.mark.parametrize("unit", ["[", "](", "![", "```mermaid\n%%{", "`", "<https://", "%%{", "> ", "- ", "*a_"])
def test_the_longest_answer_is_judged_in_little_time(unit: str) -> None:
    started = time.perf_counter()
    faults(unit * (16_000 // len(unit)), 8)
    assert time.perf_counter() - started < 20

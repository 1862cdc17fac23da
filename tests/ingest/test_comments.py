"""Comments in Markdown are hidden text; what only looks like one is text."""

from __future__ import annotations

import pytest

from ingest.readers import markdown


def text(source: str) -> str:
    return "\n\n".join(block.text for block in markdown.parse(source).blocks)


def blocks(source: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.heading) for block in markdown.parse(source).blocks]


HIDDEN = {
    "in a paragraph": ("a <!-- secret --> b", "a  b"),
    "over lines": ("a <!-- secret\nsecret --> b", "a  b"),
    "a block": ("a\n\n<!-- secret\n\nsecret -->\n\nb", "a\n\nb"),
    "a block with text behind it": ("<!-- secret --> a", " a"),
    "unclosed block": ("a\n\n<!-- secret\n\nsecret", "a"),
    "two on a line": ("a<!--secret-->b<!--secret-->c", "abc"),
    "in a list": ("- a <!-- secret -->\n- <!-- secret\n\n  secret -->b", "- a \n- b"),
    "in a quote": ("> a\n> <!-- secret\n> secret -->\n> b", "> a\n> \n> b"),
    "in HTML": ("<div>\n<!-- secret -->\na</div>", "<div>\n\na</div>"),
    "unclosed in HTML": ("<div>a\n<!-- secret\n</div>\n\nb", "<div>a\n\nb"),
    "in a table": ("| a |\n|---|\n| b <!-- secret --> |", "| a |\n|---|\n| b  |"),
    "around a code span": ("a <!-- `secret` --> `b`", "a  `b`"),
    "ticks in two paragraphs of a list": ("- ` a\n- <!-- secret --> ` b", "- ` a\n-  ` b"),
    "ticks that no equal run closes": ("`` a <!-- secret --> ` b", "`` a  ` b"),
    "empty ones": ("a<!-->b<!--->c<!---->d", "abcd"),
    "deeper than the parser goes": (">" * 40 + " a <!-- secret -->\n\nb", ">" * 40 + " a\n\nb"),
    "a definition that leads nowhere": ("a\n\n[//]: # (secret)\n[c]: <> \"secret\"\n[c]: <#> 'secret'\nb", "a\n\nb"),
    "among definitions": ("a\n\n[a]: https://x.org\n[//]: # (secret)", "a\n\n[a]: https://x.org"),
    "before code": ("<!-- secret -->\n```\na\n```", "```\na\n```"),
}


@pytest.mark.parametrize(("source", "shown"), HIDDEN.values(), ids=HIDDEN)
def test_comments_are_left_out(source: str, shown: str) -> None:
    assert text(source) == shown
    assert markdown.parse(source).left_out == ("comments",)


SHOWN = {
    "fence": "```html\n<!-- shown -->\n```",
    "fence in a list": "- a\n\n  ```html\n  <!-- shown -->\n  ```",
    "fence in a quote": "> ~~~\n> <!-- shown -->\n> ~~~",
    "indented code": "a\n\n    <!-- shown -->\n    b",
    "indented code in a list": "- a\n\n      <!-- shown -->",
    "code span": "Write `<!-- shown -->` or ``<!-- ` -->``.",
    "code span over lines": "Write `<!--\nshown -->`.",
    "never closed": "a <!-- shown",
    "closed in another paragraph only": "a <!-- shown\n\n`-->` b",
    "escaped": "a \\<!-- shown --> b",
    "a definition in a paragraph": "a\n[//]: # (shown)",
    "a definition with a title": 'a [b]\n\n[b]: https://x.org "shown"',
    "a definition in code": "```\n[//]: # (shown)\n```",
    "an arrow alone": "a --> b",
}


@pytest.mark.parametrize("source", SHOWN.values(), ids=SHOWN)
def test_what_looks_like_a_comment_but_is_text_is_kept(source: str) -> None:
    assert text(source) == source
    assert markdown.parse(source).left_out == ()


def test_comments_in_headings_are_left_out() -> None:
    assert blocks("# A <!-- secret -->\ntext\n## <!-- secret -->\nmore\n## B <!-- secret -->") == [
        ("text", ("A",)),
        ("more", ("A",)),
        ("## B", ("A",)),
    ]


def test_comments_around_a_heading_leave_it() -> None:
    assert blocks("<!-- secret -->\n# A\n<!-- secret -->\ntext") == [("text", ("A",))]

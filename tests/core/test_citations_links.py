from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.links import Links, images_in, packed_links, stands_alone
from tests.core.citing import filtered, outcome
from tests.sources import source

TEXT = """See https://ok.example/a and [x](/rel) or <mailto:a@b.example>, www.ok.example/w.
![logo](https://img.example/p.png) [odd](https://ok.example/(b)) <img src="https://img.example/q.png">
[ref]: https://ok.example/ref "Title"
[bad](javascript:alert(1)) [worse](https://ok.example/`) `https://ok.example/code`
"""


SOURCES = [
    source(1, TEXT, url="https://docs.example/hr/leave", title="Leave [9] *policy*"),
    source(2, url="https://docs.example/pay", title="Pay"),
    source(3),
]
LINKS = packed_links(SOURCES)
AS_LINKS = packed_links(SOURCES, style="links")
WITH_IMAGES = packed_links(SOURCES, image_hosts=["img.example"])


@pytest.mark.parametrize(
    ("written", "leaves"),
    [
        ("[x](https://ok.example/a)", "[x](https://ok.example/a)"),
        ('[x](https://ok.example/a "title [9]")', "[x](https://ok.example/a)"),
        ("[x]( <https://ok.example/a> )", "[x](https://ok.example/a)"),
        ("[x](<https://ok.example/a> b)", "[x](&lt;https ok.example/a> b)"),
        ("[x](<https://evil.example> b)", "[x](&lt;https evil.example> b)"),
        ("[x](<javascript:alert(1)>", "x"),
        ("[x](https://ok.example/a<https://evil.example>)", "[x]\\(https ok.example/ahttps evil.example)"),
        ("[x](https://ok.example/(b))", "[x](https://ok.example/(b))"),
        ("[x](/rel)", "[x](https://docs.example/rel)"),
        ("[x](https://docs.example/rel)", "[x](https://docs.example/rel)"),
        ("[x](mailto:a@b.example)", "[x](mailto:a@b.example)"),
        ("[x](https://ok.example/code)", "[x](https://ok.example/code)"),
        ("[x](https://ok.example/A)", "x"),
        ("[x](https://ok.example/a?data=1)", "x"),
        ("[x](https://ok.example/`)", "x"),
        ("[x](javascript:alert(1))", "x"),
        ("<https://ok.example/a>", "<https://ok.example/a>"),
        ("\\\ue200<https://ok.example/a>", "\\ <https://ok.example/a>"),
        ("- a\n<sup><https://ok.example/a>", "- a\n<https://ok.example/a>"),
        ("https://ok.example/a.", "https://ok.example/a."),
        ("(https://ok.example/a)", "(https://ok.example/a)"),
        ("https://ok.example/ab", "https ok.example/ab"),
        ("[\ue201" + 64 * "a" + "](https://ok.example/a)[", 64 * "a" + "](https ok.example/a)["),
        ("https://ok.example/a[1]", "https://ok.example/a [1]"),
        ("https://ok.example/a`x`", "https://ok.example/a `x`"),
        ("https://ok.example/[9]a", "https://ok.example/a"),
        ("HTTPS://ok.example/a", "HTTPS ok.example/a"),
        ("www.ok.example/w", "www.ok.example/w"),
        ("[a]: https://ok.example/a 'title'\n[a]", "[a]: https://ok.example/a\n[a]"),
        ("[[a](https://ok.example/a)](https://ok.example/a)", "[[a](https://ok.example/a)]"),
        ("![x](https://img.example/p.png)", "[x](https://img.example/p.png)"),
        ("![x][a]\n\n[a]: https://img.example/p.png", "![x][a]\n\n"),
        ("[a]: https://img.example/p.png\n\n![x][a]", "[a]: https://img.example/p.png\n\n[x][a]"),
    ],
)
def test_what_stands_in_a_source_may_be_a_link(written: str, leaves: str) -> None:
    assert outcome([written], LINKS)[0] == leaves
    assert outcome(list(written), LINKS)[0] == leaves
    assert filtered(leaves, LINKS) == leaves


@pytest.mark.parametrize(
    ("written", "leaves", "valid"),
    [
        ("See [the policy](https://docs.example/hr/leave).", "See the policy [1].", {1}),
        ("See [Pay](https://docs.example/pay).", "See [2].", {2}),
        ("See [](https://docs.example/pay).", "See [2].", {2}),
        ("See <https://docs.example/pay>.", "See [2].", {2}),
        ("See https://docs.example/pay.", "See https://docs.example/pay [2].", {2}),
        ("See https://docs.example/pay [2].", "See https://docs.example/pay [2].", {2}),
        ("https://docs.example/pay www.evil.example", "https://docs.example/pay [2] www evil.example", {2}),
        ("See [9](https://docs.example/pay).", "See.", set()),
        ("[[1], [see" + 60 * " a" + "](https://docs.example/pay)]", "[[1], [see" + 60 * " a" + "] [2]]", {1, 2}),
        ("[[1], [see" + 20 * " a" + "](https://docs.example/pay)]", "[[1], see" + 20 * " a" + " [2]]", {1, 2}),
        ("See [it](https://ok.example/a).", "See [it](https://ok.example/a).", set()),
        ("See `https://docs.example/pay`.", "See `https://docs.example/pay`.", set()),
        ("[【](https://docs.example/pay)<p>]", "[【] [2] ]", {2}),
        ("\\\ue200<https://docs.example/pay>", "\\ [2]", {2}),
    ],
)
def test_a_link_to_a_document_is_a_citation_of_its_source(written: str, leaves: str, valid: set[int]) -> None:
    assert outcome([written], LINKS)[:2] == (leaves, valid)
    assert outcome(list(written), LINKS)[:2] == (leaves, valid)
    assert outcome([leaves], LINKS)[:2] == (leaves, valid)


@pytest.mark.parametrize(
    ("written", "leaves"),
    [
        ("a [1].", "a [Leave (9) \\*policy\\*](https://docs.example/hr/leave)."),
        ("a [2, 3].", "a [Pay](https://docs.example/pay)[3]."),
        ("Yes![2]", "Yes! [Pay](https://docs.example/pay)"),
        ("Yes!\n[2]", "Yes!\n[Pay](https://docs.example/pay)"),
        ("a [Pay](https://docs.example/pay).", "a [Pay](https://docs.example/pay)."),
        ("a [it](https://docs.example/pay).", "a it [Pay](https://docs.example/pay)."),
        ("a [9].", "a."),
    ],
)
def test_citations_are_links_in_the_style_of_links(written: str, leaves: str) -> None:
    assert filtered(written, AS_LINKS) == leaves
    assert filtered(leaves, AS_LINKS) == leaves


def test_an_image_is_live_only_from_a_trusted_host() -> None:
    assert filtered("![x](https://img.example/p.png)", WITH_IMAGES) == "![x](https://img.example/p.png)"
    assert filtered("![x](https://img.example/other.png)", WITH_IMAGES) == "x"
    assert filtered("![x](https://ok.example/a)", WITH_IMAGES) == "[x](https://ok.example/a)"


def test_what_was_made_dead_is_counted() -> None:
    written = (
        "[a](https://e.example) <https://e.example> https://e.example www.e.example ![a](//e.example)\n[b]: //e.example"
    )
    assert outcome([written], LINKS)[3] == 6
    assert outcome(["<a href='//e.example'>a</a> <img src=//e.example> <b onclick=x>"], LINKS)[3] == 2
    assert outcome(["[a](https://ok.example/a) https://ok.example/a [1](https://e.example)"], LINKS)[3] == 0


def test_a_long_title_fits_a_citation() -> None:
    links = packed_links([source(1, url="https://docs.example/a", title="word * " * 40)], style="links")
    once = filtered("a [1]", links)
    assert once == "a [" + r"word \* " * 6 + r"word \*…](https://docs.example/a)"
    assert filtered(once, links) == once


def test_no_links_are_packed_without_sources() -> None:
    assert packed_links([]) == Links()


@pytest.mark.parametrize("url", ["ftp://x.example", "javascript:a", "/rel", "https://x.example/a b", "https://[", None])
def test_a_document_at_no_web_address_has_no_link(url: str | None) -> None:
    assert packed_links([source(1, url=url)], style="links").render(1) == "[1]"


def test_the_images_of_a_text() -> None:
    assert images_in(TEXT) == ("https://img.example/p.png", "https://img.example/q.png")
    assert images_in("![a](b.png)", "https://docs.example/hr/leave") == ("https://docs.example/hr/b.png",)
    assert images_in("![a](b.png)") == ()


@pytest.mark.parametrize(
    ("url", "alone"),
    [
        ("https://x.example/a", True),
        ("https://x.example/(a)", True),
        ("https://x.example/a.", False),
        ("https://x.example/(", False),
        ("javascript:a", False),
    ],
)
def test_a_url_that_a_reader_would_cut_does_not_stand_alone(url: str, alone: bool) -> None:
    assert stands_alone(url) is alone


parts = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "](",
        "![",
        "<",
        ">",
        ": ",
        "\n",
        "\n\n",
        " ",
        "a",
        "[1]",
        "[9]",
        "`",
        "\\",
        '"',
        "'",
        "&colon;",
    ]
)
foreign = st.sampled_from(
    ["https://evil.example/?q=", "javascript:alert(1)", "//evil.example", "data:x", "www.evil.example"]
)
packed = st.sampled_from(
    ["https://ok.example/a", "https://docs.example/pay", "/rel", "https://img.example/p.png", "https://"]
)
tags = st.sampled_from(["<a href='https://evil.example'>", "<img src=//evil.example>", "<b onclick=x>", "<div", "<!--"])
whole = st.sampled_from(
    ["[a](https://evil.example)", "[a]: https://evil.example\n", "![a][b]", "[b]: //evil.example\n"]
)
linked = st.lists(st.one_of(parts, parts, foreign, packed, tags, whole), max_size=20).map("".join)
ALLOWED = set(LINKS.urls.values())


@settings(max_examples=1000, deadline=None)
@given(linked)
def test_another_parser_finds_no_link_but_those_of_the_sources(text: str) -> None:
    """Words without a dot or slash are left alone: they lead nowhere else."""
    parser = MarkdownIt("commonmark")
    for token in parser.parse(filtered(text, WITH_IMAGES)):
        assert token.type != "html_block"
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            assert target is None or target in ALLOWED or str(target).replace("-", "").isalnum()
            assert child.type != "html_inline" or not any(
                sign in child.content for sign in ("=", "script", "<a", "<img")
            )


BARE_URL = re.compile(r"(?:\b(?:https?|ftp)://|(?<![A-Za-z0-9])www\.)\S*evil", re.IGNORECASE)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.one_of(foreign, packed, st.sampled_from([" ", ".", "a", "\n", "[1]", "[9]", "<b>"])), max_size=8))
def test_a_reader_makes_no_link_of_a_bare_url_but_those_of_the_sources(pieces: list[str]) -> None:
    assert not BARE_URL.search(re.sub(r"https://\w+\.example/\w+", "", filtered("".join(pieces), LINKS)))


@settings(max_examples=500, deadline=None)
@given(linked)
def test_a_split_changes_no_link(text: str) -> None:
    assert outcome(list(text), LINKS) == outcome([text], LINKS)
    assert outcome(list(text), AS_LINKS) == outcome([text], AS_LINKS)


@settings(max_examples=500, deadline=None)
@given(linked)
def test_what_leaves_with_links_passes_unchanged(text: str) -> None:
    """But for an open `![`: a long label loses its exclamation mark, and a citation may have lengthened it."""
    once = filtered(text, LINKS)
    assume("![" not in once)
    assert filtered(once, LINKS) == once

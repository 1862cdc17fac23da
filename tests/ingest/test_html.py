"""HTML: the structure of a page, what it says of itself, and every visible word of it."""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document import Block
from ingest.errors import UnreadableDocument
from ingest.readers import html

FILES = Path(__file__).parent / "files" / "pages"


def blocks(source: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.heading) for block in html.parse(source).blocks]


def text(source: str) -> str:
    return "\n\n".join(block.text for block in html.parse(source).blocks)


def test_a_literal_section_is_text_in_xhtml_and_none_in_html() -> None:
    page = b"<p>a <![CDATA[b <i> &amp;]]></p><script>//<![CDATA[\nx()\n//]]></script>"
    assert [block.text for block in html.read(page, "A.XHTML").blocks] == ["a b <i> &amp;"]
    assert "b <i>" not in html.read(page, "a.html").blocks[0].text


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("<p>10<sup>6</sup> rows, m<sup> 2 </sup>, 10<sup><b>-3</b></sup>", "10^6 rows, m^ 2 , 10^-3"),
        ("<p>the 2<sup>nd</sup>, <sup>1</sup> a note<sup>[3]</sup>, H<sub>2</sub>O", "the 2nd, 1 a note[3], H2O"),
        ("<p><math><msup><mn>10</mn><mn>9</mn></msup></math>", "10^9"),
        ("<table><tr><th>A<th>B<tr><td>10<sup>6</sup><td>c</table>", "| A | B |\n| --- | --- |\n| 10^6 | c |"),
    ],
)
def test_a_raised_number_does_not_run_into_the_one_before_it(source: str, said: str) -> None:
    assert text(source) == said


def test_blocks_stand_under_the_headings_above_them() -> None:
    source = "before<h1>A</h1>one<h3>B <em>b</em></h3><p>two<p>three<h2>C</h2><div>four<br>five</div><h1>D</h1>"
    assert blocks(source) == [
        ("before", ()),
        ("one", ("A",)),
        ("two", ("A", "B b")),
        ("three", ("A", "B b")),
        ("four\nfive", ("A", "C")),
        ("D", ()),
    ]


def test_a_page_needs_no_body_tag() -> None:
    assert blocks("<!doctype html><title>T</title><main><h1>A</h1><custom-note>one</custom-note></main>") == [
        ("one", ("A",))
    ]


def test_lists_are_written_as_lists() -> None:
    source = (
        "<ul><li>a<ul><li>b<li><p>c</p><p>d</p></ul><li>e <b>f</b></ul>"
        "<ol start=9><li>i<li>j<pre>k\nl</pre><li value=12>m<li value=x>n</ol>"
        "<dl><dt>Term<dd>What it means<dt>Other<dd>More</dl>"
    )
    assert html.parse(source).blocks == (
        Block("- a\n  - b\n  - c\n    d\n- e f", kind="list"),
        Block("9. i\n10. j\n    ```\n    k\n    l\n    ```\n12. m\n13. n", kind="list"),
        Block("- Term\n  What it means\n- Other\n  More", kind="list"),
    )


def test_tables_are_written_with_their_head() -> None:
    source = (
        "<table><caption>Limits</caption><thead><tr><th>City<th>Meals<th>Night</thead>"
        "<tr><td rowspan=2>Bremen<td colspan=2>28 | all<tr><td><p>30</p><p>gross</p><td>120</table>"
    )
    assert html.parse(source).blocks == (
        Block("Limits"),
        Block(
            "| City | Meals | Night |\n| --- | --- | --- |\n| Bremen | 28 \\| all |  |\n| Bremen | 30 gross | 120 |",
            kind="table",
        ),
    )


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><td><h1>A</h1>one<td><p>two</table>",
        "<table role=presentation><tr><td><h1>A</h1><tr><td>one<td>two</table>",
        "<h1>A</h1><table><tr><td><table><tr><td>one<tr><td>two</table></table>",
    ],
)
def test_a_table_that_only_places_text_is_none(source: str) -> None:
    assert blocks(source) == [("one", ("A",)), ("two", ("A",))]


def test_a_spanning_cell_can_not_blow_up_a_table() -> None:
    cell = "<td rowspan=9999 colspan=9999>" + "long " * 200
    source = f"<table><tr>{cell}<td>b{'<tr><td>c' * 2_000}</table>"
    assert len(text(source)) < 2_000 * 200


def test_code_keeps_its_lines_and_its_language() -> None:
    source = '<pre><code class="hljs language-py">def f():\n    return <b>1</b>  \n\nf()\n</code></pre>'
    lines = "<pre><div>a</div><div>  b</div><span>c</span></pre><pre> </pre>"
    assert html.parse(source + lines).blocks == (
        Block("```py\ndef f():\n    return 1  \n\nf()\n```", kind="code"),
        Block("```\na\n  b\nc\n```", kind="code"),
    )


def test_links_keep_their_text_and_images_theirs() -> None:
    document = html.parse('<p>See <a href="/f">the form</a>. <img src=a alt="A map"><img src=b><img src=c alt=""></p>')
    assert document.blocks[0].text == "See the form. A map"
    assert document.left_out == ("1 image",)


def test_white_space_folds_as_in_a_browser() -> None:
    assert text("<p> a \n\t b<span> c</span>  d<br> e&nbsp; f so&shy;ft</p>\n\n<p>&nbsp;</p>") == (
        "a b c d\ne\u00a0 f soft"
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<script>let a</script><nav>x</nav>", "it holds no text besides navigation, page headers, footers and asides"),
        ("<html></html>", "it holds no text"),
        ("<!-- nothing -->", "it holds no text"),
        ("<frameset><frame src=a></frameset>", "it holds no text"),
        ("<p>a" + "<div>" * 5_000 + "b", "its elements are nested too deeply"),
    ],
)
def test_a_page_without_text_is_refused(source: str, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        html.parse(source)
    assert str(refused.value) == reason


def test_a_page_of_pandoc() -> None:
    document = html.read((FILES / "pandoc.html").read_bytes(), "pandoc.html")
    assert (document.title, document.tags, document.updated_at) == (
        "Travel handbook",
        ("travel", "expenses"),
        "2024-03-05",
    )
    assert document.left_out == ("navigation, page headers, footers and asides",)
    assert [(block.heading, block.kind) for block in document.blocks[:5]] == [
        (("Booking",), "paragraph"),
        (("Booking",), "list"),
        (("Booking", "Rates"), "table"),
        (("Booking", "Rates"), "paragraph"),
        (("Booking", "Calling the interface"), "code"),
    ]
    assert document.blocks[4].text == (
        '```python\ndef book(city, nights):\n    return desk.post("/trips", city, nights)\n```'
    )


def test_a_page_of_libreoffice() -> None:
    document = html.read((FILES / "libreoffice.html").read_bytes(), "libreoffice.html")
    assert document.title == "Leave policy"
    assert [block.text for block in document.blocks] == [
        "You get 30 days.",
        "- Call before nine.\n- Send a note on day three.",
        "| Year | Days |\n| --- | --- |\n| First | 28 |\n| Later | 30 |",
        "End.",
    ]


HOSTILE = {
    "open tags": "<b>" * 1_900 + "a",
    "lists in lists": "<ul><li>a" * 900,
    "tables in tables": "<table><tr><td>a<td>b" * 400,
    "unclosed quotes": "<p>a" + "<a href='" * 20_000,
    "entities": "<p>a" + "&amp" * 50_000,
    "attributes": "<p " + "a=b " * 50_000 + ">a",
    "styles": f"<style>{'.a{display:none}{' * 20_000}</style><p>a",
    "comments": "<p>a" + "<!--" * 50_000,
    "boilerplate in boilerplate": "<div class=sidebar><h1>a</h1>" * 900,
    "breaks": "<p>a" + "<br> " * 50_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_are_read_in_linear_time(source: str) -> None:
    started = time.process_time()
    assert html.parse(source).blocks
    assert time.process_time() - started < 5


_WORD = re.compile(r"w\d{3}")
WORDS = st.integers(100, 999).map("w{}".format)
INLINE = st.one_of(
    WORDS,
    WORDS.map("<b>{}</b>".format),
    WORDS.map("<a href='#'>{}</a> ".format),
    st.sampled_from([" ", "<br>", "\n", "&amp;", "<!-- x -->", "<script>x</script>", "<span hidden>x</span>"]),
)
FLOW = st.recursive(
    st.lists(INLINE, min_size=1, max_size=4).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["p", "div", "section", "blockquote", "li", "h1", "h2", "h3", "details"]), inner).map(
            lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"
        ),
        st.lists(inner, max_size=3).map(lambda items: f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"),
        st.lists(inner, max_size=3).map(lambda items: f"<ol>{''.join(f'<li>{item}' for item in items)}</ol>"),
        st.lists(st.tuples(inner, inner), max_size=3).map(
            lambda rows: f"<table>{''.join(f'<tr><td>{a}<td>{b}' for a, b in rows)}</table>"
        ),
        st.lists(inner, max_size=3).map("".join),
        inner.map("<pre>{}</pre>".format),
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(FLOW)
def test_every_visible_word_is_in_some_block_or_heading_in_order(source: str) -> None:
    document = html.parse(f"<p>w0</p>{source}")
    words = _WORD.findall(source)
    said: list[str] = []
    section = 0
    for block in document.blocks:
        said += _WORD.findall(" ".join([*block.heading[-1:], block.text] if block.section != section else [block.text]))
        section = block.section
    texts = Counter(_WORD.findall(" ".join(block.text for block in document.blocks)))
    assert texts <= Counter(words)  # none is said twice
    remaining = iter(said)
    assert all(word in remaining for word in words), (words, said)
    assert all("x" not in block.text for block in document.blocks)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(source: str) -> None:
    with contextlib.suppress(UnreadableDocument):
        html.parse(source)

"""What a visitor of an HTML page does not see, or sees on every page of the site, is not taken in."""

from __future__ import annotations

import pytest

from ingest.readers import html

BOILERPLATE = "navigation, page headers, footers and asides"


def text(source: str) -> str:
    return "\n\n".join(block.text for block in html.parse(source).blocks)


HIDDEN = [
    "<p hidden>secret</p>",
    "<p hidden=until-found>secret</p>",
    '<div aria-hidden="true"><p>secret</p></div>',
    '<p style="display:none">secret</p>',
    '<p style="color: red; DISPLAY : none !important;">secret</p>',
    '<p style="display:/* */none">secret</p>',
    '<div style="visibility:hidden"><p>secret</p></div>',
    '<span style="font-size:0">secret</span>',
    '<span style="font-size: 0.0px; color: red">secret</span>',
    '<div style="width:0;height:0;overflow:hidden">secret</div>',
    '<div style="max-height: 0px">secret</div>',
    '<p style="opacity:0">secret</p>',
    '<p style="color:transparent">secret</p>',
    '<p style="text-indent:-9999px">secret</p>',
    '<p style="position:absolute; left:-10000px">secret</p>',
    '<p style="clip: rect(0, 0, 0, 0)">secret</p>',
    '<span class="visually-hidden">secret</span>',
    "<style>.x { color: red; display: none }</style><p class='a X'>secret</p>",
    "<style>@media print { p { color: red } } #y, .z{visibility:hidden}</style><p id=y>secret</p><i class=z>secret</i>",
    "<style>p.x, #y.z.w{display:none} .z{display:block}</style><p class=x>secret</p><p id=y class='w v z'>secret</p>",
    "<style>p.x{display:block} p.x.y{display:none}</style><p class='y x'>secret</p>",
    "<p popover>secret</p>",
    '<p style="position:absolute; clip: rect(1px 1px 1px 1px)">secret</p>',
    "<template><p>secret</p></template>",
    "<noscript><p>secret</p></noscript>",
    "<script>secret</script>",
    "<style>secret</style>",
    "<!-- secret -->",
    "<!-- > secret -->",
    "<!--[if IE]> secret <![endif]-->",
    "<?php secret ?>",
    "<dialog>secret</dialog>",
    "<math><semantics><mi>a</mi><annotation encoding=application/x-tex>secret</annotation></semantics></math>",
    "<math><semantics><mi>a</mi><annotation-xml><ci>secret</ci></annotation-xml></semantics></math>",
    "<svg><text>secret</text></svg>",
    "<textarea>secret</textarea>",
    "<ul><li hidden>secret<li>shown</ul>",
    "<table><tr><td>a<td style='display:none'>secret<tr hidden><td>secret</table>",
    "<pre>a<span hidden>secret</span></pre>",
    "<h2>A <span hidden>secret</span></h2>",
    "<h2 hidden>secret</h2>",
]


@pytest.mark.parametrize("source", HIDDEN)
def test_what_is_hidden_is_left_out(source: str) -> None:
    document = html.parse(f"<p>before</p>{source}after")
    said = " ".join(" ".join([*block.heading, block.text]) for block in document.blocks)
    assert "secret" not in said
    assert "before" in said
    assert "after" in said


SHOWN = [
    '<p style="font-size:0.9em">shown</p>',
    '<p style="opacity:0.5; margin:0; line-height:0">shown</p>',
    '<p style="min-width:0; max-width:800px">shown</p>',
    '<p aria-hidden="false">shown</p>',
    "<style>@media print { .x { display: none } }</style><p class=x>shown</p>",
    "<style>.x{display:none} .x.open{display:block}</style><p class='x open'>shown</p>",
    "<style>nav .x, p > .x {display:none}</style><p class=x>shown</p>",
    "<style>.x{display:none</style><p class=x>shown</p>",
    "<style>div.x, .x.y, .x .z, .x:hover, .x::after{display:none}</style><p class='x z'>shown</p>",
    "<style>.x.y{display:none} .x.y.open{display:block}</style><p class='x y'>shown</p>",
    "<details><summary>a</summary>shown</details>",
    "<dialog open>shown</dialog>",
    "<p>&lt;!-- shown --&gt;</p>",
    "<article><header>shown</header></article>",
    "<section><footer>shown</footer></section>",
    "<aside class='admonition note'>shown</aside>",
    "<aside role=note>shown</aside>",
    "<div class='layout sidebar'><article>shown</article></div>",
    "<body style='visibility:hidden' class=nav><p>shown",
]


@pytest.mark.parametrize("source", SHOWN)
def test_what_is_shown_is_taken_in(source: str) -> None:
    assert "shown" in text(source)


@pytest.mark.parametrize(
    "source",
    [
        "<nav>all pages</nav>",
        "<article><nav>all pages</nav></article>",
        "<header><a>all pages</a></header>",
        "<footer>all pages</footer>",
        "<aside>all pages</aside>",
        "<div role=navigation>all pages</div>",
        "<div class='left sidebar'>all pages</div>",
        "<ul id=breadcrumbs><li>all pages</ul>",
        "<a href=#top>↑</a>",
    ],
)
def test_what_stands_on_every_page_is_left_out_and_told(source: str) -> None:
    document = html.parse(f"{source}<h1>A</h1><p>text</p>")
    assert [block.text for block in document.blocks] == ["text"]
    assert document.left_out == (BOILERPLATE,)


def test_a_link_to_its_own_heading_or_note_is_no_text() -> None:
    page = html.parse(
        "<h1>A<a class=headerlink href=#a>¶</a></h1><p>b<a href=#n>[1]</a> <a href=/c>→</a><p id=n>n <a href=#r>↩︎</a>"
    )
    assert (page.title, text("<h2>A <a href=#a>#</a></h2>b")) == ("A", "b")
    assert [(block.heading, block.text) for block in page.blocks] == [(("A",), "b[1] →"), (("A",), "n")]


def test_a_page_header_that_holds_the_only_first_heading_is_text() -> None:
    title = "<header><nav>menu</nav><h1>A</h1><p>by the author</p></header>"
    assert text(f"{title}<p>text") == "by the author\n\ntext"
    assert text(f"{title}<h1>B</h1><p>text") == "text"


def test_of_a_page_with_a_main_part_only_that_is_text() -> None:
    document = html.parse("<div>cookies</div><main><h1>A</h1><p>what it is all about</p></main>")
    assert [block.text for block in document.blocks] == ["what it is all about"]
    assert document.left_out == ("text outside <main>",)


@pytest.mark.parametrize(
    "source",
    ["<main>a</main><p>the text is here, by mistake", "<main>text</main><main>text by mistake", "<main></main>text"],
)
def test_a_main_part_without_most_of_the_text_stands_for_nothing(source: str) -> None:
    document = html.parse(source)
    assert "mistake" in document.blocks[-1].text or document.blocks[-1].text == "text"
    assert document.left_out == ()


def test_what_is_left_out_is_told_once_and_only_if_it_is_text() -> None:
    source = "<p>a<button>Send</button><button>Stop</button><input value=x><svg></svg><iframe>b</iframe><i hidden> </i>"
    assert html.parse(source).left_out == ("buttons and fields of forms", "drawings and embedded objects")


def test_a_style_sheet_without_rules_is_read_in_no_time() -> None:
    """Where the end of a rule was looked for from each character anew, this took half an hour."""
    assert text(f"<style>{'a ' * 500_000}</style><p>shown") == "shown"

"""What a browser takes for a tag although CommonMark does not."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.citing import filtered, outcome

LIVE = [
    "<svg/onload=alert(1)>",
    "Look: <svg/onload=alert(1)> [1]",
    "<a/href=//evil.example>here</a>",
    "<img/src=x/onerror=alert(1)>",
    "<svg/onload=alert(1)\n> y",
    "<svg/\nonload = x",
    "<SVG/ONLOAD=1>",
    "<a/b c href=x>",
    "- <div/style=x>\n- b",
]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}


def attributes_in(text: str) -> set[str]:
    reader = _Tags()
    reader.feed(text)
    reader.close()
    return reader.attributes


@pytest.mark.parametrize("text", LIVE)
def test_no_tag_with_slashes_runs_anything_where_html_is_let_through(text: str) -> None:
    left = filtered(text)
    assert not {name for name in attributes_in(left) if name.startswith("on") or name in ("href", "src", "style")}
    assert filtered(left) == left
    assert outcome(list(text)) == outcome([text])


@pytest.mark.parametrize("text", ["cd <path/to/dir> now", "a <b/c and d", "x <path/to", "and/or a<b/c>d", "1</2 <3/4>"])
def test_a_path_in_angle_brackets_is_text(text: str) -> None:
    assert filtered(text) == text


@given(
    st.lists(
        st.sampled_from(["<", "svg", "/", "onload", "=", " ", ">", "href", "x", '"', "\n", "a", "[1]"]), max_size=12
    )
)
def test_no_handler_and_no_address_survives_in_any_mixture(parts: list[str]) -> None:
    text = "".join(parts)
    assert not attributes_in(filtered(text)) & {"onload", "href"}
    assert outcome(list(text)) == outcome([text])

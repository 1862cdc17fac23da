from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.core.citations import CitationFilter
from app.core.merging import merge
from app.core.model import Candidate, Passage
from app.core.titles import as_text, place, section

NASTY = st.lists(
    st.sampled_from(
        [
            *"[]【】()<>`*\\|_!#&:/†^,;-–~=+. 1239aS\n\t\U000e0041",
            "http://evil.example",
            "<source id=",
            "&#91;",
            "```",
            "~~~",
            "Sources",
        ]
    ),
    max_size=12,
).map("".join)

MARKDOWN = MarkdownIt("commonmark").enable("strikethrough")


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("On-call, week 2 (new)", "On-call, week 2 (new)"),
        ("  Two\n lines ", "Two lines"),
        ("Leave [1]", "Leave (1)"),
        ("a [link](https://evil.example)", "a (link)(https: //evil.example)"),
        ("*bold* `code` ~~~", r"\*bold\* \`code\` \~\~\~"),
        ("# C#", r"\# C#"),
        ("- item", r"\- item"),
        ("snake_case _and_ __init__.py", r"snake_case \_and\_ \_\_init\_\_.py"),
        ("<b>x</b>", "(b)x(/b)"),
    ],
)
def test_markup_in_a_title_is_shown_and_not_obeyed(title: str, text: str) -> None:
    assert as_text(title) == text


@pytest.mark.parametrize(
    ("headings", "shared"),
    [
        ([("Leave", "Sick")], ("Leave", "Sick")),
        ([("Leave", "Sick"), ("Leave", "Sick")], ("Leave", "Sick")),
        ([("Leave", "Annual"), ("Leave", "Sick")], ("Leave", "Annual … Sick")),
        ([("Leave", "Annual"), ("Leave", "Other"), ("Leave", "Sick", "Pay")], ("Leave", "Annual … Sick")),
        ([("Leave",), ("Leave", "Sick")], ("Leave",)),
        ([("Annual",), ("Sick",)], ("Annual … Sick",)),
    ],
)
def test_a_merged_source_names_the_range_of_its_headings(
    headings: list[tuple[str, ...]], shared: tuple[str, ...]
) -> None:
    passages = [
        Passage(
            passage_id=str(position),
            document_id="leave.md",
            content_hash=str(position),
            position=position,
            title="Leave",
            heading=heading,
            text=f"Text of {position}.",
        )
        for position, heading in enumerate(headings)
    ]
    (merged,) = merge([Candidate(passage, 0.5) for passage in passages], passages, 1_000)
    assert section(merged) == shared


@pytest.mark.parametrize(
    ("page", "pages", "text"),
    [
        (None, None, "Leave › Carry-over"),
        (3, None, "Leave › Carry-over, p. 3"),
        (3, (3, 3), "Leave › Carry-over, p. 3"),
        (3, (2, 4), "Leave › Carry-over, p. 2–4"),
    ],
)
def test_a_place_names_its_page_or_the_range_of_them(
    page: int | None, pages: tuple[int, int] | None, text: str
) -> None:
    assert place("Leave", ("Leave", "Carry-over"), page, "leave.pdf", pages) == text


@given(st.text() | NASTY)
def test_no_title_brings_markup_or_a_marker(title: str) -> None:
    line = f"- x {as_text(title)} [1]\n- {as_text(title) or 'x'} [2]"
    citations = CitationFilter(2)
    assert citations.feed(line) + citations.flush() == line
    assert (citations.valid, citations.dropped) == ({1, 2}, [])
    rendered = MARKDOWN.render(line)
    assert not any(tag in rendered for tag in ("<a", "<img", "<code", "<pre", "<em", "<strong", "<h", "<s>"))

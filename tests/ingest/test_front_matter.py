"""What the YAML block of a Markdown file says of it, and what it may not do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UnreadableDocument
from ingest.readers import front_matter, markdown
from ingest.readers.front_matter import FrontMatter


def about(*lines: str) -> FrontMatter:
    return front_matter.split("\n".join(["---", *lines, "---", "Text."]))[0]


def refusal(source: str) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        front_matter.split(source)
    return str(refused.value)


def test_all_fields_are_read_and_the_text_begins_below() -> None:
    source = (
        "---\ntitle: Leave\nurl: https://example.org/leave\nupdated: 2026-03-01\ntags: [hr, time]\n"
        "access: [staff, hr]\nlayout: page\n---\n\n# Leave\n"
    )
    expected = FrontMatter("Leave", "https://example.org/leave", "2026-03-01", ("hr", "time"), ("staff", "hr"))
    assert front_matter.split(source) == (expected, "\n# Leave\n")


@pytest.mark.parametrize(
    "source",
    [
        "---\ntitle: T\n---\nText.",
        "---\ntitle: T\n...\nText.",
        "--- \t\ntitle: T\n---\t\nText.",
        "\n\n---\ntitle: T\n---\nText.",
        "---\n# a comment\ntitle: T\n---\nText.",
        "---\nTitle: T\n---\nText.",
        '---\n"title": >\n  T\n---\nText.',
        "---\n\ntitle: T\n---\nText.",
    ],
)
def test_spellings_of_the_block(source: str) -> None:
    assert front_matter.split(source) == (FrontMatter("T"), "Text.")


@pytest.mark.parametrize(
    "source",
    [
        "Text.",
        "",
        "# ---\ntitle: T\n---\n",
        "----\ntitle: T\n----\n",
        "---\nA text between two rules.\n---\nText.",
        "---\n- a list\n---\nText.",
        "---\n\nNote: a text between two rules.\n\n---\n\nText.",
        "---\nNo end, and no field either.",
        "text\n---\ntitle: T\n---\n",
    ],
)
def test_what_is_no_front_matter_is_text(source: str) -> None:
    assert front_matter.split(source) == (FrontMatter(), source)


@pytest.mark.parametrize(
    ("line", "language"),
    [("lang: de-AT", "de"), ("language: nb", "no"), ("lang: no", "no"), ("lang: German", None), ("lang: [de]", None)],
)
def test_the_language_is_a_tag(line: str, language: str | None) -> None:
    assert about(line).language == language


@pytest.mark.parametrize("source", ["---\n---\nText.", "---\n# nothing\n---\nText.", "---\n\n---\nText."])
def test_an_empty_block_says_nothing(source: str) -> None:
    assert front_matter.split(source) == (FrontMatter(), "Text.")


def test_a_document_of_front_matter_alone_has_no_text() -> None:
    document = markdown.parse("---\ntitle: T\n---\n")
    assert (document.title, document.blocks) == ("T", ())


@pytest.mark.parametrize(
    "block",
    [
        "title: [",
        "title: 'open",
        "a: b: c",
        "\ttitle: T",
        "title: T\n title: U",
        "key: &a *b",
        "a: \x07",
        "? [",
        "%YAML",
    ],
)
def test_broken_yaml_fails_the_document(block: str) -> None:
    assert refusal(f"---\n{block}\n---\nText.") == "its front matter is not valid YAML"


@pytest.mark.parametrize(
    "block", ["access: hr", "title: T", "# a comment\naccess: hr", "\n \naccess: hr", '"access" : hr', "Access:\n- hr"]
)
def test_a_block_without_end_fails_the_document(block: str) -> None:
    assert refusal(f"---\n{block}\n\n# Salaries\n") == "its front matter has no end: close it with a line `---`"


def test_a_rule_above_a_text_is_no_block_without_end() -> None:
    for text in ("---\n\nNote: a text.\n", "---\n# Access\n\naccess: who may see it\n", "---\nOf access: all.\n"):
        assert front_matter.split(text) == (FrontMatter(), text)


def test_a_block_without_end_is_looked_for_once() -> None:
    started = time.monotonic()
    for line in (" \n", "a\n", " a\n"):
        front_matter.split("---\n" + line * 500_000)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("block", ["<<: {access: hr}", "base: &base {access: hr}\n<<: *base"])
def test_fields_that_are_taken_over_fail_the_document(block: str) -> None:
    """They may speak of access."""
    assert refusal(f"---\n{block}\n---\nText.") == "its front matter takes fields over with `<<`: write them out"


def test_a_field_said_twice_fails_the_document() -> None:
    assert refusal("---\naccess: hr\nAccess: public\n---\n") == "its front matter says `access` twice"


@pytest.mark.parametrize(
    ("value", "groups"),
    [
        ("hr", ("hr",)),
        ("hr, staff", ("hr", "staff")),
        ("[hr, staff, hr]", ("hr", "staff")),
        ("[no, on-call]", ("no", "on-call")),
        ('"5"', ("5",)),
        ("\n  - hr\n  - public", ("hr", "public")),
        ("", ()),
        ("~", ()),
        ("null", ()),
        ("[]", ()),
        ("{hr: true}", ()),
        ("5", ()),
        ("true", ()),
        ("2026-01-01", ()),
        ("[[public]]", ()),
        ('""', ()),
        ("[{public: 1}, hr]", ("hr",)),
    ],
)
def test_access_is_groups_by_name_and_nobody_when_it_is_anything_else(value: str, groups: tuple[str, ...]) -> None:
    assert about(f"access: {value}").access == groups


def test_without_access_nothing_is_said_of_it() -> None:
    assert about("title: T").access is None


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("one", ("one",)),
        ("one, two words ,", ("one", "two words")),
        ("[one, 2, 2026-01-01, yes, one, '']", ("one", "2", "2026-01-01", "yes")),
        ("{a: b}", ()),
        ("", ()),
    ],
)
def test_tags_are_a_list_or_a_string_with_commas(value: str, tags: tuple[str, ...]) -> None:
    assert about(f"tags: {value}").tags == tags


@pytest.mark.parametrize("title", ["1.10", "No", "2026-01-01", "12:30", "0x10", "Größe & Co."])
def test_a_title_is_taken_as_it_is_written(title: str) -> None:
    assert about(f"title: {title}").title == title


def test_characters_written_as_pairs_of_surrogates_are_one_each() -> None:
    said = about('title: "Party \\ud83c\\udf89"', 'tags: ["\\ud83c"]')
    assert (said.title, said.tags) == ("Party 🎉", ("\ufffd",))


@pytest.mark.parametrize("title", ["", "null", "[a, b]", "{a: b}"])
def test_a_title_that_is_no_text_is_none(title: str) -> None:
    assert about(f"title: {title}").title == ""


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-03-01", "2026-03-01"),
        ("2026-3-1", "2026-03-01"),
        ('"2026-03-01"', "2026-03-01"),
        ("2026-03-01T23:30:00-05:00", "2026-03-01"),
        ("2026-03-01 10:00:00 +0200", "2026-03-01"),
        ("2026-02-30", None),
        ("1 March 2026", None),
        ("2026-03-011", None),
        ("20260301", None),
        ("[2026-03-01]", None),
    ],
)
def test_dates_are_the_day_as_it_is_written(value: str, day: str | None) -> None:
    assert about(f"updated: {value}").updated_at == day


def test_the_first_date_that_can_be_read_counts() -> None:
    assert about("date: 2020-01-01", "last_modified: 2021-01-01", "updated: soon").updated_at == "2021-01-01"


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("https://example.org/a?b#c", "https://example.org/a?b#c"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//example.org", None),
        ("/leave", None),
        ("https://", None),
        ('"https://[broken"', None),
        ('"https://a b"', None),
        ("5", None),
    ],
)
def test_only_web_addresses_become_links(value: str, url: str | None) -> None:
    assert about(f"url: {value}").url == url


def bomb(merge: str) -> str:
    """Ten times ten times ... as many values, if aliases were followed."""
    levels = [f"a{n}: &a{n} {{{merge}: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    return "\n".join(["a0: &a0 {x: y}", *levels, "access: *a11", "tags: [*a11]"])


@pytest.mark.parametrize("merge", ["<<", "list"])
def test_aliases_that_multiply_cost_nothing(merge: str) -> None:
    started = time.process_time()
    assert about(bomb(merge)).access == ()
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "block", ["a: " + "[" * 20_000, "a: &a [*a]\n? *a\n: b\n" + "- " * 20_000, "a: " + "{a: " * 9_000]
)
def test_deep_nesting_fails_the_document_and_nothing_else(block: str) -> None:
    assert refusal(f"---\n{block}\n---\n") == "its front matter is not valid YAML"


def test_a_block_too_long_to_be_one_fails_at_once() -> None:
    assert refusal("---\n" + "a: b\n" * 100_000 + "---\n") == "its front matter is longer than 65536 characters"


@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"#%@`?,<= \n\t0\x85é~"), max_size=60))
def test_any_block_is_read_or_refused(block: str) -> None:
    try:
        read, text = front_matter.split(f"---\n{block}\n---\nText.")
    except UnreadableDocument:
        return
    assert text.endswith("Text.")
    assert read.access is None or "access" in block


def test_tags_of_yaml_construct_nothing() -> None:
    read = about("title: !!python/object/apply:os.system ['false']", "tags: !!int a", "updated: !!timestamp b")
    assert read == FrontMatter(tags=("a",))

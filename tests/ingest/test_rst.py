"""reStructuredText: titles, blocks as they are written, and what shows nothing."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunking import chunk
from ingest.document import Block
from ingest.errors import UnreadableDocument
from ingest.readers import read, rst
from tests.ingest.passages import bundled_tokenizer

FILES = Path(__file__).parent / "files" / "pages"


def blocks(source: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.heading) for block in rst.parse(source).blocks]


def kinds(source: str) -> list[str]:
    return [block.kind for block in rst.parse(source).blocks]


def text(source: str) -> str:
    return "\n\n".join(block.text for block in rst.parse(source).blocks)


def test_blocks_stand_under_the_titles_above_them() -> None:
    source = (
        "before\n\n=====\nGuide\n=====\none\n\nPart *two*\n----------\n\ntwo\n\nDeep ``x[0]``\n~~~~~~~~~~~~~\nthree\n\n"
        "Part 3\n------\n\n====\nNext\n====\nfour\n"
    )
    assert blocks(source) == [
        ("before", ()),
        ("one", ("Guide",)),
        ("two", ("Guide", "Part two")),
        ("three", ("Guide", "Part two", "Deep x[0]")),
        ("Part 3", ("Guide",)),
        ("four", ("Next",)),
    ]
    assert rst.parse(source).title == "Guide"
    assert blocks("===\nABC\n===\ntext") == [("text", ("ABC",))]
    assert blocks("======\n- *A*:\n======\ntext") == [("text", ("- *A*:",))]


def test_a_title_is_its_text_without_markup() -> None:
    source = "See :doc:`the form <form>` and `that <https://example.org>`_\n===========================================================\ntext"
    assert blocks(source)[-1] == ("text", ("See the form and that",))
    assert "https://example.org" in text(source)


def test_titles_in_code_and_comments_are_none() -> None:
    source = "A\n=\n\n::\n\n   B\n   =\n\n.. C\n   =\n\ntext"
    assert [heading for _, heading in blocks(source)] == [("A",)] * 3


def test_blocks_stay_as_they_are_written() -> None:
    source = "\n\n".join(
        [
            "One *paragraph*\nof |two| lines_.",
            "- a\n\n  more\n- b\n\n  * c\n\n- d",
            "1. e\n\n2. f",
            ".. code-block:: py\n   :linenos:\n\n   def f():\n\n       return 1",
            "Literal::",
            "   g\n\n   h",
            "Term\n   meaning",
            "====  ====\nA     B\n====  ====\n1     2\n\n3     4\n====  ====",
            "+---+\n| a |\n+---+",
            ".. list-table::\n\n   * - x",
            ".. note:: i\n\n   j",
            ".. _k: https://example.org\n.. |two| replace:: 2\n.. [1] note",
            "| verse\n| lines",
            ">>> 1 + 1\n2",
        ]
    )
    parts = text(source).replace("\n\n", "\n")
    assert parts == source.replace("\n\n", "\n")
    assert kinds(source) == [
        *("paragraph", "list", "list", "code", "paragraph", "code", "paragraph", "table", "table", "table"),
        *("other", "other", "other", "other", "other", "code"),
    ]


def test_a_table_that_never_ends_is_no_more_than_its_lines() -> None:
    assert kinds("====  ====\nA     B\n\ntext\n\nmore") == ["table", "paragraph", "paragraph"]


HIDDEN = {
    "comment": ("a\n\n.. secret\n   secret\n\n   secret\n\nb", "a\n\nb"),
    "comment under its mark": ("a\n\n..\n   secret\n\n   secret\n\nb", "a\n\nb"),
    "one after another": (".. secret\n.. secret too\n.. _t: u\n", ".. _t: u"),
    "empty": ("a\n\n..\n\n   b\n\n- c\n\n  ..\n\n  d", "a\n\n   b\n\n- c\n\n\n  d"),
    "in a list": ("- a\n\n  .. secret\n     secret\n\n- .. secret\n\n- b", "- a\n\n- b"),
    "in a directive": (".. note::\n\n   a\n\n   .. secret\n\n   b", ".. note::\n\n   a\n\n   b"),
    "raw": (".. raw:: html\n\n   <b>secret</b>\n\na\n\n.. |x| raw:: html\n\n   secret", "a"),
    "sphinx": (".. toctree::\n   :caption: secret\n\n   secret\n\na\n\n.. index:: secret\n.. todo:: secret\n", "a"),
    "file": ("a\n\n.. include:: /etc/passwd\n\n.. literalinclude:: secret.py\n   :lines: 1", "a"),
    "transition": ("a\n\n----------\n\nb", "a\n\nb"),
}


@pytest.mark.parametrize(("source", "shown"), HIDDEN.values(), ids=HIDDEN)
def test_what_shows_nothing_is_left_out(source: str, shown: str) -> None:
    assert text(source) == shown


def test_what_only_looks_hidden_is_kept() -> None:
    code = ".. code-block:: rst\n\n   .. shown\n\n   .. raw:: html"
    literal = "::\n\n   .. shown"
    assert text(f"{code}\n\n{literal}\n\nand so on ... shown") == f"{code}\n\n{literal}\n\nand so on ... shown"


def test_what_is_left_out_is_told() -> None:
    source = "a\n\n.. include:: b\n.. include:: c\n\n.. raw:: html\n\n   d\n\n.. contents::\n\n.. comment"
    assert rst.parse(source).left_out == ("2 included files", "comments", "raw markup", "tables of contents")


def test_no_file_is_opened_and_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    source = (
        f"A\n=\n\n.. include:: {secret}\n\n.. csv-table::\n   :file: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n"
        f".. figure:: {secret}\n   :figwidth: image\n\n.. unknown:: x\n\n:unknown:`y` `unclosed\n\nB\n=-\n"
    )
    assert all("secret" not in block.text.replace(str(secret), "") for block in rst.parse(source).blocks)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("top", ["", "Guide\n=====\n\n", ".. a comment\n\nGuide\n=====\n"])
def test_fields_at_the_top_say_what_the_document_is(top: str) -> None:
    fields = ":Author: Ada\n:Date: 2024-02-03\n:tags: a, b,\n   c\n:url: https://example.org/a\n:access: hr, board\n"
    document = rst.parse(f"{top}{fields}\ntext")
    assert (document.updated_at, document.tags, document.url) == (
        "2024-02-03",
        ("a", "b", "c"),
        "https://example.org/a",
    )
    assert document.access == ("hr", "board")
    assert [block.text for block in document.blocks] == [":Author: Ada", "text"]


def test_fields_decide_access_and_title_only_at_the_top() -> None:
    assert rst.parse(":access:\n\ntext").access == ()
    assert rst.parse("text\n\n:access: hr\n:title: T").access is None
    assert rst.parse(":title: T\n\nGuide\n=====\n").title == "T"
    assert rst.parse(":orphan:\n\nGuide\n=====\n\n:access: hr\n\ntext").access == ("hr",)
    assert rst.parse(":Author: Ada\n\n   of the board\n\n:access: hr\n\ntext").access == ("hr",)
    assert rst.parse("text").title == ""


@pytest.mark.parametrize("name", ["a.rst", "a.REST"])
def test_the_suffix_chooses_the_reader(name: str) -> None:
    assert read(name, "\ufeffÄ\r\n=\r\ntext".encode()).blocks == (Block("text", ("Ä",), section=1),)


def test_other_line_ends_do_not_move_titles() -> None:
    assert blocks("a\u2028b\x0bc\x85d\n\nT\n=\ntext\x0c") == [("a\u2028b\x0bc\x85d", ()), ("text", ("T",))]


def test_a_source_of_pandoc() -> None:
    document = read("pandoc.rst", (FILES / "pandoc.rst").read_bytes())
    assert (document.title, document.updated_at) == ("Travel handbook", "2024-03-05")
    assert document.left_out == ("tables of contents",)
    assert [block.kind for block in document.blocks] == [
        *("paragraph", "list", "table", "paragraph", "code", "other", "paragraph", "other")
    ]
    assert "No flight under four hours by train." in text((FILES / "pandoc.rst").read_text())


HOSTILE = {
    "lists in lists": "- " * 200 + "a",
    "a staircase": "".join(" " * depth + "- a\n" for depth in range(100)),
    "stars": "*a " * 50_000,
    "a title of stars": f"{'*a' * 5_000}\n{'=' * 10_000}\n\ntext",
    "ticks": "`" * 100_000,
    "bars": "|" * 50_000,
    "a grid": "+-" * 20_000,
    "comments": ".. a\n" * 5_000 + "\ntext",
    "comments in a list": "- b\n\n" + "  .. a\n\n" * 3_000,
    "long line": "a" * 1_000_000,
    "titles": "A\n=\n\n" * 5_000,
    "tables that never end": "== ==\n\n" * 3_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_is_read_in_linear_time(source: str) -> None:
    started = time.process_time()
    with contextlib.suppress(UnreadableDocument):
        rst.parse(source)
    assert time.process_time() - started < 10


def test_too_deep_nesting_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="nested too deeply"):
        rst.parse("- " * 5_000 + "a")


PIECES = (
    *(
        "A title\n=======\n",
        "Sub\n---\n",
        "\n",
        "\n\n",
        "- item\n",
        "1. item\n",
        "   deeper\n",
        "word",
        "word\n",
        "::\n",
    ),
    *(
        "Code::\n\n   x = 1\n\n",
        ".. note:: word\n",
        ".. _t: u\n",
        "== ==\n",
        "a  b\n",
        "+---+\n",
        "| word\n",
        ">>> 1\n",
    ),
    *(":field: word\n", "*word* ", "中文", "é", "term\n  word\n", "  \n", "....\n", "\t", "..\n\n   word\n\n"),
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_every_letter_of_the_source_is_in_some_block_or_title_in_order(source: str) -> None:
    letters = iter("".join(character for character in source if character.isalnum()))
    section = 0
    said = []
    for block in rst.parse(source).blocks:
        said += [*block.heading, block.text] if block.section != section else [block.text]
        section = block.section
    everything = iter("".join(said))
    assert all(letter in everything for letter in letters)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read(source: str) -> None:
    with contextlib.suppress(UnreadableDocument):
        rst.parse(source)


ROWS = range(150)
CODE = "".join(f"       x{n} = {n}\n" for n in ROWS)
LONG = {
    "code": (f".. code-block:: python\n   :linenos:\n\n   def f(a):\n{CODE}", "def f(a):"),
    "literal": (f"As in::\n\n   def f(a):\n{CODE}", "   def f(a):"),
    "list table": (
        ".. list-table:: Prices\n   :widths: 1 2\n   :header-rows: 1\n\n   * - Drink\n     - Price\n"
        + "".join(f"   * - tea {n}\n     - {n} euros\n" for n in ROWS),
        "   * - Drink\n     - Price\n   * - tea",
    ),
    "CSV table": (
        ".. csv-table:: Prices\n   :widths: 1, 2\n   :header: Drink, Price\n\n"
        + "".join(f"   tea {n}, {n} euros\n" for n in ROWS),
        "   :header: Drink, Price\n",
    ),
    "header rows of CSV": (
        ".. csv-table::\n   :header-rows: 1\n\n   Drink, Price\n" + "".join(f"   tea {n}, {n} euros\n" for n in ROWS),
        "   Drink, Price\n   tea",
    ),
    "table": (
        ".. table:: Prices\n\n   =====  =====\n   Drink  Price\n   =====  =====\n"
        + "".join(f"   tea    {n}\n" for n in ROWS)
        + "   =====  =====\n",
        "   Drink  Price\n",
    ),
}


@pytest.mark.parametrize("kind", LONG)
def test_each_part_of_what_must_be_split_keeps_the_header_or_signature(kind: str) -> None:
    source, head = LONG[kind]
    parts = [piece.text for piece in chunk(rst.parse(source), bundled_tokenizer()) if piece.text != "As in::"]
    assert len(parts) > 1
    assert all(head in part for part in parts)
    assert [int(n) for part in parts for n in re.findall(r"(?: x|tea +)(\d+)", part)] == list(ROWS)

"""CSV and TSV files: delimiters, quotes, ragged rows, and that no character is lost."""

from __future__ import annotations

import csv
import random
import statistics
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ports import Tokenizer
from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from tests.ingest.passages import assert_within_limit, bundled_tokenizer, letters


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bundled_tokenizer()


def table(source: str, name: str = "a.csv") -> Document:
    return read(name, source.encode())


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_recognised(delimiter: str) -> None:
    rows = ["City,Rate".replace(",", delimiter), *(f"Town {n}{delimiter}{n}" for n in range(20))]
    assert texts(table("\n".join(rows)))[1].startswith("- City: Town 0; Rate: 0\n- City: Town 1; Rate: 1\n")


def test_commas_in_the_text_do_not_make_a_delimiter() -> None:
    source = "Name;Remark\nAna;yes, often, and gladly\nBo;no\nCy;well, so\n"
    assert texts(table(source))[1].startswith("- Name: Ana; Remark: yes, often, and gladly\n")


def test_a_decimal_comma_does_not_make_a_delimiter() -> None:
    source = "1,5;2,5\n3,5;4,5\n"
    assert texts(table(source)) == ["- 1,5; 2,5\n- 3,5; 4,5"]


def test_quotes_line_breaks_in_cells_and_ragged_rows() -> None:
    source = 'Name,Remark\n"Ana, the ""first""","one\ntwo"\nBo\nCy,x,more\n'
    assert texts(table(source)) == [
        "Columns: Name; Remark",
        '- Name: Ana, the "first"; Remark: one two\n- Name: Bo\n- Name: Cy; Remark: x; more',
    ]


def test_a_quote_that_is_never_closed_is_a_character() -> None:
    source = 'Item,Size\n"pipe of 12,large\nvalve,small\n'
    assert texts(table(source))[1] == '- Item: "pipe of 12; Size: large\n- Item: valve; Size: small'


def test_the_line_that_states_the_delimiter_is_followed_and_not_read() -> None:
    assert texts(table("sep=#\na,b#c\nd,e#f\n")) == ["Columns: a,b; c", "- a,b: d,e; c: f"]


def test_a_byte_order_mark_and_line_ends_change_nothing() -> None:
    plain = table("Name,Rate\nAna,1\n")
    assert read("a.csv", "\ufeffName,Rate\r\nAna,1\r\n".encode()) == plain
    assert read("a.tsv", b"Name\tRate\nAna\t1\n") == plain


def test_one_column_is_paragraphs() -> None:
    assert table("Ana\nBo\n").blocks == (Block("Ana"), Block("Bo"))


def test_a_field_of_any_length_is_read() -> None:
    assert len(texts(table(f'a,b\n"{"x" * 200_000}",c\n'))[1]) > 200_000


@pytest.mark.parametrize("source", [" \n\n", ",,\n,,\n"])
def test_a_table_of_nothing_is_a_failure(source: str) -> None:
    with pytest.raises(UnreadableDocument, match="it is empty"):
        table(source)


CELL = st.text(st.sampled_from("ab1 ,;|\t\n\"'é中.-"), max_size=8)


@settings(max_examples=60)
@given(
    st.lists(st.lists(CELL, min_size=1, max_size=5), min_size=1, max_size=30),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_every_character_but_the_marks_is_in_some_passage_in_order(
    tokenizer: Tokenizer, rows: list[list[str]], delimiter: str, quoting: int
) -> None:
    file = StringIO()
    csv.writer(file, delimiter=delimiter, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    file.write(f"end{delimiter}end\n")
    read = table(file.getvalue())
    pieces = chunk(read, tokenizer)
    assert_within_limit(read, pieces, tokenizer)
    left = iter(letters(*(piece.text for piece in pieces)))
    marks = str.maketrans("", "", '",;|')  # of which one is taken for the delimiter
    assert all(letter in left for row in rows for letter in letters(*row).translate(marks))


def test_an_edited_row_makes_few_passages_new(tokenizer: Tokenizer) -> None:
    randomly = random.Random(5)
    rows = [f"Person {n * 7919 % 1000},Team {n % 7},{randomly.randint(100, 999)}" for n in range(300)]

    def passages(rows: list[str]) -> set[str]:
        return {piece.text for piece in chunk(table("\n".join(["Name,Team,Phone", *rows])), tokenizer)}

    before = passages(rows)
    new: list[int] = []
    for at in range(0, 300, 15):
        edits = ([], ["Someone New,Team 1,555", rows[at]], [f"{rows[at]}0"])
        new += [len(passages([*rows[:at], *put, *rows[at + 1 :]]) - before) for put in edits]
    assert statistics.mean(new) <= 2
    assert max(new) <= 4

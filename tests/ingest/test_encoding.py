"""From bytes to text, and what is refused on the way."""

from __future__ import annotations

import codecs
import contextlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingest.errors import UnreadableDocument
from ingest.readers import read
from ingest.readers.encoding import decode

TEXT = "Größe: 5 €\nعربي 中文 😀\n"
TEXTS = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]))


def refusal(data: bytes, name: str = "a.md") -> str:
    with pytest.raises(UnreadableDocument) as refused:
        read(name, data)
    return str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
    ids=["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "crlf", "cr"],
)
def test_byte_order_marks_and_line_ends_change_nothing(data: bytes) -> None:
    assert decode(data) == TEXT


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_what_is_encoded_comes_back(text: str, encoding: str) -> None:
    assume(text.strip())
    assert decode(text.encode(encoding)) == text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\0\0\xff\xfe",
        b"text\0text",
        codecs.BOM_UTF8 + b"text\0text",
        "text".encode("utf-16-le"),
        "a\0b".encode("utf-16"),
    ],
)
def test_binary_is_refused(data: bytes) -> None:
    assert refusal(data) == "it is binary, not text"


def test_another_encoding_is_refused_and_told_where() -> None:
    assert refusal("caf\xe9".encode("latin-1")) == "it is not valid UTF-8 (byte 3): save it as UTF-8"
    assert "not valid UTF-16" in refusal(codecs.BOM_UTF16_LE + b"a")


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, "\xa0\n".encode()])
@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_empty_is_refused(data: bytes, name: str) -> None:
    assert refusal(data, name) == "it is empty"


@pytest.mark.parametrize(("name", "heading"), [("a.MD", ("T",)), ("a.markdown", ("T",)), ("a.txt", ()), ("a.text", ())])
def test_the_suffix_chooses_the_reader(name: str, heading: tuple[str, ...]) -> None:
    assert read(name, b"# T\n\nText.").blocks[-1].heading == heading


@given(st.binary())
def test_bytes_are_read_or_refused(data: bytes) -> None:
    for name in ("a.md", "a.txt"):
        with contextlib.suppress(UnreadableDocument):
            read(name, data)

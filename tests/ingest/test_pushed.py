"""Which ids a pushed document may have, and what tells its format."""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import BadPush, UnknownFormat
from ingest.metadata import UNSAID, Metadata
from ingest.pushed import MAX_ID_CHARACTERS, Push, check, check_id

PARTS = st.sampled_from(["a", "b.md", "..", ".", "", " ", "ä", "a\u0308", "\\", "\x00", "\u200b", "c d", "日本"])


def push(document_id: str, media_type: str = "", **said: object) -> Push:
    return Push(document_id=document_id, media_type=media_type, data=b"", said=Metadata(**said))  # type: ignore[arg-type]


@given(st.lists(PARTS, max_size=5).map("/".join) | st.text(max_size=20))
@example("x" * (MAX_ID_CHARACTERS + 1))
def test_every_id_that_is_taken_names_one_place_below_the_root(document_id: str) -> None:
    try:
        check_id(document_id)
    except BadPush:
        return
    assert 0 < len(document_id) <= MAX_ID_CHARACTERS
    assert unicodedata.normalize("NFC", document_id) == document_id
    assert document_id.encode().decode() == document_id
    place = PurePosixPath("/corpus", document_id)
    assert place.relative_to("/corpus").as_posix() == document_id
    assert Path(f"/corpus/{document_id}").resolve().is_relative_to("/corpus")


@pytest.mark.parametrize("document_id", ["a", "a/b.md", "...", ".hidden/a b", "ä/日本.pdf", "x" * MAX_ID_CHARACTERS])
def test_ordinary_ids_are_taken(document_id: str) -> None:
    check_id(document_id)


@pytest.mark.parametrize(
    ("document_id", "media_type", "name"),
    [
        ("a", "text/markdown", "document.md"),
        ("a.md", "text/plain", "document.txt"),
        ("a.md", "", "a.md"),
        ("b/a.txt", "application/octet-stream", "b/a.txt"),
    ],
)
def test_the_media_type_tells_the_format_or_else_the_id_does(document_id: str, media_type: str, name: str) -> None:
    assert push(document_id, media_type).name == name


@pytest.mark.parametrize(("document_id", "media_type"), [("a", ""), ("a.md", "video/mp4"), ("a.unknown", "")])
def test_an_unknown_format_says_how_to_name_one(document_id: str, media_type: str) -> None:
    with pytest.raises(UnknownFormat, match="Content-Type"):
        check(push(document_id, media_type))


@given(st.binary(max_size=8), st.sampled_from(["", "text/plain", "text/html"]), st.none() | st.text(max_size=4))
def test_the_hash_covers_all_that_decides_what_a_document_becomes(data: bytes, media: str, title: str | None) -> None:
    first = Push(document_id="a.md", media_type="text/plain", data=b"", said=UNSAID)
    second = Push(document_id="b.md", media_type=media, data=data, said=Metadata(title=title))
    same = (media, data, title) == ("text/plain", b"", None)
    assert (first.byte_hash == second.byte_hash) == same

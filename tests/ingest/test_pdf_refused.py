"""PDF files that can't be read, or not whole; and many at once."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from tests.ingest.pdfs import pdf

FILES = Path(__file__).parent / "files" / "pdf"
NO_TEXT = "it holds no text (scanned?): run text recognition (OCR) on it"
DAMAGED = "it is damaged, or no PDF: open it in a PDF viewer and save it again"


def of(data: bytes) -> Document:
    return read("a.pdf", data)


def refusal(data: bytes) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        of(data)
    return str(refused.value)


def test_a_scanned_page_is_told() -> None:
    assert refusal((FILES / "scanned.pdf").read_bytes()) == NO_TEXT
    document = of((FILES / "mixed.pdf").read_bytes())
    assert "1 page without text (scanned?)" in document.left_out
    assert "Three laptops had no disk encryption." in document.blocks[0].text


def test_an_encrypted_file_is_refused() -> None:
    assert refusal((FILES / "encrypted.pdf").read_bytes()) == "it is encrypted: save it without a password"


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n", b"no PDF at all", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<</Root 1 0 R>>"]
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    assert refusal(data) == DAMAGED


def test_a_file_that_is_cut_off_is_refused_or_read_as_far_as_it_goes() -> None:
    data = (FILES / "libreoffice.pdf").read_bytes()
    for size in range(100, len(data), len(data) // 20):
        with contextlib.suppress(UnreadableDocument):
            assert of(data[:size]).blocks


def test_pages_without_anything_are_refused() -> None:
    assert refusal(pdf([], [])) == "it is empty"
    assert refusal(b"") == "it is empty"


def test_a_page_whose_font_tells_no_letters_is_no_text() -> None:
    data = (FILES / "chromium.pdf").read_bytes()
    assert refusal(data.replace(b"/ToUnicode", b"/NoUnicode")) == NO_TEXT


def test_threads_may_read_at_once() -> None:
    data = (FILES / "chromium.pdf").read_bytes()
    results: list[Document] = []
    threads = [threading.Thread(target=lambda: results.append(of(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 33_000), st.binary(min_size=1, max_size=60))
def test_changed_bytes_are_read_or_refused(at: int, change: bytes) -> None:
    data = (FILES / "libreoffice.pdf").read_bytes()
    with contextlib.suppress(UnreadableDocument):
        of(data[:at] + change + data[at + len(change) :])

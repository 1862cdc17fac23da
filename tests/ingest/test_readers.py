"""The registry: which reader a name chooses, and that heavy ones load only when a file needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ingest.errors import UnreadableDocument
from ingest.readers import SUFFIXES, is_document, read

HEAVY = ("lxml", "docutils", "pypdfium2", "charset_normalizer", "docx", "pptx", "openpyxl")


@pytest.mark.parametrize("name", ["a.md", "A.MD", "folder.d/a.b.html", "a.pdf", "Makefile", "x/Dockerfile"])
def test_a_name_tells_a_document(name: str) -> None:
    assert is_document(name)


@pytest.mark.parametrize("name", ["", "md", "a", "a.png", "a.md.bak", "html/a"])
def test_other_names_tell_none(name: str) -> None:
    assert not is_document(name)
    with pytest.raises(UnreadableDocument, match="give its name a suffix"):
        read(name, b"text")


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_every_reader_refuses_an_empty_file(suffix: str) -> None:
    with pytest.raises(UnreadableDocument, match="it is empty"):
        read(f"a{suffix}", b"")


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_every_reader_refuses_binary_data_with_a_reason(suffix: str) -> None:
    with pytest.raises(UnreadableDocument):
        read(f"a{suffix}", bytes(range(256)) * 8)


def test_a_markdown_file_loads_no_heavy_library() -> None:
    code = f"import sys; from ingest.readers import read; read('a.md', b'# A'); print(*set({HEAVY}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

"""What was put on the pages of a PDF later is not read, and reported."""

from __future__ import annotations

import pytest

from ingest.readers import read
from tests.ingest.pdfs import spelled


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        ("/Subtype/FreeText/Contents(Typed over it.)", ("text that was typed onto its pages",)),
        ("/Subtype/Text/Contents(Remark.)", ("comments",)),
        ("/Subtype/Highlight/Contents(Remark.)", ("comments",)),
        ("/Subtype/Highlight", ()),
        ("/Subtype/Highlight/Contents()", ()),
        ("/Subtype/Link", ()),
        ("/Subtype/Widget", ("what is filled into its form",)),
    ],
)
def test_what_was_put_on_a_page_is_reported(annotation: str, told: tuple[str, ...]) -> None:
    annotated = f"/Contents 5 0 R/Annots[<</Type/Annot/Rect[72 600 300 650]{annotation}>>]"
    document = read("a.pdf", spelled("Text.", {"T": "T"}).replace(b"/Contents 5 0 R", annotated.encode()))
    assert [block.text for block in document.blocks] == ["Text."]
    assert document.left_out == told

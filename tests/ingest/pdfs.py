"""PDF files drawn by PDFium, with each text at its place."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

Text = tuple[float, float, float, str]
"""Left and baseline in points from the lower left corner, size, text."""


def pdf(*pages: Sequence[Text], about: str = "") -> bytes:
    """Pages of A4, drawn in the order given; `about` is what its information says, in PDF's own syntax."""
    document = pypdfium2.PdfDocument.new()
    for texts in pages:
        page = document.new_page(595, 842)
        for left, baseline, size, text in texts:
            _draw(document, page, left, baseline, size, text)
        pdfium.FPDFPage_GenerateContent(page)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue().replace(b"/Creator(PDFium)", about.encode())  # moves objects, which readers mend


def lines(text: str, *, left: float = 72, top: float = 760, size: float = 11) -> list[Text]:
    """The lines of a text, one below the other."""
    return [(left, top - 1.4 * size * number, size, line) for number, line in enumerate(text.split("\n")) if line]


def _draw(document: Any, page: Any, left: float, baseline: float, size: float, text: str) -> None:
    drawn = pdfium.FPDFPageObj_NewTextObj(document, b"Helvetica", size)
    encoded = f"{text}\0".encode("utf-16-le")
    pdfium.FPDFText_SetText(drawn, ctypes.cast(encoded, ctypes.POINTER(ctypes.c_ushort)))
    pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, left, baseline)
    pdfium.FPDFPage_InsertObject(page, drawn)

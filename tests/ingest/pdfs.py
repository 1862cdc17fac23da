"""PDF files drawn by PDFium, with each text at its place."""

from __future__ import annotations

import codecs
import ctypes
import io
from collections.abc import Mapping, Sequence
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


def spelled(text: str, spellings: Mapping[str, str], *, title: bytes = b"") -> bytes:
    """A page with one line of ASCII, in a font that tells what some of its letters are; `title` is UTF-16."""
    told = " ".join(f"<{ord(letter):02x}> <{said.encode('utf-16-be').hex()}>" for letter, said in spellings.items())
    streams = (
        f"BT /F 11 Tf 72 700 Td ({text}) Tj ET",
        f"1 begincodespacerange <00> <ff> endcodespacerange {len(spellings)} beginbfchar {told} endbfchar",
    )
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        *(f"<</Length {len(stream)}>>stream\n{stream}\nendstream" for stream in streams),
        f"<</Title<{(codecs.BOM_UTF16_BE + title).hex()}>>>",
    )
    body = "\n".join(f"{number} 0 obj {each} endobj" for number, each in enumerate(objects, 1))
    return f"%PDF-1.7\n{body}\ntrailer<</Root 1 0 R/Info 7 0 R/Size 8>>\n%%EOF\n".encode()  # readers find the objects


def lines(text: str, *, left: float = 72, top: float = 760, size: float = 11) -> list[Text]:
    """The lines of a text, one below the other."""
    return [(left, top - 1.4 * size * number, size, line) for number, line in enumerate(text.split("\n")) if line]


def _draw(document: Any, page: Any, left: float, baseline: float, size: float, text: str) -> None:
    drawn = pdfium.FPDFPageObj_NewTextObj(document, b"Helvetica", size)
    encoded = f"{text}\0".encode("utf-16-le")
    pdfium.FPDFText_SetText(drawn, ctypes.cast(encoded, ctypes.POINTER(ctypes.c_ushort)))
    pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, left, baseline)
    pdfium.FPDFPage_InsertObject(page, drawn)

"""Office files made for a test, and what is done to break them."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

FILES = Path(__file__).parent / "files/office"


def saved(document: Any) -> bytes:
    """The bytes of a document of python-docx, python-pptx or openpyxl."""
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def with_part(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The file with one of its parts changed; a part that is not there is changed from nothing."""
    changed = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(changed, "w", ZIP_DEFLATED) as new:
        for part in old.namelist():
            if part != name:
                new.writestr(part, old.read(part))
        new.writestr(name, change(old.read(name) if name in old.namelist() else b""))
    return changed.getvalue()


def replaced(old: str, new: str) -> Callable[[bytes], bytes]:
    def change(xml: bytes) -> bytes:
        assert re.search(old, xml.decode())
        return re.sub(old, new, xml.decode(), count=1).encode()

    return change

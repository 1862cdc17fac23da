"""From bytes to text."""

from __future__ import annotations

import codecs

from ingest.errors import UnreadableDocument

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def decode(data: bytes) -> str:
    """The text, with `\\n` at the end of each line and no byte order mark.

    Raises UnreadableDocument, also when there is no text.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as exc:
        if b"\0" in data and encoding == "utf-8":
            raise UnreadableDocument("it is binary, not text") from exc
        name = encoding.removesuffix("-sig").upper()
        raise UnreadableDocument(f"it is not valid {name} (byte {exc.start}): save it as UTF-8") from exc
    if "\0" in text:
        raise UnreadableDocument("it is binary, not text")
    if not text.strip():
        raise UnreadableDocument("it is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")

"""From bytes to text."""

from __future__ import annotations

import codecs
import re

from ingest.errors import UnreadableDocument
from ingest.readers import latin

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MARK = "\ufeff"
_WIDER = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    **dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "utf-8"),
}
"""What a declaration means in practice, as browsers take it (WHATWG Encoding Standard). A declaration that can be read
as ASCII does not stand in UTF-16, whatever it says."""
_SEVERAL_BYTES = ("utf_16_le", "utf_16_be", "gb18030", "big5", "cp932", "euc_jp", "cp949")
_ONE_BYTE = ("koi8_r", "koi8_u", "cp1251", "cp866", "iso8859_5", "cp1253", "iso8859_7", "cp1255", "cp1256", "cp874")
"""Of letters that are not Latin."""
_JAPANESE = b"\x1b$"
"""ISO-2022-JP writes Japanese in ASCII, behind this escape."""
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS = 0.005
"""Share of control characters that text may have."""
_LEAST_COHERENCE = 0.25
"""How far, 0..1, letters must be as frequent as in some language, before such an encoding is believed."""
_LONG_ENOUGH = 64
"""Bytes of a text whose letters tell its encoding."""
_LEAST_LEAD = 0.005
"""Of the likeliest encoding over the next, both rated -1..1 by letters and disorder."""


def decode(data: bytes, declared: str | None = None) -> str:
    """The text, with `\\n` at the end of each line and no byte order mark.

    `declared` is the encoding that the document names; UTF-8 that holds more than ASCII is never anything else.
    Raises UnreadableDocument, also when there is no text.
    """
    text = _decode(data, declared).lstrip(_MARK)  # files put together may begin with several
    if "\0" in text:
        raise UnreadableDocument("it is binary, not text")
    if not text.strip():
        raise UnreadableDocument("it is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def paired(text: str) -> str:
    """With one character for each pair of surrogates, as UTF-16 writes those of the higher planes, and for half a pair
    the mark that a character is lost: no tokenizer and no JSON takes surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _decode(data: bytes, declared: str | None) -> str:
    marked = next((name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    if marked:
        return _marked(data, marked)
    if data.isascii() and (declared or _JAPANESE in data):
        return _declared(declared or "iso2022_jp", data) or data.decode("ascii")
    try:
        text = data.decode()
    except UnicodeDecodeError as exc:
        _refuse_damaged_utf8(data, exc)
        return (declared and _declared(declared, data)) or _detected(data)
    return _detected(data) if "\0" in text else text


def _marked(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as exc:
        name = encoding.removesuffix("-sig").upper()
        raise UnreadableDocument(f"it is not valid {name} (byte {exc.start}): save it as UTF-8") from exc


def _refuse_damaged_utf8(data: bytes, error: UnicodeDecodeError) -> None:
    """Few bytes are wrong: then another encoding, in which none is, would make nonsense of all the others."""
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = len(text) - wrong - sum(map(str.isascii, text))
    if right > 4 * wrong and "\0" not in text:
        raise UnreadableDocument(f"it is not valid UTF-8 (byte {error.start}): save it as UTF-8") from error


def _declared(encoding: str, data: bytes) -> str | None:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return None
    return _as(_WIDER.get(name, name), data)


def _as(encoding: str, data: bytes) -> str | None:
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError):  # a codec that is none of text, such as "rot13", is a LookupError too
        return None


def _detected(data: bytes) -> str:
    """The text in the encoding that the bytes speak for; where none is likely, a failure rather than nonsense."""
    if b"\0" not in data:
        if len(_CONTROLS.findall(data)) > _MOST_CONTROLS * len(data):
            raise UnreadableDocument("it is binary, not text")
        if (encoding := latin.encoding_of(data)) and (text := _as(encoding, data)):
            return text
    if (text := _in_another_script(data)) is not None:
        return text
    if b"\0" in data:
        raise UnreadableDocument("it is binary, not text")
    raise UnreadableDocument("it is not UTF-8, and its encoding can't be told for certain: save it as UTF-8")


def _in_another_script(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    matches = [
        (match.coherence - match.chaos, match.encoding)
        for match in from_bytes(data, cp_isolation=[*_SEVERAL_BYTES, *_ONE_BYTE])  # texts that differ, one each
        if match.encoding in _SEVERAL_BYTES or match.coherence >= _LEAST_COHERENCE
    ]
    best, second = sorted([*matches, (-1.0, ""), (-1.0, "")], reverse=True)[:2]
    if best[0] - second[0] < _LEAST_LEAD or (b"\0" in data and not _may_be_utf16(data, best[1])):
        return None
    return _as(best[1], data)


def _may_be_utf16(data: bytes, encoding: str) -> bool:
    """Whether most zeros are the upper half of a character, as those of spaces are; in a long text without such ones,
    its letters have been looked at closely enough. Of ASCII in UTF-16 half is zeros; with few it is just ASCII."""
    if data.isascii() and data.count(0) < len(data) // 4 and not _CONTROLS.search(data):
        return False
    upper = data[1::2] if encoding == "utf_16_le" else data[::2]
    return len(data) >= _LONG_ENOUGH or 2 * upper.count(0) > data.count(0)

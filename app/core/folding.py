"""Reads a text the way a lenient reader would, and remembers where each character came from.

Folded text is only for looking: small letters without accents, ASCII digits, look-alikes as the plain sign
they resemble, escapes decoded, invisible characters gone. What is found in it is changed in the original.
"""

from __future__ import annotations

import html.entities
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple


class Folded(NamedTuple):
    """Folded characters, and for each the (start, end) span of the original that it stands for."""

    text: str
    spans: list[tuple[int, int]]


_RESEMBLES = {
    "<": "‹«〈⟨⟪《〈❬❮❰⧼⦑˂ᐸᚲ≺≪⋖⋘⪡𝈶",
    ">": "›»〉⟩⟫》〉❭❯❱⧽⦒˃ᐳ≻≫⋗⋙⪢𝈷",
    "[": "【〔〖〘〚⟦⟬⁅❲⦋⦍⦏⦗⌈⌊⎡⎢⎣\ue200",
    "]": "】〕〗〙〛⟧⟭⁆❳⦌⦎⦐⦘⌉⌋⎤⎥⎦\ue201",
    "/": "ノ丿〳",
    "-": "_",
    "s": "ѕꜱտᏚꓢ𐑈ʂƨ",
    "o": "оοօᴏᴑɵөøⲟഠ๐໐၀〇ꓳ𐐬ჿ",
    "u": "υսᴜʋցꞟꓴ∪ᑌꭎꭒ",
    "r": "гᴦⲅꭇꭈꮁɼɽɾʀꓣᎡ",
    "c": "сϲᴄⲥꮯꓚᏟ𐐽ƈↄᑕⅽ",
    "e": "еєεҽɛᴇəɘ℮ꬲꓰᎬ",
    "i": "іıɩιꙇ",
}
"""Signs and letters that matter here, each with what could be taken for it. \\ue200 and \\ue201 are private-use
characters with which one family of models opens and closes its citations."""

_LOOKALIKES = {other: sign for sign, others in _RESEMBLES.items() for other in others} | {
    chr(first + place): chr(ord("a") + place)
    for first in (0x1F150, 0x1F170, 0x1F1E6)  # letters in black circles, in black squares, of flags
    for place in range(26)
}
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")

_NAMES = {
    name.rstrip(";").casefold(): value
    for name, value in sorted(html.entities.html5.items(), key=lambda entity: entity[0].islower())
}
"""Entities by their small name; where two differ only in case, the one written small."""

_ESCAPE_ROUNDS = 3
_ESCAPE = re.compile(
    # An entity, escaped any number of times; the semicolon may be missing.
    r"&(?:amp;?|#0*+38;?|#x0*+26;?)*+(?:#x0*+(?P<hex>[0-9a-f]{1,6}+);?|#0*+(?P<decimal>[0-9]{1,7}+);?"
    r"|(?P<bare>lt|gt|lsqb|rsqb|lbrack|rbrack|sol|nbsp|shy);?|(?P<name>[a-z][a-z0-9]{1,30}+);)"
    # A backslash escape of JSON, JavaScript or Python.
    r"|(?<!\\)\\++(?:u\{0*+(?P<braced>[0-9a-f]{1,6})\}|u000(?P<long>[0-9a-f]{5})|u(?P<short>[0-9a-f]{4})|x(?P<byte>[0-9a-f]{2}))"
    # One character of a URL, its percent sign escaped any number of times.
    r"|%(?:25)*+(?P<url>[0-7][0-9a-f]|[cd][0-9a-f]%(?:25)*+[89ab][0-9a-f]|e[0-9a-f](?:%(?:25)*+[89ab][0-9a-f]){2}"
    r"|f[0-4](?:%(?:25)*+[89ab][0-9a-f]){3})"
    # What only escapes another escape.
    r"|(?P<escaped>&(?:amp;?|#0*+38;?|#x0*+26;?)++|%(?:25)++)"
)
_URL_BYTE = re.compile(r"(?:%(?:25)*+)?([0-9a-f]{2})")


def fold(text: str) -> Folded:
    """Fold `text`. Takes time linear in its length."""
    characters: list[str] = []
    spans: list[tuple[int, int]] = []
    for place, character in enumerate(text):
        folded = _fold_character(character)
        characters.append(folded)
        spans.extend([(place, place + 1)] * len(folded))
    result = Folded("".join(characters), spans)
    for _ in range(_ESCAPE_ROUNDS):  # an escape may hide in an escape of another kind
        if not _ESCAPE.search(result.text):
            break
        result = _decode(result)
    return result


def _decode(folded: Folded) -> Folded:
    characters: list[str] = []
    spans: list[tuple[int, int]] = []
    done = 0
    for escape in _ESCAPE.finditer(folded.text):
        decoded = "".join(map(_fold_character, _meaning(escape)))
        start, end = escape.span()
        characters += [folded.text[done:start], decoded]
        spans += folded.spans[done:start]
        spans += [(folded.spans[start][0], folded.spans[end - 1][1])] * len(decoded)
        done = end
    characters.append(folded.text[done:])
    spans += folded.spans[done:]
    return Folded("".join(characters), spans)


def _meaning(escape: re.Match[str]) -> str:
    """What an escape stands for; itself when it stands for nothing."""
    kind = escape.lastgroup or ""
    value = escape[kind]
    if kind == "escaped":
        return value[0]
    if kind in ("bare", "name"):
        return _NAMES.get(value, escape.group())
    if kind == "url":
        return bytes(int(byte, 16) for byte in _URL_BYTE.findall(value)).decode(errors="ignore")
    code = int(value, 10 if kind == "decimal" else 16)
    return chr(code) if code <= 0x10FFFF else escape.group()


@lru_cache(maxsize=8192)
def _fold_character(character: str) -> str:
    small = unicodedata.normalize("NFKD", character).casefold()
    return "".join(_plain(part) for part in unicodedata.normalize("NFKD", small) if not _is_ignorable(part))


def _plain(character: str) -> str:
    digit = unicodedata.digit(character, None)
    return _LOOKALIKES.get(character, character) if digit is None else str(digit)


def _is_ignorable(character: str) -> bool:
    """Marks on other characters, formatting and control characters: nothing a reader would miss."""
    if character in _INVISIBLE_LETTERS:
        return True
    category = unicodedata.category(character)
    return category in ("Cf", "Mn", "Me", "Mc") or (category == "Cc" and not character.isspace())

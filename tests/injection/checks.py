"""What must hold of a prompt and of a reply, seen by other means than the service's own.

The reader here knows the spellings that the cases use; it shares no code with `app.core.folding`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.core.prompt import CONTRACT, Messages
from tests.core.citing import markers_seen

_ALIKE = str.maketrans("‹〈〈⟨❮›〉〉⟩❯【〔】〕ѕоυсеοг", "<<<<<>>>>>[[]]souceor")
_ESCAPED = re.compile(r"\\+u00([0-9a-f]{2})|\\+x([0-9a-f]{2})")
_FENCE = re.compile(r"<[\s/\W]*[s5]\W*[o0]\W*u\W*r\W*c\W*[e3]")
_WORD = r"(?:(?:sources?|refs?|docs?|citations?|quelle)\W*)?"
_MARKER = re.compile(rf"\[\W{{0,6}}{_WORD}\d+\s*(?:[,;–-]\s*\d+\s*)*(?:\W{{0,6}}\]|†|$)", re.MULTILINE)
_BARE = re.compile(r"(?:https?|ftp)://[^\s<>\"'()\[\]]+|\bwww\.[^\s<>\"'()\[\]]+", re.IGNORECASE)
_ACTIVE = re.compile(r"<[^>]*\b(?:src|href|style|on\w+)\s*=|<\s*(?:script|iframe|svg|link|img|object|form|base)", re.I)
_PLACE = re.compile(r"\(vouch://documents/[\w./~%-]*\)", re.ASCII)
_READER = MarkdownIt("commonmark")
_READER.validateLink = lambda _: True  # type: ignore[method-assign]  # one that lets `javascript:` pass
_CODE = ("code_inline", "fence", "code_block")


def prompt_faults(messages: Messages, sources: int) -> list[str]:
    """What is wrong with a prompt that holds so many sources and a question."""
    if [message["role"] for message in messages] != ["system", "user"] or messages[0]["content"] != CONTRACT:
        return ["the contract is not as it was"]
    rest, insides = messages[1]["content"], []
    for number in range(1, sources + 1):
        opening, closing = f'<source id="{number}">\n', "\n</source>\n\n"
        if not rest.startswith(opening) or closing not in rest:
            return [f"source {number} is not where it should be"]
        inside, _, rest = rest.removeprefix(opening).partition(closing)
        insides.append(inside)
    if not rest.startswith("Question: ") or "\n" in rest:
        return ["the question is not last, or not one line"]
    return [fault for inside in [*insides, rest] for fault in forgeries(inside)]


def reply_faults(reply: Mapping[str, Any], offered: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a reply to which these sources were offered."""
    numbers = {source["number"] for source in offered}
    text, status = reply["answer"], reply["status"]
    if status in ("refused", "failed"):
        shown = text is not None or reply["sources"] or reply["cited"]
        return [f"{status}, and shows an answer or sources"] if shown else []
    faults = [] if set(reply["cited"]) <= numbers else ["it cites what was not offered"]
    if (status == "answered") != bool(reply["cited"]):
        faults.append(f"{status}, and cites {reply['cited']}")
    return faults + text_faults(text, numbers, allowed_urls(offered))


def agent_faults(text: str, reply: Mapping[str, Any]) -> list[str]:
    """What is wrong with a reply as the text that an agent's model reads: its answer, and a line for each source."""
    if reply["answer"] is None:
        return forgeries(text)
    listed = text.partition(reply["answer"])[2].removeprefix("\n\nSources:\n")
    lines = re.fullmatch("\n".join(rf"\[{source['number']}\] (.*)" for source in reply["sources"]), listed)
    if not lines:
        return [f"the sources are told as {listed!r}"]
    return [fault for line in lines.groups() for fault in forgeries(line)]


def text_faults(text: str, numbers: Collection[int], urls: Collection[str]) -> list[str]:
    """What an answer holds that it may not: other markers, live links that no source holds, images, active HTML."""
    faults = [f"marker {marker}" for marker in markers_seen(text) - {f"[{number}]" for number in numbers}]
    for token in _tokens(_READER.parse(text)):
        if token.type == "link_open" and str(token.attrs["href"]) not in urls:
            faults.append(f"link to {token.attrs['href']}")
        elif token.type == "image":
            faults.append(f"image at {token.attrs['src']}")
        elif token.type.startswith("html") and _ACTIVE.search(token.content):
            faults.append(f"HTML {token.content}")
        elif token.type == "text":
            faults += [f"address {url}" for url in _BARE.findall(token.content) if url not in urls]
    return faults


def allowed_urls(offered: Sequence[Mapping[str, Any]]) -> set[str]:
    """The addresses of the sources, and those that stand in their texts."""
    standing = {url.rstrip(".,;:") for source in offered for url in _BARE.findall(source["text"])}
    return standing | {source["url"] for source in offered if source["url"]}


def _tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type not in _CODE:
            yield token
            yield from _tokens(token.children or [])


def forgeries(text: str) -> list[str]:
    """The fences and the markers that a lenient reader sees in it, except in the address of a document."""
    seen = _read(_PLACE.sub("", text))
    forms = {"fence": _FENCE, "marker": _MARKER}
    return [f"{kind} {found[0]!r}" for kind, form in forms.items() for found in form.finditer(seen)]


def _read(text: str) -> str:
    """As the most lenient reader would: escapes decoded, look-alikes plain, accents and invisible characters gone."""
    for _ in range(3):
        text = _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), unquote(html.unescape(text)))
    text = unicodedata.normalize("NFKD", text).casefold()
    seen = (character for character in text if unicodedata.category(character) not in ("Cf", "Mn", "Me"))
    return "".join(_digit(character) for character in seen).translate(_ALIKE)


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)

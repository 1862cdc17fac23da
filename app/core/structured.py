"""Structured answers: the JSON a model is asked for, and the careful reading of what it sends.

What is accepted beside the bare object: white space, one opening line of a code fence or a few words before it,
anything without a brace behind it, the whole object encoded a second time as a JSON string, line breaks inside
strings, members that were not asked for, and a bare NOT_FOUND. All else is a fault of a kind that is counted;
nothing is repaired.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, TypeVar, get_args

from msgspec import Struct

from app.core.abstention import is_abstention
from app.core.model import Confidence
from app.errors import AnswererFailed

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "citations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"source": {"type": "integer"}, "quote": {"type": "string"}},
                "required": ["source", "quote"],
                "additionalProperties": False,
            },
        },
        "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
    },
    "required": ["answer", "citations", "confidence"],
    "additionalProperties": False,
}
"""For strict validators: they take no count or range keywords and want every property required."""

FaultKind = Literal[
    "no_object",
    "not_an_object",
    "truncated",
    "malformed",
    "duplicate_key",
    "missing_field",
    "wrong_type",
    "trailing_object",
]
_MAX_PREFIX = 200
"""Characters before the object that may be there: "Here is the answer in JSON:" and the like."""


class StructuredFault(AnswererFailed):
    """What the model sent is not the answer that was asked for. `kind` names the metric's label."""

    def __init__(self, kind: FaultKind) -> None:
        super().__init__("provider_protocol", f"The chat model's JSON could not be read ({kind}); try again.")
        self.kind = kind


class ClaimedQuote(Struct, frozen=True):
    """What the model says stands in a source; neither the number nor the words are checked."""

    source: int
    quote: str


class Draft(Struct, frozen=True):
    """An answer as the model sent it. `confidence` is its own claim, None when that is not one of the three words."""

    answer: str
    citations: tuple[ClaimedQuote, ...]
    confidence: Confidence | None


def parse(text: str) -> Draft:
    """The answer in a model's whole reply. Raises StructuredFault, and nothing else for any text."""
    if is_abstention(text):
        return Draft(text, (), None)
    return _draft(_only_object(_unwrapped(text)))


_FENCE_LINE = re.compile(r"\s*(?:```|~~~)[^\n{\"]*\n")


def _unwrapped(text: str) -> str:
    """The text behind the first line of a fence; of a JSON string that holds an object, what it stands for."""
    fence = _FENCE_LINE.match(text)
    bare = text[fence.end() if fence else 0 :].strip()
    if not bare.startswith('"'):
        return bare
    try:
        inner, end = _DECODER.raw_decode(bare)
    except ValueError:
        return bare
    if "{" in bare[end:]:
        return bare
    if not inner.lstrip().startswith("{"):
        raise StructuredFault("not_an_object")
    return str(inner.strip())


def _only_object(text: str) -> dict[str, Any]:
    start = text.find("{")
    if text.startswith("["):
        raise StructuredFault("not_an_object")
    if not 0 <= start <= _MAX_PREFIX:
        raise StructuredFault("no_object")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as exc:
        raise StructuredFault("malformed" if _closes(text[start:]) else "truncated") from exc
    if "{" in text[end:]:
        raise StructuredFault("trailing_object")
    found: dict[str, Any] = value
    return found


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise StructuredFault("duplicate_key")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, strict=False)
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]"]', re.DOTALL)


def _closes(text: str) -> bool:
    """Whether the bracket that `text` begins with is closed in it."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        if token[0] == '"':
            return False
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 0:
            return True
    return False


def _draft(value: dict[str, Any]) -> Draft:
    citations = _member(value, "citations", list)
    return Draft(_text(value, "answer"), tuple(map(_claimed_quote, citations)), _confidence(value.get("confidence")))


def _claimed_quote(value: object) -> ClaimedQuote:
    if not isinstance(value, dict):
        raise StructuredFault("wrong_type")
    return ClaimedQuote(_member(value, "source", int), _text(value, "quote"))


def _confidence(value: object) -> Confidence | None:
    claimed = value.strip().lower() if isinstance(value, str) else None
    return next((word for word in get_args(Confidence) if word == claimed), None)


_T = TypeVar("_T")


def _member(value: dict[str, Any], name: str, kind: type[_T]) -> _T:
    if name not in value:
        raise StructuredFault("missing_field")
    member = value[name]
    if type(member) is not kind:  # no isinstance: true is an int
        raise StructuredFault("wrong_type")
    return member


def _text(value: dict[str, Any], name: str) -> str:
    text = _member(value, name, str)
    try:
        text.encode()
    except UnicodeEncodeError as exc:  # half of a surrogate pair, which no reply can carry
        raise StructuredFault("malformed") from exc
    return text

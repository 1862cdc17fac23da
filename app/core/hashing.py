"""Every digest and id of Vouch. Change what one covers only together with its version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from uuid import UUID, uuid5

from app.core.model import Passage, Scope

VECTOR_SCHEMA_VERSION = 4
"""Of the vectors, of the rules that tell a document's language, and of the payload fields that a search filters on."""
TEXT_PREPARATION_VERSION = 1

_RECORDS = UUID("b0a3c1de-6f0e-4b53-9d53-1c7a5be6a1f4")
_PASSAGES = UUID("5d0c2bb0-4a3f-5a83-9a39-0f0a1b6a7c11")
STATE_ID = str(uuid5(_RECORDS, "state"))
"""The point id of the state record."""


def prepared_text(title: str, heading: Sequence[str], text: str) -> str:
    """Exactly what is embedded: the context line `title > heading > ...`, a blank line, the text.

    A first heading that repeats the title is said once; without title and headings it is the text alone.
    """
    path = [title, *heading] if title else list(heading)
    if len(path) > 1 and path[0] == path[1]:
        path = path[1:]
    context = " > ".join(path)
    return f"{context}\n\n{text}" if context else text


def content_hash(title: str, heading: Sequence[str], text: str) -> str:
    """Hex digest of what is embedded, and of nothing volatile (no file name, position, date, tag or access)."""
    return _digest([title, list(heading), text])


def passage_id(document_id: str, content: str, occurrence: int) -> str:
    """The point id of the `occurrence`-th (from 0) passage of this content in this document."""
    return str(uuid5(_PASSAGES, json.dumps([document_id, content, occurrence])))


def record_id(document_id: str) -> str:
    """The point id of a document's record."""
    return str(uuid5(_RECORDS, f"document/{document_id}"))


def byte_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fingerprint(model_identity: str, dimension: int, chunker_version: int) -> str:
    """Names a physical collection: what was built with another one can't stand in the same collection."""
    return _fingerprint(model_identity, dimension, VECTOR_SCHEMA_VERSION, chunker_version)


def embeds_alike(fingerprint: str, model_identity: str, dimension: int, chunker_version: int) -> bool:
    """Whether a collection of this fingerprint has the dense vectors that this model makes of the same content.

    It has if no more than an earlier chunker or vector schema sets it apart.
    """
    earlier = product(range(1, VECTOR_SCHEMA_VERSION + 1), range(1, chunker_version + 1))
    return any(fingerprint == _fingerprint(model_identity, dimension, *versions) for versions in earlier)


def index_digest(passages: Sequence[Passage]) -> str:
    """Covers everything that an answer from this document can show or depend on, in order."""
    return _digest([_shown(passage) for passage in passages])


def revision(fingerprint: str, documents: Iterable[tuple[str, str]]) -> str:
    """The index's content as 16 hex digits, from the set of (document_id, index digest)."""
    return _digest([fingerprint, sorted(documents)])[:16]


def cache_key(
    *,
    revision: str,
    cache_epoch: int,
    scope: Scope,
    question: str,
    options: Mapping[str, object],
    answerer: str,
    model: str,
    prompt_version: str,
    settings_digest: str,
) -> str:
    """The key of an answer: everything that could make it another one."""
    seen_by = [sorted(scope.groups), scope.source_prefix, sorted(scope.tags)]
    wanted = sorted(options.items())
    made_by = [answerer, model, prompt_version, settings_digest]
    return _digest([revision, cache_epoch, seen_by, question, wanted, made_by])


def settings_digest(values: Mapping[str, object]) -> str:
    """Of every setting that can change an answer."""
    return _digest(sorted(values.items()))


def _fingerprint(model_identity: str, dimension: int, schema_version: int, chunker_version: int) -> str:
    parts = [model_identity, dimension, schema_version, chunker_version, TEXT_PREPARATION_VERSION]
    return _digest(parts)[:16]


def _shown(p: Passage) -> list[object]:
    language = [p.language] if p.language else []  # nothing of it, as where passages were made before there was one
    return [p.content_hash, p.page, p.url, p.updated_at, sorted(p.tags), sorted(p.access), *language]


def _digest(parts: object) -> str:
    # JSON keeps the parts apart: no two different lists of values share one encoding.
    encoded = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(encoded.encode("utf-8", "surrogatepass")).hexdigest()

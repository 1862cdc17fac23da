"""Calls of the embedded engine in our words. Every call belongs to one thread."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import qdrant_edge as edge

from app.adapters import payloads

PAGE = 64
"""Points a call: qdrant_edge holds the GIL while it works, so no call may be long."""

Offset = int | UUID | str | None
"""Where a page starts; None is the beginning, and after the last page."""

_CONFIG = "edge_config.json"
"""The engine's own; a folder without it can't be loaded."""

STRAYS = edge.Filter(should=[edge.IsEmptyCondition(field) for field in payloads.NEEDED_FIELDS])
READABLE = edge.Filter(must_not=[STRAYS])


def is_shard(folder: Path) -> bool:
    return (folder / _CONFIG).is_file()


def is_damage(error: BaseException) -> bool:
    """Whether the engine raised it on files that it can't make sense of; it panics on some, beyond Exception."""
    said_by_engine = type(error) is Exception and "WouldBlock" not in str(error)
    return said_by_engine or type(error).__name__ == "PanicException"


def load(folder: Path, fields: Iterable[str]) -> edge.EdgeShard:
    """With an index for each of the fields: a shard from a time when one was not filtered on lacks it."""
    shard = edge.EdgeShard.load(str(folder))
    _index(shard, set(fields) - shard.info().payload_schema.keys())
    return shard


def load_or_make(folder: Path, config: edge.EdgeConfig, fields: Iterable[str]) -> edge.EdgeShard:
    if is_shard(folder):
        return load(folder, fields)
    shutil.rmtree(folder, ignore_errors=True)
    shard = edge.EdgeShard.create(str(folder), config)
    _index(shard, fields)
    shard.flush()
    return shard


def _index(shard: edge.EdgeShard, fields: Iterable[str]) -> None:
    for field in fields:
        kind = edge.PayloadSchemaType.Integer if field == payloads.POSITION else edge.PayloadSchemaType.Keyword
        shard.update(edge.UpdateOperation.create_field_index(field, kind))


def filter_of(conditions: Iterable[payloads.Condition]) -> edge.Filter:
    conditions = list(conditions)
    exclusive = [condition for condition in conditions if isinstance(condition, payloads.Only)]
    return edge.Filter(
        must=[edge.FieldCondition(key=field, match=edge.MatchAny(any=values)) for field, values in conditions],
        must_not=[edge.FieldCondition(key=each.field, match=edge.MatchExcept(each.values)) for each in exclusive],
    )


def scroll(
    shard: edge.EdgeShard,
    conditions: Iterable[payloads.Condition],
    offset: Offset,
    with_payload: bool | list[str] = True,
    with_vector: bool = False,
) -> tuple[list[edge.Record], Offset]:
    return shard.scroll(
        edge.ScrollRequest(
            offset=offset,
            limit=PAGE,
            filter=filter_of(conditions),
            with_payload=with_payload,
            with_vector=with_vector,
        )
    )


def ids_of(ids: Iterable[str]) -> list[int | UUID | str]:
    return list(ids)


def payload_of(record: edge.Record) -> dict[str, Any]:
    return record.payload or {}


def vector_of(record: edge.Record) -> list[float] | None:
    return cast("dict[str, list[float]]", record.vector or {}).get(payloads.VECTOR)

"""Kept evidence as bytes, the same in every store."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from app.core.evidence import Evidence, PassageText, Record, put_together, take_apart
from app.logs import log
from app.metrics import EVIDENCE_FAILURES


def encode(evidence: Evidence) -> tuple[bytes, dict[str, bytes]]:
    """The record of an answer, and the texts it refers to by key."""
    record, texts = take_apart(evidence)
    return msgspec.json.encode(record), {key: msgspec.json.encode(text) for key, text in texts.items()}


def decode_record(stored: bytes | str) -> Record | None:
    """None for what another version wrote and this one can't read."""
    try:
        return msgspec.json.decode(stored, type=Record)
    except (msgspec.MsgspecError, ValueError) as exc:
        _unreadable(exc)
        return None


def decode(record: Record, texts: Mapping[str, bytes | str]) -> Evidence | None:
    """None when a text is not there, or can't be read."""
    try:
        found = {key: msgspec.json.decode(text, type=PassageText) for key, text in texts.items()}
    except (msgspec.MsgspecError, ValueError) as exc:
        _unreadable(exc)
        return None
    return put_together(record, found)


def _unreadable(exc: Exception) -> None:
    EVIDENCE_FAILURES.labels("decode").inc()
    log.warning("evidence.unreadable", error=type(exc).__name__)

"""What one request has the language model do."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from app.metrics import MODEL_CALLS, MODEL_TOKENS


@dataclass
class Meter:
    calls: int = 0
    """Texts that an answerer was asked for."""
    tokens: int = 0
    """Sent to a language model and written by it, as `app.core.packing.estimated_tokens` counts."""


METER: ContextVar[Meter | None] = ContextVar("meter", default=None)
"""The meter of the request that this code runs for. Tasks that it starts count on it as well."""


def count_call(answerer: str) -> None:
    MODEL_CALLS.labels(answerer).inc()
    if meter := METER.get():
        meter.calls += 1


def count_tokens(direction: Literal["prompt", "completion"], tokens: int) -> None:
    MODEL_TOKENS.labels(direction).inc(tokens)
    if meter := METER.get():
        meter.tokens += tokens

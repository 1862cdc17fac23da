"""Which parameters of the OpenAI chat API are read here, which make no difference, and which are refused.

What steers the sampling, the cost or the bookkeeping of a model is let pass: the answer keeps its promises without
it. What would change the form of the reply, or asks for something that can't be done here, is refused as the real
API refuses it for a model that lacks it. So are names that the API does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_READ = frozenset({"model", "messages", "stream", "stream_options", "vouch"})
_NO_DIFFERENCE = frozenset(
    {
        "frequency_penalty",
        "function_call",
        "logit_bias",
        "max_completion_tokens",
        "max_tokens",
        "metadata",
        "moderation",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "safety_identifier",
        "seed",
        "service_tier",
        "store",
        "temperature",
        "tool_choice",
        "top_p",
        "user",
        "verbosity",
    }
)
_NOT_ASKED: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "modalities": (["text"],),
    "response_format": ({"type": "text"},),
    "tools": ([],),
    "functions": ([],),
    "stop": ([],),
    "audio": (),
    "web_search_options": (),
}
"""What is refused, with the values beside null that ask for nothing."""


class Fault(Struct, frozen=True):
    """Why a request is refused, in the terms of the real API."""

    message: str
    param: str | None
    code: str
    status: int = 400


def fault(body: Mapping[str, Any]) -> Fault | None:
    """The first parameter of a request that can't be honoured; None when there is none."""
    for name, value in body.items():
        if found := _unknown(name) or _unsupported(name, value, body):
            return found
    if body.get("stream_options") is not None and not body.get("stream"):
        message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        return Fault(message, "stream_options", "invalid_value")
    return None


def _unknown(name: str) -> Fault | None:
    if name in _READ or name in _NO_DIFFERENCE or name in _NOT_ASKED:
        return None
    return Fault(f"Unknown parameter: '{name}'.", name, "unknown_parameter")


def _unsupported(name: str, value: Any, body: Mapping[str, Any]) -> Fault | None:
    if name not in _NOT_ASKED or value is None or value in _NOT_ASKED[name]:
        return None
    if name == "tools" and body.get("tool_choice") == "none":
        return None
    if name in ("n", "modalities", "response_format"):
        message = f"Unsupported value: '{name}' does not support this value with this model."
        return Fault(message, name, "unsupported_value")
    return Fault(f"Unsupported parameter: '{name}' is not supported with this model.", name, "unsupported_parameter")

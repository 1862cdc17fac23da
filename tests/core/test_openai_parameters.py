"""Which parameters of a chat completion are honoured, let pass and refused."""

from __future__ import annotations

import inspect

import pytest
from openai.resources.chat.completions import Completions

from app.core.openai_parameters import fault

NOT_IN_THE_BODY = {"self", "extra_headers", "extra_query", "extra_body", "timeout"}


def test_every_parameter_of_the_sdk_is_known() -> None:
    for name in set(inspect.signature(Completions.create).parameters) - NOT_IN_THE_BODY:
        found = fault({name: None, "stream": True})
        assert found is None, found


@pytest.mark.parametrize(
    "body",
    [
        {"n": 1},
        {"n": None, "tools": None, "stop": None},
        {"tools": [], "stop": [], "functions": []},
        {"tools": [{"type": "function"}], "tool_choice": "none"},
        {"response_format": {"type": "text"}, "modalities": ["text"], "logprobs": False},
        {"stream": True, "stream_options": {"include_usage": True}},
        {"temperature": 2, "max_tokens": 5, "logit_bias": {"1": 5}},
    ],
)
def test_what_asks_for_nothing_special_is_let_pass(body: dict[str, object]) -> None:
    assert fault(body) is None


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"n": 0}, "n", "unsupported_value"),
        ({"tools": [{"type": "function"}], "tool_choice": "auto"}, "tools", "unsupported_parameter"),
        ({"functions": [{"name": "f"}]}, "functions", "unsupported_parameter"),
        ({"modalities": ["text", "audio"]}, "modalities", "unsupported_value"),
        ({"audio": {"voice": "alloy"}}, "audio", "unsupported_parameter"),
        ({"web_search_options": {}}, "web_search_options", "unsupported_parameter"),
        ({"top_logprobs": 3}, "top_logprobs", "unsupported_parameter"),
        ({"stream": False, "stream_options": {}}, "stream_options", "invalid_value"),
        ({"temprature": 0}, "temprature", "unknown_parameter"),
    ],
)
def test_what_cannot_be_done_is_refused(body: dict[str, object], param: str, code: str) -> None:
    found = fault(body)
    assert found is not None
    assert (found.param, found.code) == (param, code)
    assert param in found.message

from __future__ import annotations

import json

import pytest

from app.core import completions
from app.errors import AnswererFailed


def chunk(delta: object, finish: str | None = None, **fields: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields})


def reason(data: str, event: str = "") -> str:
    with pytest.raises(AnswererFailed) as failed:
        completions.read(data, event)
    return failed.value.reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (chunk({"role": "assistant", "content": ""}), ""),
        (chunk({"content": "Six weeks [1]."}), "Six weeks [1]."),
        (chunk({"content": "é 😀 \u2028 \x85"}), "é 😀 \u2028 \x85"),
        (chunk({"content": None}), ""),
        (chunk({}), ""),
        (chunk(None), ""),
        (chunk({"content": "a", "tool_calls": [], "function_call": None, "annotations": [{"n": 1e5}]}), "a"),
        (chunk({"reasoning_content": "Hm.", "content": None}), ""),
        (chunk({"reasoning": "Hm.", "reasoning_details": [{"text": "Hm."}], "content": ""}), ""),
        (chunk({"refusal": "I can't help with that."}), ""),
        (chunk({"content": "a"}, error=None, usage=None, obfuscation="xx"), "a"),
        (chunk({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "ab"),
        (chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}), ""),
        (chunk({"content": [{"type": "reference", "reference_ids": [1]}, {"type": "text", "text": "a"}]}), "a"),
        ('{"choices": [], "usage": {"total_tokens": 9}}', ""),
        ('{"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}', ""),
        ('{"choices": null}', ""),
        ("{}", ""),
        ('{"choices": [{"delta": {"content": "a"}}]}', "a"),
        ('{"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}', "a"),
        ('{"choices": [{"index": 1, "delta": {"content": "b"}, "finish_reason": "stop"}]}', ""),
        ("", ""),
    ],
)
def test_only_the_text_of_the_first_choice_is_the_answer(data: str, text: str) -> None:
    assert completions.read(data) == (text, False)


@pytest.mark.parametrize("finish", ["stop", "STOP", "eos", "end_turn", "stop_sequence", "something_new"])
def test_any_other_finish_reason_completes_the_answer(finish: str) -> None:
    assert completions.read(chunk({"content": "."}, finish)) == (".", True)


def test_done_completes_the_answer() -> None:
    assert completions.read("[DONE]") == ("", True)


def test_an_empty_finish_reason_completes_nothing() -> None:
    assert completions.read(chunk({"content": "a"}, "")) == ("a", False)


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        ("length", "answer_truncated"),
        ("MAX_TOKENS", "answer_truncated"),
        ("model_length", "answer_truncated"),
        ("content_filter", "content_filtered"),
        ("SAFETY", "content_filtered"),
        ("error", "provider_error"),
        ("insufficient_system_resource", "provider_error"),
        ("tool_calls", "provider_protocol"),
    ],
)
def test_an_unfit_ending_has_its_reason(finish: str, code: str) -> None:
    assert reason(chunk({}, finish)) == code


@pytest.mark.parametrize(
    "data",
    [
        '{"error": {"message": "overloaded"}}',
        '{"error": "overloaded"}',
        '{"object": "error", "message": "overloaded", "code": 500}',
        chunk({"content": ""}, "error", error={"code": 502}),
        chunk({"content": "a"}, "stop", error={"code": 502}),
    ],
)
def test_an_error_object_is_the_providers_error(data: str) -> None:
    assert reason(data) == "provider_error"


def test_an_event_of_type_error_is_the_providers_error() -> None:
    assert reason('{"message": "overloaded"}', event="error") == "provider_error"


@pytest.mark.parametrize("field", ["tool_calls", "function_call"])
def test_a_tool_call_that_none_offered_breaks_the_protocol(field: str) -> None:
    assert reason(chunk({field: [{"index": 0, "function": {"name": "f"}}]})) == "provider_protocol"


@pytest.mark.parametrize(
    "data",
    [
        "<html>",
        '{"choices": [{"delta": {"content": "cut he',
        "null",
        "[]",
        '"text"',
        '{"choices": {}}',
        chunk({"content": 5}),
        chunk({"content": ["a"]}),
        '{"choices": ["a"]}',
        '{"choices": [{"delta": {"content": "\\ud83d"}}]}',
        '{"x": ' + "[" * 100_000,
    ],
)
def test_what_is_no_chunk_breaks_the_protocol(data: str) -> None:
    assert reason(data) == "provider_protocol"


def test_a_plain_body_is_judged_by_its_error() -> None:
    completions.check_plain(b'{"choices": [{"message": {"content": "whole"}}]}')
    with pytest.raises(AnswererFailed, match="reported an error"):
        completions.check_plain(b'{"error": {"message": "no such model"}}')

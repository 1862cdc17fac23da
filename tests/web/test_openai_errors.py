"""The OpenAI API: what is refused, and what goes wrong, in the shapes that its SDK knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

from app.settings import Settings
from app.web import events
from tests.openai_client import MODEL, client, complete, stream, user
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says, status, streams
from tests.service import Service, running, settings_for

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"n": 2}, "n", "unsupported_value"),
    ({"tools": [TOOL]}, "tools", "unsupported_parameter"),
    ({"logprobs": True}, "logprobs", "unsupported_parameter"),
    ({"stop": "\n"}, "stop", "unsupported_parameter"),
    ({"response_format": {"type": "json_object"}}, "response_format", "unsupported_value"),
    ({"stream_options": {"include_usage": True}}, "stream_options", "invalid_value"),
    ({"extra_body": {"keep_alive": 5}}, "keep_alive", "unknown_parameter"),
    ({"extra_body": {"vouch": {"topk": 5}}}, "vouch", "bad_request"),
    ({"messages": [{"role": "user", "content": [IMAGE]}]}, "messages.[0].content.[0].type", "invalid_value"),
    ({"messages": [{"role": "system", "content": "x"}]}, "messages", "invalid_value"),
    ({"messages": []}, "messages", "bad_request"),
    ({"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role", "bad_request"),
    ({"messages": [user("x" * 2_001)]}, "messages", "bad_question"),
    ({"messages": [user(" ")]}, "messages", "bad_question"),
]


async def test_what_cannot_be_honoured_is_refused_by_name(service: Service) -> None:
    async with client(service) as sdk:
        for change, param, code in REFUSED:
            with pytest.raises(openai.BadRequestError) as refused:
                await sdk.chat.completions.create(**{"model": MODEL, "messages": [user()], **change})
            error: Any = refused.value
            assert (error.param, error.code, error.type) == (param, code, "invalid_request_error")
            assert error.body["message"]


async def test_tools_that_may_not_be_called_are_let_pass(service: Service) -> None:
    answer = await complete(service, tools=[TOOL], tool_choice="none")
    assert answer.choices[0].message.tool_calls is None


async def test_another_model_does_not_exist(service: Service) -> None:
    async with client(service) as sdk:
        with pytest.raises(openai.NotFoundError) as asked:
            await sdk.chat.completions.create(model="gpt-9", messages=[user()])
        with pytest.raises(openai.NotFoundError) as retrieved:
            await sdk.models.retrieve("gpt-9")
    assert asked.value.code == retrieved.value.code == "model_not_found"


async def test_a_body_that_is_no_request_is_refused_in_the_same_shape(service: Service) -> None:
    for raw in (b"{", b"[]", b"null", b"", b"\xff", b"[" * 10_000):
        reply = await service.http.post("/v1/chat/completions", content=raw)
        assert (reply.status_code, reply.json()["error"]["type"]) == (400, "invalid_request_error"), raw


async def test_a_long_conversation_is_read_and_a_huge_one_is_not(service: Service) -> None:
    long = await complete(service, user("x" * 500_000), user())
    assert long.choices[0].message.annotations
    with pytest.raises(openai.APIStatusError) as refused:
        await complete(service, user("x" * 1_100_000), user())
    assert refused.value.status_code == 413


async def test_no_web_page_can_ask(service: Service) -> None:
    body = {"model": MODEL, "messages": [user()]}
    for path, method in (("chat/completions", "POST"), ("models", "GET")):
        reply = await service.http.request(method, f"/v1/{path}", json=body, headers={"Host": "evil.example"})
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "not_local")


FAILURES = [
    (status(500), "provider_error", 502),
    (streams(b"data: not json\n\n"), "provider_protocol", 502),
]


@pytest.mark.parametrize("ask", [complete, stream])
@pytest.mark.parametrize(("reply", "reason", "code"), FAILURES)
async def test_a_failure_before_the_first_text_is_an_error_with_its_status(
    chatting: Service, chat: ScriptedChat, ask: Any, reply: Any, reason: str, code: int
) -> None:
    chat.reply = reply
    with pytest.raises(openai.InternalServerError) as failed:
        await ask(chatting)
    error = failed.value
    assert (error.status_code, error.code, error.type) == (code, reason, "server_error")
    assert error.response.json()["vouch"]["status"] == "failed"
    assert "secret" not in error.response.text


async def test_a_failure_after_a_long_silence_is_an_error_in_the_stream(
    chatting: Service, chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "PING_S", 0.05)
    stall = Stall()
    chat.reply = lambda _: [stall, *status(500)({})]
    async with client(chatting) as sdk:
        chunks = await sdk.chat.completions.create(model=MODEL, messages=[user()], stream=True)
        stall.released.set()
        with pytest.raises(openai.APIError) as failed:
            _ = [chunk async for chunk in chunks]
    assert (failed.value.code, failed.value.type) == ("provider_error", "server_error")


async def test_an_answer_that_is_too_long_is_not_asked_for_again(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says("x" * 70_000)
    with pytest.raises(openai.APIStatusError) as failed:
        await complete(chatting)
    assert (failed.value.code, failed.value.response.headers["x-should-retry"]) == ("answer_too_long", "false")


async def test_an_index_that_is_gone_is_503_and_worth_another_try(indexed: Settings, tmp_path: Path) -> None:
    pointer = next((tmp_path / "qdrant").glob("*.alias"))
    async with running(settings_for(tmp_path)) as service:
        pointer.unlink()
        pointer.mkdir()
        with pytest.raises(openai.InternalServerError) as failed:
            await complete(service)
    assert (failed.value.status_code, failed.value.code) == (503, "index_unavailable")
    assert failed.value.response.headers["retry-after"] == "5"

"""What callers may use: refused at the limit, told by headers, and never charged for what cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from app.admission import MAX_WAITING_EMBEDDINGS
from app.core.callers import key_digest
from app.core.packing import estimated_tokens
from app.metrics import LIMIT_FAILURES
from app.settings import Settings
from tests.mcp_client import text_of
from tests.raw_http import Stall
from tests.redis_server import RedisServer
from tests.scripted_chat import ScriptedChat, prompt_of, says
from tests.service import OFF_TOPIC, QUESTION, Service, running, settings_for
from tests.shared_embedder import embedders

ANSWER = "Every employee gets 28 days a year [1]."
KEY = "vouch-key-of-the-portal"
Limited = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture
def limited(indexed: Settings, tmp_path: Path, chat: ScriptedChat) -> Limited:
    """Runs the service for a caller `portal` with these limits; its client has the key."""
    chat.reply = says(ANSWER)

    def run(env: dict[str, str] | None = None, **limits: int) -> AbstractAsyncContextManager[Service]:
        listed = ", ".join(f"{name} = {value}" for name, value in limits.items())
        entry = f'[[callers]]\nname = "portal"\nsha256 = "{key_digest(KEY)}"\nlimits = {{ {listed} }}\n'
        other = f'[[callers]]\nname = "other"\nsha256 = "{key_digest("other")}"\n'
        keys = tmp_path / "keys.toml"
        keys.write_text(entry + other)
        keys.chmod(0o600)
        given = {"API_KEYS_FILE": keys, "CHAT_BASE_URL": chat.base_url, "CHAT_MODEL": "scripted", **(env or {})}
        return running(settings_for(tmp_path, **given))

    return run


async def post(service: Service, question: str = QUESTION, key: str = KEY) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    return await service.http.post("/v1/answers", json={"question": question}, headers=headers)


async def usage(service: Service) -> dict[str, Any]:
    return (await service.http.get("/v1/usage", headers={"X-API-Key": KEY})).json()


def refused(reply: Any, limit: str) -> None:
    assert reply.status_code == 429
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["type"] == "/problems/limit-reached"
    assert limit in reply.json()["detail"]
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.headers["ratelimit-remaining"] == "0"
    assert reply.headers["ratelimit-reset"] == reply.headers["retry-after"]
    assert "ratelimit-policy" not in reply.headers, "that of the minute, beside another limit"


async def test_requests_of_a_minute_are_counted_and_told(limited: Limited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.limits._MINUTE", 3_600 * 24)  # so that no minute ends during the test
    async with limited(requests_per_minute=3) as service:
        told = [(await post(service)).headers for _ in range(3)]
        assert [headers["ratelimit-remaining"] for headers in told] == ["2", "1", "0"]
        assert told[0]["ratelimit-limit"] == "3"
        assert told[0]["ratelimit-policy"] == "3;w=60"
        refused(await post(service), "requests_per_minute")
        assert (await post(service, key="other")).status_code == 200, "no caller starves another"
        for path in ("/health/live", "/health/ready", "/"):
            assert (await service.http.get(path)).status_code == 200


async def test_answers_in_progress_are_bounded_and_a_caller_that_leaves_frees_its_place(
    limited: Limited, chat: ScriptedChat
) -> None:
    stall = Stall()
    chat.script(says("Every ", stall))
    async with limited(concurrent_answers=1) as service:
        asking = asyncio.create_task(post(service))
        await stall.reached.wait()
        refused(await post(service, "How much is on-call pay?"), "concurrent_answers")
        assert (await usage(service))["concurrent_answers"]["used"] == 1
        asking.cancel()
        await chat.closed_early.wait()
        for _ in range(3):  # each gives its place back before its caller can ask again
            assert (await post(service)).status_code == 200
        assert (await usage(service))["concurrent_answers"]["used"] == 0


async def test_only_written_answers_count_and_only_they_cost_tokens(limited: Limited, chat: ScriptedChat) -> None:
    async with limited(answers_per_month=2, requests_per_minute=1_000) as service:
        for question in (QUESTION, QUESTION, OFF_TOPIC):  # written, cached, refused
            assert (await post(service, question)).status_code == 200
        used = await usage(service)
        assert used["answers_per_month"]["used"] == 1
        prompt = sum(estimated_tokens(message["content"]) for message in chat.requests[0]["messages"])
        assert used["model_tokens_per_day"]["used"] == prompt + estimated_tokens(ANSWER)
        assert (await post(service, "How much is on-call pay?")).status_code == 200
        refused(await post(service, "Are meals refunded?"), "answers_per_month")
        assert len(chat.requests) == 2


async def test_a_failed_answer_costs_its_tokens_but_no_answer(limited: Limited, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee", finish="length")
    async with limited() as service:
        assert (await post(service)).json()["status"] == "failed"
        used = await usage(service)
        assert used["answers_per_month"]["used"] == 0
        assert used["model_tokens_per_day"]["used"] > estimated_tokens(prompt_of(chat.requests[0])) // 2


async def test_the_tokens_of_a_day_run_out(limited: Limited, chat: ScriptedChat) -> None:
    async with limited(model_tokens_per_day=1) as service:
        assert (await post(service)).status_code == 200
        refused(await post(service), "model_tokens_per_day")
        assert len(chat.requests) == 1


async def test_fifty_at_once_get_what_the_month_has_left(limited: Limited, redis: RedisServer) -> None:
    failures = LIMIT_FAILURES.labels("take")._value.get()
    async with limited({"REDIS_URL": redis.url}, answers_per_month=5) as service:
        replies = await asyncio.gather(*(post(service, f"How many days of leave are there? {n}") for n in range(50)))
        answered = [reply for reply in replies if reply.status_code == 200]
        if LIMIT_FAILURES.labels("take")._value.get() > failures:
            pytest.skip("Redis was held up on a machine that is too busy: the process counted for itself meanwhile")
        assert len(answered) == 5
        assert (await usage(service))["answers_per_month"]["used"] == 5


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_without_redis_the_limit_still_holds_and_no_request_is_lost(
    limited: Limited, redis: RedisServer, fault: str
) -> None:
    async with limited({"REDIS_URL": redis.url}, answers_per_month=2) as service:
        assert (await post(service)).status_code == 200
        getattr(redis, fault)()
        assert (await post(service, "How much is on-call pay?")).json()["status"] == "answered"
        refused(await post(service, "Are meals refunded?"), "answers_per_month")
        if fault == "freeze":
            redis.wake()


async def test_the_openai_face_says_it_in_its_own_shape(limited: Limited) -> None:
    async with limited(answers_per_month=1) as service:
        await post(service)
        base_url = f"{service.http.base_url}/v1"
        async with openai.AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0) as sdk:
            with pytest.raises(openai.RateLimitError) as limit:
                await sdk.chat.completions.create(model="vouch", messages=[{"role": "user", "content": QUESTION}])
    assert (limit.value.code, limit.value.type) == ("limit_reached", "rate_limit_error")
    assert int(limit.value.response.headers["retry-after"]) >= 1


@pytest.fixture
async def narrow(indexed: Settings, tmp_path: Path, chat: ScriptedChat) -> AsyncIterator[Service]:
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m", MAX_CONCURRENT_ANSWERS=2)
    async with running(settings) as service:
        yield service


async def test_a_full_service_says_so_at_once_and_its_health_routes_go_on(narrow: Service, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("Every ", stall, "employee [1].")
    asking = [asyncio.create_task(narrow.stream(question)) for question in (QUESTION, "How much is on-call pay?")]
    await stall.reached.wait()
    while len(chat.requests) < 2:
        await narrow.http.get("/health/live")
    replies = await asyncio.gather(
        *(narrow.http.post("/v1/answers", json={"question": f"What is refunded? {n}"}) for n in range(50))
    )
    assert {reply.status_code for reply in replies} == {503}
    assert {reply.json()["type"] for reply in replies} == {"/problems/overloaded"}
    assert {reply.headers["retry-after"] for reply in replies} == {"1"}
    assert (await narrow.http.get("/health/ready")).status_code == 200
    stall.released.set()
    assert [stream.done["status"] for stream in await asyncio.gather(*asking)] == ["answered", "answered"]
    chat.reply = says(ANSWER)
    assert (await narrow.ask("Are meals refunded?"))["status"] in ("answered", "refused")


async def test_a_caller_that_leaves_frees_its_place_in_the_service(narrow: Service, chat: ScriptedChat) -> None:
    for _ in range(3):
        chat.closed_early.clear()
        stall = Stall()
        chat.script(says("Every ", stall))
        asking = asyncio.create_task(narrow.stream())
        await stall.reached.wait()
        asking.cancel()
        await chat.closed_early.wait()
    chat.reply = says(ANSWER)
    assert (await narrow.ask())["status"] == "answered"
    assert narrow.app.state.services.admission._free == 2


async def test_when_too_many_questions_wait_for_the_model_of_the_index_the_next_is_sent_away(narrow: Service) -> None:
    embedder = await embedders.get("bundled")
    embedder.waiting += MAX_WAITING_EMBEDDINGS
    try:
        for reply in (await post(narrow), await narrow.http.get("/v1/search", params={"q": QUESTION})):
            assert (reply.status_code, reply.json()["type"]) == (503, "/problems/overloaded")
    finally:
        embedder.waiting -= MAX_WAITING_EMBEDDINGS
    assert (await narrow.http.get("/v1/search", params={"q": QUESTION})).status_code == 200


async def test_an_agent_is_told_as_an_error_of_the_tool(limited: Limited) -> None:
    async with limited(answers_per_month=1) as service:
        await post(service)
        headers = {"Authorization": f"Bearer {KEY}"}
        async with (
            httpx.AsyncClient(trust_env=False, timeout=30, headers=headers) as http,
            streamable_http_client(f"{service.http.base_url}/mcp", http_client=http) as (reading, writing, _),
            ClientSession(reading, writing) as agent,
        ):
            await agent.initialize()
            result = await agent.call_tool("ask", {"question": QUESTION})
        assert result.isError
        assert "answers_per_month" in text_of(result)
        assert (await usage(service))["concurrent_answers"]["used"] == 0

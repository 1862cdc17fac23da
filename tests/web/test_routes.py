"""Search, index, health, metrics, the schema, and who may call what."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings
from tests.scripted_chat import ScriptedChat
from tests.service import OFF_TOPIC, QUESTION, Service, running, settings_for


async def test_search_shows_what_would_be_packed_without_a_model_call(chatting: Service, chat: ScriptedChat) -> None:
    found = (await chatting.http.get("/v1/search", params={"q": QUESTION, "top_k": 3})).json()
    assert (found["would_answer"], found["reason"], len(found["candidates"])) == (True, None, 3)
    best = found["candidates"][0]
    assert best["document_id"] == "leave.md"
    assert "number" not in best
    assert best["score"] == found["relevance"]["best"] >= found["relevance"]["threshold"]
    assert chat.requests == []


async def test_search_says_why_it_would_not_answer(service: Service) -> None:
    found = (await service.http.get("/v1/search", params={"q": OFF_TOPIC})).json()
    assert (found["would_answer"], found["reason"]) == (False, "below_threshold")
    assert found["candidates"]


async def test_search_looks_only_at_what_its_filter_lets_through(service: Service) -> None:
    for filtered, expected in (("source_prefix=leave.md", {"leave.md"}), ("tags=travel&tags=it", set())):
        found = (await service.http.get(f"/v1/search?q={QUESTION}&{filtered}")).json()
        assert {candidate["document_id"] for candidate in found["candidates"]} == expected


async def test_search_without_a_question_is_400(service: Service) -> None:
    reply = await service.http.get("/v1/search")
    assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request")


async def test_the_index_tells_its_state(service: Service) -> None:
    index = (await service.http.get("/v1/index")).json()
    assert (index["state"], index["documents"], index["embedding_model"], index["dimension"]) == (
        "ready",
        3,
        "bundled",
        384,
    )
    assert index["passages"] >= 4
    assert len(index["revision"]) == 16
    assert index["generation"] == 1
    assert index["updated_at"]


async def test_an_empty_index_says_so_and_is_not_ready(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        assert (await service.http.get("/v1/index")).json()["state"] == "empty"
        reply = await service.http.get("/health/ready")
        assert reply.status_code == 503
        assert "make ingest" in reply.json()["dependencies"]["index"]["detail"]
        assert (await service.http.get("/health/live")).status_code == 200


async def test_ready_names_each_dependency(service: Service) -> None:
    reply = await service.http.get("/health/ready")
    assert reply.status_code == 200
    assert set(reply.json()["dependencies"]) == {"service", "index", "cache", "answerer"}


async def test_metrics_count_verdicts(service: Service) -> None:
    await service.ask(OFF_TOPIC)
    metrics = (await service.http.get("/metrics")).text
    assert 'vouch_answers_total{cached="false",reason="below_threshold",status="refused"}' in metrics
    assert 'vouch_stage_seconds_bucket{le="0.001",stage="embed"}' in metrics


async def test_the_schema_lists_every_route(service: Service) -> None:
    schema = (await service.http.get("/schema/openapi.json")).json()
    assert set(schema["paths"]) == {
        "/v1/answers",
        "/v1/answers/{answer_id}",
        "/v1/search",
        "/v1/usage",
        "/v1/notices",
        "/v1/chat/completions",
        "/v1/models",
        "/v1/models/{model}",
        "/v1/index",
        "/v1/index/sync",
        "/v1/index/documents",
        "/v1/index/documents/{document_id}",
        "/health/live",
        "/health/ready",
        "/metrics",
    }


FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "evil.example:8000"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://["},
    {"Host": "127.0.0.1.evil.example"},
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_no_web_page_can_drive_a_local_service(service: Service, headers: dict[str, str]) -> None:
    for method, path in (("POST", "/v1/answers"), ("GET", "/v1/search?q=x"), ("POST", "/v1/index/sync")):
        headers = {**headers, "X-Vouch-Token": service.token}
        reply = await service.http.request(method, path, headers=headers)
        assert (reply.status_code, reply.json()["type"]) == (403, "/problems/not-local")


async def test_an_anonymous_service_answers_other_hosts_but_no_foreign_page(indexed: Settings, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, ALLOW_ANONYMOUS="1")) as service:
        assert (await service.http.get("/v1/index", headers={"Host": "vouch.internal"})).status_code == 200
        foreign = {"Host": "vouch.internal", "Origin": "http://evil.example"}
        assert (await service.http.get("/v1/index", headers=foreign)).status_code == 403


@pytest.mark.parametrize("token", [None, "", "wrong", "é"])
async def test_a_sync_needs_the_token_of_this_run(service: Service, token: str | None) -> None:
    headers = {} if token is None else {"X-Vouch-Token": token.encode()}
    reply = await service.http.post("/v1/index/sync", json={}, headers=headers)
    assert (reply.status_code, reply.json()["type"]) == (403, "/problems/not-admin")


async def test_the_schema_describes_replies_and_problems(service: Service) -> None:
    schema = (await service.http.get("/schema/openapi.json")).json()
    responses = schema["paths"]["/v1/answers"]["post"]["responses"]
    assert responses["200"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Reply"}
    for status in ("400", "403", "404", "503"):
        assert list(responses[status]["content"]) == ["application/problem+json"]
    assert {"status", "reason", "answer", "sources", "cited"} <= set(
        schema["components"]["schemas"]["Reply"]["properties"]
    )
    sync = schema["paths"]["/v1/index/sync"]["post"]["responses"]
    assert list(sync["200"]["content"]) == ["text/event-stream"]

"""Keys, rights, other origins, and the headers that every reply has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openai import AsyncOpenAI, AuthenticationError
from prometheus_client import generate_latest

from app.metrics import ACCESS_REFUSED, REGISTRY
from app.settings import Settings
from tests.callers import KEYS, as_caller, write_keys
from tests.service import QUESTION, Service, ingest, running, settings_for, write_corpus

KEY = KEYS["wiki"]
PAGE = "https://intranet.example"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("keys")
    write_corpus(folder)
    settings = settings_for(folder, API_KEYS_FILE=write_keys(folder), CORS_ORIGINS=PAGE)
    asyncio.run(ingest(settings))
    return settings


@pytest.fixture
async def service(indexed: Settings) -> AsyncIterator[Service]:
    async with running(indexed) as service:
        yield service


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"Authorization": f"bearer  {KEY}"},
        {"X-API-Key": KEY},
        {"X-API-Key": KEY, "Authorization": f"Bearer {KEY}"},
        {"X-API-Key": KEY, "Authorization": "Basic dTpw"},
        {"X-API-Key": KEY, "Host": "vouch.example", "Origin": "https://elsewhere.example"},
        {"Authorization": f"Bearer {KEY}", "X-Vouch-Token": KEY},
    ],
)
async def test_a_key_is_taken_from_either_header(service: Service, headers: dict[str, str]) -> None:
    assert (await service.http.get("/v1/search", params={"q": QUESTION}, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-API-Key": "wrong"}, {"Authorization": f"Basic {KEY}"}, {"X-API-Key": "é"}, {"X-Vouch-Token": KEY}],
)
async def test_without_a_valid_key_nothing_but_the_open_routes_answers(
    service: Service, headers: dict[str, str]
) -> None:
    before = ACCESS_REFUSED.labels("401", "no-key")._value.get()
    sent = {name: value.encode() for name, value in headers.items()}
    for method, path in (
        ("GET", "/v1/index"),
        ("POST", "/v1/answers"),
        ("GET", "/v1/answers/unknown"),
        ("POST", "/mcp"),
    ):
        reply = await service.http.request(method, path, headers=sent)
        assert (reply.status_code, reply.json()["type"]) == (401, "/problems/no-key")
        assert reply.headers["www-authenticate"].startswith("Bearer")
        assert reply.headers["content-type"] == "application/problem+json"
    assert ACCESS_REFUSED.labels("401", "no-key")._value.get() == before + 4
    for path in ("/", "/static/app.js", "/health/live", "/health/ready", "/schema", "/schema/openapi.json"):
        assert (await service.http.get(path, headers=sent)).status_code == 200


async def test_a_caller_without_a_key_is_told_where_it_goes(service: Service) -> None:
    detail = (await service.http.get("/v1/index")).json()["detail"]
    assert all(place in detail for place in ("Authorization: Bearer", "X-API-Key", "under Access"))


async def test_two_different_keys_are_refused(service: Service) -> None:
    both = {"X-API-Key": KEY, **as_caller("ops")}
    reply = await service.http.get("/v1/index", headers=both)
    assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request")


async def test_an_admins_key_may_do_what_the_token_of_the_run_may(service: Service) -> None:
    pushed = {"url": "/v1/index/documents/pushed.md", "content": b"# Pushed\n\nText.\n"}
    before = ACCESS_REFUSED.labels("403", "not-admin")._value.get()
    reply = await service.http.put(**pushed, headers=as_caller("wiki"))
    assert (reply.status_code, reply.json()["type"]) == (403, "/problems/not-admin")
    unknown = await service.http.delete("/v1/index/documents/unknown.md", headers=as_caller("wiki"))
    assert unknown.json() == reply.json(), "whether the document exists makes no difference"
    assert ACCESS_REFUSED.labels("403", "not-admin")._value.get() == before + 2
    for admin in (as_caller("ops"), {"X-Vouch-Token": service.token}, {"X-API-Key": KEYS["ops"]}):
        assert (await service.http.get("/v1/index", headers=admin)).json()["may_sync"]
        assert (await service.http.get("/metrics", headers=admin)).status_code == 200
    assert (await service.http.get("/metrics", headers=as_caller("wiki"))).status_code == 403
    assert (await service.http.put(**pushed, headers=as_caller("ops"))).status_code == 201
    assert (await service.http.delete(pushed["url"], headers=as_caller("ops"))).status_code == 200


async def test_another_folder_is_read_for_the_token_of_the_run_alone(service: Service, tmp_path: Path) -> None:
    order = {"corpus": str(write_corpus(tmp_path)), "dry_run": True}
    for headers, status, kind in (
        (as_caller("ops"), 403, "/problems/not-owner"),
        (as_caller("wiki"), 403, "/problems/not-admin"),
        ({"X-Vouch-Token": service.token}, 200, None),
    ):
        reply = await service.http.post("/v1/index/sync", json=order, headers=headers)
        assert reply.status_code == status
        assert kind is None or reply.json()["type"] == kind
    assert (await service.http.post("/v1/index/sync", json={}, headers=as_caller("ops"))).status_code == 200


async def test_the_openai_sdk_sends_its_key_and_reads_the_refusal(service: Service) -> None:
    url = f"{service.http.base_url}/v1"
    async with AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client:
        assert [model.id async for model in client.models.list()] == ["vouch"]
    async with AsyncOpenAI(api_key="wrong", base_url=url, max_retries=0) as client:
        with pytest.raises(AuthenticationError, match="The key is not valid"):
            await client.models.list()


async def test_a_kept_answer_is_its_callers_and_the_admins(service: Service) -> None:
    asked = await service.http.post("/v1/answers", json={"question": QUESTION}, headers=as_caller("wiki"))
    path = f"/v1/answers/{asked.json()['id']}"
    for name, status in (("wiki", 200), ("hr-portal", 404), ("ops", 200)):
        assert (await service.http.get(path, headers=as_caller(name))).status_code == status


async def test_pages_of_a_named_origin_may_ask_and_others_not(service: Service) -> None:
    wanted = {"Origin": PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}
    preflight = await service.http.options("/v1/answers", headers=wanted)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, PAGE)
    assert "access-control-allow-credentials" not in preflight.headers
    for headers, status in (({}, 401), (as_caller("wiki"), 200)):
        reply = await service.http.get("/v1/index", headers={"Origin": PAGE, **headers})
        assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (status, PAGE)
    foreign = await service.http.options("/v1/answers", headers={**wanted, "Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in foreign.headers


async def test_no_other_origin_may_ask_unless_one_is_named(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        wanted = {"Origin": PAGE, "Access-Control-Request-Method": "GET"}
        for reply in (
            await service.http.options("/v1/index", headers=wanted),
            await service.http.get("/v1/index", headers={"Origin": PAGE}),
        ):
            assert reply.status_code in (403, 405)
            assert "access-control-allow-origin" not in reply.headers


async def test_every_reply_has_headers_that_bind_a_browser(service: Service) -> None:
    for path, status in (("/v1/index", 200), ("/nowhere", 404), ("/v1/search", 400), ("/health/live", 200), ("/", 200)):
        reply = await service.http.get(path, headers=as_caller("wiki"))
        assert reply.status_code == status
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["cache-control"] == ("no-cache" if path == "/" else "no-store")
    called = await service.http.post("/mcp", json={}, headers=as_caller("wiki"))
    assert called.headers["x-content-type-options"] == "nosniff"


async def test_with_a_file_and_leave_anyone_asks_but_a_wrong_key_is_still_refused(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, API_KEYS_FILE=write_keys(tmp_path), ALLOW_ANONYMOUS=1)
    async with running(settings) as service:
        index = await service.http.get("/v1/index", headers={"Host": "vouch.example"})
        assert (index.status_code, index.json()["may_sync"]) == (200, False)
        assert (await service.http.get("/v1/index", headers={"X-API-Key": "wrong"})).status_code == 401
        foreign = {"Origin": "https://evil.example"}
        assert (await service.http.get("/v1/index", headers=foreign)).status_code == 403


async def test_keys_are_those_that_the_file_has_now(tmp_path: Path) -> None:
    path = write_keys(tmp_path)

    async def status() -> int:
        return (await service.http.get("/v1/index", headers={"X-API-Key": KEY})).status_code

    async with running(settings_for(tmp_path, API_KEYS_FILE=path)) as service:
        assert await status() == 200
        path.write_text("callers = nonsense", encoding="utf-8")
        assert await status() == 200, "the last valid file holds"
        path.unlink()
        assert await status() == 200
        path.write_text("", encoding="utf-8")
        assert await status() == 401
        write_keys(tmp_path)
        assert await status() == 200


PLANTED = {
    "CHAT_API_KEY": "planted-chat-key",
    "CHAT_BASE_URL": "http://127.0.0.1:9/v1",
    "CHAT_MODEL": "m",
    "QDRANT_API_KEY": "planted-qdrant-key",
    "REDIS_URL": "redis://:planted-redis-password@127.0.0.1:9/0",
}


async def test_no_secret_gets_into_a_reply_a_log_line_a_metric_or_a_repr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_corpus(tmp_path)
    keys_file = write_keys(tmp_path)
    settings: Settings = settings_for(tmp_path, API_KEYS_FILE=keys_file, **PLANTED)
    await ingest(settings)
    said = [repr(settings), str(settings)]
    async with running(settings) as service:
        door = service.app.state.door
        said += [repr(door), repr(door.keys), repr(service.app.state.services), repr(service.app.state)]
        for name in ("wiki", "ops", "wrong"):
            headers = {"X-API-Key": KEYS.get(name, "planted-wrong-key")}
            for path in (
                "/v1/index",
                "/health/ready",
                "/metrics",
                "/v1/usage",
                "/schema/openapi.json",
                "/v1/answers/x",
            ):
                said.append((await service.http.get(path, headers=headers)).text)
            for body in ({"question": QUESTION}, {"question": ""}, {"x": KEY}):
                reply = await service.http.post("/v1/answers", json=body, headers=headers)
                said.append(reply.text.replace(KEY, "") if "x" in body else reply.text)
        keys_file.write_text(f'planted = "{KEY}"', encoding="utf-8")
        said.append((await service.http.get("/v1/index", headers=as_caller("wiki"))).text)
        token = service.token
    said += [generate_latest(REGISTRY).decode(), *capfd.readouterr()]
    assert [secret for secret in (token, *KEYS.values(), "planted-") for text in said if secret in text] == []

"""Signed notices that change what a caller may use."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from app import plans
from app.core.callers import key_digest
from app.core.plans import Plan, newest
from app.core.signatures import sign
from app.settings import Settings
from tests.redis_server import RedisServer
from tests.service import Service, running, settings_for

SECRET = "secret-of-the-billing-0001"
KEY = "key-of-the-portal"
CALLERS = f"""
[[callers]]
name = "hr-portal"
sha256 = "{key_digest(KEY)}"
limits = {{ requests_per_minute = 60, answers_per_month = 100 }}
"""
OF_THE_FILE = {"requests_per_minute": 60, "answers_per_month": 100, "model_tokens_per_day": None}


def keyed(folder: Path, **changed: object) -> Settings:
    folder.mkdir(exist_ok=True)
    (folder / "keys.toml").write_text(CALLERS)
    return settings_for(folder, NOTICE_SECRETS=SECRET, API_KEYS_FILE=folder / "keys.toml", **changed)


async def change(service: Service, limits: dict[str, Any] | None, age: int = 0, caller: str = "hr-portal") -> str:
    body = json.dumps({"caller": caller, "limits": limits}).encode()
    reply = await send(service, body, age)
    assert reply.status_code == 202, reply.text
    return str(reply.json()["state"])


async def send(service: Service, body: bytes, age: int = 0) -> httpx.Response:
    headers = {"X-Vouch-Signature": sign(SECRET, int(time.time()) - age, body)}
    return await service.http.post("/v1/notices", content=body, headers=headers)


async def limits(service: Service) -> dict[str, int | None]:
    usage = (await service.http.get("/v1/usage", headers={"X-API-Key": KEY})).json()
    return {name: usage[name]["limit"] for name in OF_THE_FILE}


async def test_a_plan_stands_above_the_file_of_callers_also_after_a_restart(tmp_path: Path) -> None:
    settings = keyed(tmp_path)
    async with running(settings) as service:
        assert await limits(service) == OF_THE_FILE
        with capture_logs() as told:
            assert await change(service, {"answers_per_month": 500, "requests_per_minute": None}) == "applied"
        [said] = [line for line in told if line["event"] == "plan.changed"]
        assert (said["caller"], said["limits"]["answers_per_month"]) == ("hr-portal", 500)
        changed = {**OF_THE_FILE, "answers_per_month": 500, "requests_per_minute": None}
        assert await limits(service) == changed
    async with running(settings) as service:
        assert await limits(service) == changed
        assert await change(service, None, age=-1) == "applied"
        assert await limits(service) == OF_THE_FILE


async def test_of_two_plans_the_one_that_was_signed_later_holds_whichever_comes_first(tmp_path: Path) -> None:
    async with running(keyed(tmp_path)) as service:
        assert await change(service, {"answers_per_month": 2}, age=10) == "applied"
        assert await change(service, {"answers_per_month": 1}, age=20) == "ignored"
        assert (await limits(service))["answers_per_month"] == 2


async def test_a_plan_reaches_the_other_replicas(
    redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "REFRESH_S", 0.05)
    one, two = (keyed(tmp_path / name, REDIS_URL=redis.url) for name in ("one", "two"))
    async with running(one) as first, running(two) as second:
        assert await change(first, {"answers_per_month": 7}) == "applied"
        async with asyncio.timeout(10):
            while (await limits(second))["answers_per_month"] != 7:  # noqa: ASYNC110 - another replica's turn
                await asyncio.sleep(0.02)
        redis.kill()
        assert (await limits(second))["answers_per_month"] == 7, "what is known stays"
        assert await change(first, {"answers_per_month": 8}, age=-1) == "applied"
        assert (await limits(first))["answers_per_month"] == 8


async def test_a_plan_that_is_none_changes_nothing(tmp_path: Path) -> None:
    bad: list[Any] = [
        {"caller": "hr-portal"},
        {"limits": {}},
        {"caller": "hr-portal", "limits": {"answers": 1}},
        {"caller": "hr-portal", "limits": {"answers_per_month": 0}},
        {"caller": "hr-portal", "limits": {"answers_per_month": "5"}},
        {"caller": "hr-portal", "limits": {}, "documents": ["a.md"]},
        {"caller": None, "limits": {}},
        {},
        [],
    ]
    async with running(keyed(tmp_path)) as service:
        for notice in bad:
            reply = await send(service, json.dumps(notice).encode())
            assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request"), notice
        assert await change(service, {"answers_per_month": 1}, caller="no name") == "ignored"
        assert await limits(service) == OF_THE_FILE


async def test_a_service_without_callers_ignores_plans(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, NOTICE_SECRETS=SECRET)) as service:
        assert await change(service, {"answers_per_month": 1}) == "ignored"


def test_the_newest_plan_of_each_caller_holds() -> None:
    old, new = Plan(1, {"answers_per_month": 1}), Plan(2, None)
    assert newest({"a": old, "b": new}, {"a": new, "b": old}) == {"a": new, "b": new}

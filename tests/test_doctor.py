"""`python -m app doctor`: one finding for each thing that Vouch needs, with the fix for each that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests import processes
from tests.raw_http import Stall
from tests.redis_server import RedisServer
from tests.scripted_chat import ScriptedChat, says, stalls, status
from tests.service import running


async def examined(folder: Path, **changed: object) -> tuple[int, dict[str, tuple[bool, str]]]:
    code, out, err = await processes.run(folder, "app", "doctor", "--json", **changed)
    assert err == ""
    findings: list[dict[str, Any]] = json.loads(out)
    return code, {finding["name"]: (finding["ok"], finding["detail"]) for finding in findings}


async def test_all_is_well(indexed: Settings, redis: RedisServer, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("ready")
    code, found = await examined(
        tmp_path, REDIS_URL=redis.url, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", PORT=1
    )
    assert (code, [name for name, (ok, _) in found.items() if not ok]) == (0, [])
    assert list(found) == ["settings", "corpus", "model", "gate", "store", "redis", "chat", "service"]
    assert "3 documents" in found["store"][1]
    assert "384 dimensions" in found["model"][1]


async def test_what_is_not_used_is_nothing_to_put_right(indexed: Settings, tmp_path: Path) -> None:
    code, out, _ = await processes.run(tmp_path, "app", "doctor", PORT=1)
    assert code == 0
    assert out.count("not used") == 2
    assert "not running" in out


async def test_wrong_settings_are_all_it_says(tmp_path: Path) -> None:
    code, found = await examined(tmp_path, PORT="abc")
    assert (code, list(found)) == (1, ["settings"])
    assert "PORT=abc" in found["settings"][1]


async def test_each_fault_names_its_fix(tmp_path: Path, redis: RedisServer, chat: ScriptedChat) -> None:
    redis.kill()
    stall = Stall()
    chat.reply = stalls(stall)
    code, found = await examined(
        tmp_path,
        REDIS_URL=redis.url,
        CHAT_BASE_URL=chat.base_url,
        CHAT_MODEL="scripted",
        CHAT_DEADLINE_S=0.3,
        CORPUS=tmp_path / "nowhere",
        PORT=1,
    )
    stall.released.set()
    assert code == 1
    wrong = {name: detail for name, (ok, detail) in found.items() if not ok}
    assert set(wrong) == {"corpus", "store", "redis", "chat"}
    for name, fix in {"corpus": "set CORPUS", "store": "make ingest", "redis": "REDIS_URL", "chat": "CHAT"}.items():
        assert fix in wrong[name]


async def test_a_store_that_the_service_holds_is_well(indexed: Settings, tmp_path: Path) -> None:
    async with running(indexed):
        _, found = await examined(tmp_path, PORT=1)
    assert found["store"][0]
    assert "held by the service" in found["store"][1]


async def test_an_index_of_another_model_is_told(indexed: Settings, tmp_path: Path) -> None:
    _, found = await examined(tmp_path, EMBEDDING_MODEL="BAAI/bge-small-en-v1.5", RELEVANCE_THRESHOLD=0.5, PORT=1)
    ok, detail = found["store"]
    assert not ok
    assert "built with bundled" in detail


@pytest.mark.parametrize("reply", [(401, "check CHAT_API_KEY"), (404, "check CHAT_BASE_URL")])
async def test_a_chat_endpoint_that_refuses_names_the_setting(
    indexed: Settings, chat: ScriptedChat, tmp_path: Path, reply: tuple[int, str]
) -> None:
    code, fix = reply
    chat.reply = status(code)
    _, found = await examined(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", PORT=1)
    assert not found["chat"][0]
    assert fix in found["chat"][1]

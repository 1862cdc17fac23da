"""What is cached, and for how long: in the process and in a real Redis."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.adapters.stores import open_store
from app.settings import Settings
from ingest.generation import Generation
from ingest.indexing import spec_for
from tests import scripted_chat as script
from tests.raw_http import Stall
from tests.redis_server import RedisServer
from tests.scripted_chat import ScriptedChat, says
from tests.service import CORPUS, QUESTION, Service, running, settings_for, write_corpus
from tests.shared_embedder import embedders

ANSWER = "Every employee gets 28 days a year [1]."
ChatSettings = Callable[..., Settings]


@pytest.fixture
def chat_settings(indexed: Settings, tmp_path: Path, chat: ScriptedChat) -> ChatSettings:
    def settings(**changed: object) -> Settings:
        return settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", **changed)

    return settings


@pytest.fixture(params=["memory", "redis"])
async def cached(request: pytest.FixtureRequest, chat_settings: ChatSettings) -> AsyncIterator[Service]:
    """The service with each of the two caches."""
    url = "" if request.param == "memory" else request.getfixturevalue("redis").url
    async with running(chat_settings(REDIS_URL=url)) as service:
        yield service


async def test_an_answer_is_replayed_without_a_model_call(cached: Service, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee ", "gets 28 days a year [1].", " Or 30 [7].")
    first = await cached.stream()
    again = await cached.stream()
    assert len(chat.requests) == 1
    assert (first.done["cached"], again.done["cached"]) == (False, True)
    assert again.names[0] == "sources"
    assert again.text == first.text
    assert again.done["id"] != first.done["id"]
    assert again.events[0][1]["id"] == again.done["id"]
    fresh = {"id", "cached", "timings_ms"}
    assert {k: v for k, v in again.done.items() if k not in fresh} == {
        k: v for k, v in first.done.items() if k not in fresh
    }


@pytest.mark.parametrize(
    "reply",
    [
        says("About 28 days."),
        says("NOT_FOUND"),
        says("Every employee", finish="length"),
        script.status(503),
    ],
    ids=["ungrounded", "refused", "truncated", "failed"],
)
async def test_only_an_answered_reply_is_cached(cached: Service, chat: ScriptedChat, reply: script.Reply) -> None:
    chat.reply = reply
    first, second = await cached.ask(), await cached.ask()
    assert first["status"] == second["status"] != "answered"
    assert not second["cached"]
    assert len(chat.requests) == 2


async def test_options_that_change_the_answer_are_part_of_the_key(cached: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await cached.ask()
    for options in ({"top_k": 2}, {"citation_policy": "strict"}, {"filter": {"source_prefix": "leave.md"}}):
        assert not (await cached.ask(**options))["cached"]
    assert (await cached.ask(top_k=8))["cached"]


async def test_an_edit_hides_the_old_answer_and_its_undoing_brings_it_back(
    cached: Service, chat: ScriptedChat, tmp_path: Path
) -> None:
    chat.reply = says(ANSWER)
    first = await cached.ask()
    write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "30")})
    await sync(cached)
    chat.reply = says("Every employee gets 30 days a year [1].")
    edited = await cached.ask()
    assert (edited["cached"], edited["answer"]) == (False, "Every employee gets 30 days a year [1].")
    write_corpus(tmp_path)
    await sync(cached)
    undone = await cached.ask()
    assert (undone["cached"], undone["answer"], undone["revision"]) == (True, ANSWER, first["revision"])
    assert len(chat.requests) == 2


async def test_while_the_index_is_updating_the_cache_is_left_alone(
    chat_settings: ChatSettings, chat: ScriptedChat
) -> None:
    chat.reply = says(ANSWER)
    settings = chat_settings()
    embedder = await embedders.get("bundled")
    async with open_store(settings, "job") as (store, _):
        generation = Generation(store, spec_for(settings.index_name, embedder))
        await generation.open()
        await generation.begin()
    async with running(settings) as service:
        assert (await service.http.get("/v1/index")).json()["state"] == "updating"
        for _ in range(2):
            reply = await service.ask()
            assert (reply["status"], reply["cached"]) == ("answered", False)
    assert len(chat.requests) == 2


async def test_an_answer_that_saw_the_index_change_is_not_cached(
    chat_settings: ChatSettings, chat: ScriptedChat, tmp_path: Path
) -> None:
    stall = Stall()
    chat.script(says("Every employee gets 28 days ", stall, "a year [1]."), says(ANSWER))
    async with running(chat_settings()) as service:
        asking = asyncio.create_task(service.ask())
        await stall.reached.wait()
        write_corpus(tmp_path, {"new.md": "# New\n\nSomething new about bicycles.\n"})
        await sync(service)
        stall.released.set()
        assert (await asking)["status"] == "answered"
        (tmp_path / "corpus" / "new.md").unlink()
        await sync(service)  # the revision is the first one again, but the answer was not stored under it
        assert not (await service.ask())["cached"]


async def test_replicas_share_the_cache_in_redis(
    chat_settings: ChatSettings, chat: ScriptedChat, redis: RedisServer
) -> None:
    chat.reply = says(ANSWER)
    async with running(chat_settings(REDIS_URL=redis.url)) as service:
        await service.ask()
    async with running(chat_settings(REDIS_URL=redis.url)) as service:
        assert (await service.ask())["cached"]
    assert len(chat.requests) == 1


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_a_lost_redis_fails_no_question_and_delays_it_once(
    chat_settings: ChatSettings, chat: ScriptedChat, redis: RedisServer, fault: str
) -> None:
    """Each question needs it for the limits, the cache and the evidence."""
    chat.reply = says(ANSWER)
    async with running(chat_settings(REDIS_URL=redis.url)) as service:
        await service.ask()
        before = await redis_failures(service)
        getattr(redis, fault)()
        for question in ("How many days of leave are there?", "How many days of annual leave are there?"):
            reply = await service.ask(question)
            assert (reply["status"], reply["cached"]) == ("answered", False)
            assert reply["timings_ms"]["cache"] < 50  # by then Redis rests: it is not even asked
        assert await redis_failures(service) == before + 1
        ready = (await service.http.get("/health/ready")).json()
        assert (ready["ready"], ready["dependencies"]["cache"]["ok"]) == (True, False)
        redis.wake() if fault == "freeze" else redis.start()
        assert (await service.http.get("/health/ready")).json()["dependencies"]["cache"]["ok"]


async def redis_failures(service: Service) -> float:
    """Calls that failed, of all parts."""
    metrics = (await service.http.get("/metrics")).text
    parts = re.findall(r"^vouch_(?:cache|limit|evidence)_failures_total\{.*\} (\S+)$", metrics, re.MULTILINE)
    return sum(map(float, parts))


async def test_rubbish_in_redis_is_a_miss(chat_settings: ChatSettings, chat: ScriptedChat, redis: RedisServer) -> None:
    from redis.asyncio import Redis

    chat.reply = says(ANSWER)
    async with running(chat_settings(REDIS_URL=redis.url)) as service, Redis.from_url(redis.url) as client:
        await service.ask(QUESTION)
        (key,) = await client.keys("vouch:answer:*")
        for rubbish in (b"{", b'{"answer": 1}', b"\xff\xfe", b"null"):
            await client.set(key, rubbish)
            reply = await service.ask(QUESTION)
            assert (reply["status"], reply["cached"]) == ("answered", False)
            assert (await service.ask(QUESTION))["cached"]  # the bad entry was replaced


async def test_a_port_that_is_no_redis_is_a_miss(chat_settings: ChatSettings, chat: ScriptedChat) -> None:
    async def answer_rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1024):
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    chat.reply = says(ANSWER)
    server = await asyncio.start_server(answer_rubbish, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, running(chat_settings(REDIS_URL=f"redis://127.0.0.1:{port}/0")) as service:
        reply = await service.ask()
        assert (reply["status"], reply["timings_ms"]["cache"] < 250) == ("answered", True)


async def sync(service: Service) -> None:
    """Run the ingestion job inside the service."""
    reply = await service.http.post("/v1/index/sync", json={}, headers={"X-Vouch-Token": service.token})
    assert reply.status_code == 200
    assert '"state":"ready"' in reply.text

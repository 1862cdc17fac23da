"""Fixtures of the whole suite."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from app.settings import Settings
from tests.redis_server import RedisServer, require_redis
from tests.scripted_chat import ScriptedChat
from tests.service import Service, ingest, running, settings_for, write_corpus

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30


def pytest_configure() -> None:
    """Keep the tests' stores in memory where there is room: flushing to a disk takes most of their time.

    No example of a property has a time limit: on a busy machine any of them may be late.
    """
    settings.register_profile("vouch", deadline=None)
    settings.load_profile("vouch")
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.fixture
async def chat() -> AsyncIterator[ScriptedChat]:
    async with ScriptedChat() as server:
        yield server


@pytest.fixture
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    require_redis()
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
async def indexed(tmp_path: Path) -> Settings:
    """Settings of an index that holds the small corpus; the answerer is the extractive one."""
    write_corpus(tmp_path)
    settings = settings_for(tmp_path)
    await ingest(settings)
    return settings


@pytest.fixture
async def service(indexed: Settings) -> AsyncIterator[Service]:
    async with running(indexed) as served:
        yield served


@pytest.fixture
async def chatting(indexed: Settings, chat: ScriptedChat, tmp_path: Path) -> AsyncIterator[Service]:
    """The service with the scripted endpoint as its language model."""
    async with running(settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as served:
        yield served

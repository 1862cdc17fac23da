"""Every store that the contract is held to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest

from app.ports import VectorStore
from tests.stores import open_store, real_server, server_is_there, store_folder

KINDS = ["edge", "memory", "http", *(["server"] if server_is_there() else [])]


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with real_server() as url:
        yield url


@pytest.fixture
def index_name() -> str:
    return f"test-{uuid4().hex[:12]}"  # a server may be shared


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, index_name: str) -> AsyncIterator[VectorStore]:
    url = request.getfixturevalue("server_url") if request.param == "server" else None
    with store_folder() as folder:
        async with open_store(request.param, index_name, folder, url) as store:
            yield store


@pytest.fixture
def collection(index_name: str) -> str:
    return f"{index_name}-a"


@pytest.fixture
def other_collection(index_name: str) -> str:
    return f"{index_name}-b"

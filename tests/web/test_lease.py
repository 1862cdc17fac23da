"""A service beside jobs on other machines: on a server, the lease is known to all."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.adapters.qdrant_store import QdrantStore, connect
from app.settings import Settings
from ingest.lease import StateKeeper
from tests import processes
from tests.qdrant_http import http_server, local_mode
from tests.service import Service, ingest, running, settings_for, write_corpus
from tests.stores import LOCAL_MODE

pytestmark = LOCAL_MODE


@pytest.fixture
async def on_server(tmp_path: Path) -> AsyncIterator[Settings]:
    write_corpus(tmp_path)
    async with http_server(local_mode()) as server:
        settings = settings_for(tmp_path, QDRANT_URL=server.url)
        await ingest(settings)
        yield settings


@asynccontextmanager
async def held(settings: Settings) -> AsyncIterator[None]:
    """While another machine's job is at work."""
    store = QdrantStore(connect(settings.qdrant_url, api_key=None), settings.index_name)
    keeper = StateKeeper(store)
    state = await store.state()
    assert state is not None
    await keeper.take(state)
    try:
        yield
    finally:
        await keeper.give_up()
        await store.close()


async def write(service: Service, method: str, path: str, **body: Any) -> Any:
    return await service.http.request(method, path, headers={"X-Vouch-Token": service.token}, **body)


WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/index/sync", {"json": {}}),
    ("PUT", "/v1/index/documents/new.md", {"content": b"# New\n\nText.\n"}),
    ("DELETE", "/v1/index/documents/new.md", {}),
]


async def test_while_a_job_on_another_machine_holds_the_lease_nothing_is_written(on_server: Settings) -> None:
    async with running(on_server) as service:
        async with held(on_server):
            before = (await service.http.get("/v1/index")).json()
            for method, path, body in WRITES:
                reply = await write(service, method, path, **body)
                assert (reply.status_code, reply.json()["type"]) == (409, "/problems/job-running")
                assert int(reply.headers["Retry-After"]) > 0
                assert f"process {os.getpid()} on " in reply.json()["detail"]
            assert (await service.http.get("/v1/index")).json() == before
            dry = await write(service, "POST", "/v1/index/sync", json={"dry_run": True})
            assert dry.status_code == 200, "who writes nothing needs no lease"
            assert "refusal" in json.loads(dry.text.rpartition("data: ")[2])
        for method, path, body in WRITES:
            assert (await write(service, method, path, **body)).status_code in (200, 201)


async def test_a_job_of_the_command_and_pushes_of_the_service_take_turns(on_server: Settings, tmp_path: Path) -> None:
    async with running(on_server) as service:
        assert (await write(service, *WRITES[1][:2], content=b"# New\n\nText.\n")).status_code == 201
        code, out, err = await processes.run(tmp_path, "ingest", "--json", QDRANT_URL=on_server.qdrant_url)
        assert code == 0, err
        index = (await service.http.get("/v1/index")).json()
        assert (index["documents"], index["revision"]) == (4, json.loads(out)["revision"])

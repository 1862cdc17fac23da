"""A running service for tests: the real application under a real uvicorn on a free port of loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from httpx_sse import aconnect_sse
from litestar import Litestar

from app.adapters.stores import open_store
from app.main import OpenServices, create_app
from app.settings import Settings
from ingest import job
from ingest.intake import Intake
from ingest.progress import Summary
from tests.shared_embedder import embedders, open_with_shared_embedder

CORPUS = {
    "leave.md": "# Leave\n\n## Annual leave\n\nEvery employee gets 28 days of annual leave a year.\n\n"
    "## Carry-over\n\nUp to 5 unused days of annual leave carry over until 31 March.\n",
    "expenses.md": "# Expenses\n\n## Meals\n\nMeals on a business trip are refunded up to 40 euros a day.\n\n"
    "## Deadline\n\nExpense reports are due within 30 days of the trip.\n",
    "on-call.txt": "The on-call engineer answers a page within 15 minutes.\n\nOn-call pay is 300 euros a week.\n",
}
"""A small handbook; QUESTION is answered by it, OFF_TOPIC is not."""
QUESTION = "How many days of annual leave does an employee get?"
OFF_TOPIC = "Who won the football world cup in 1998?"


@dataclass
class Streamed:
    """An event stream, read to its end."""

    events: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]

    @property
    def text(self) -> str:
        return "".join(data["text"] for name, data in self.events if name == "delta")

    @property
    def done(self) -> dict[str, Any]:
        name, data = self.events[-1]
        assert name == "done"
        return data


@dataclass
class Service:
    """A client of a running service."""

    http: httpx.AsyncClient
    token: str
    app: Litestar

    async def ask(self, question: str = QUESTION, **options: object) -> dict[str, Any]:
        reply = await self.http.post("/v1/answers", json={"question": question, **options})
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def stream(self, question: str = QUESTION, **options: object) -> Streamed:
        streamed = Streamed()
        body = {"question": question, **options}
        headers = {"Accept": "text/event-stream"}
        async with aconnect_sse(self.http, "POST", "/v1/answers", json=body, headers=headers) as source:
            assert source.response.status_code == 200
            async for event in source.aiter_sse():
                streamed.events.append((event.event, json.loads(event.data)))
        return streamed


@asynccontextmanager
async def running(
    settings: Settings, open_services: OpenServices = open_with_shared_embedder
) -> AsyncIterator[Service]:
    """The service with these settings, on a port of its own."""
    app = create_app(settings, open_services)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        assert not task.done(), "the service did not start"
        await asyncio.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as http:
            yield Service(http, app.state.door.token, app)
    finally:
        server.should_exit = True
        await task


def settings_for(folder: Path, **changed: object) -> Settings:
    """Settings whose store and corpus lie in `folder`; further ones by their variable's name."""
    env = {"QDRANT_PATH": str(folder / "qdrant"), "CORPUS": str(folder / "corpus"), "PORT": "0"}
    return Settings.from_env({**env, **{name: str(value) for name, value in changed.items()}})


def write_corpus(folder: Path, documents: dict[str, str] = CORPUS) -> Path:
    corpus = folder / "corpus"
    for name, text in documents.items():
        path = corpus / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return corpus


async def ingest(settings: Settings) -> Summary:
    """What `python -m ingest` does, with the embedder that the tests share."""
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get(settings.embedding_model)
        corpus, intake = Path(settings.corpus), Intake.of(settings)
        return await job.run(store, embedder, settings.index_name, corpus, lambda _: None, intake)

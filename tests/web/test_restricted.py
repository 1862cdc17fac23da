"""A caller of no groups walks every route and every look-up, and finds nothing of what it may not see.

The documented exceptions, which tell nothing of a single document: the index's revision and generation.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamable_http_client

from app.core.model import Query, Scope
from app.ports import VectorStore
from app.services import Services
from app.settings import Settings
from tests.callers import KEYS, as_caller, write_keys
from tests.service import CORPUS, Service, ingest, running, settings_for, write_corpus

RESTRICTED = {
    "wombat.md": "---\naccess: [board]\ntags: [narwhal]\nurl: https://intranet.example/ocelot\n---\n"
    "# Quokka figures\n\nThe fund for marsupials holds 94713 euros this year.\n",
    "fossa/plan.md": "# Tapir plan\n\nThe fund for marsupials moves to the axolotl account in May.\n",
    "numbat.md": "---\naccess: [board, 'tenant:acme']\n---\n# Dugong terms\n\n"
    "The fund for marsupials pays the okapi.\n",
    "kakapo.md": "---\naccess: []\n---\n# Kinkajou\n\nThe fund for marsupials is a pangolin.\n",
}
SIDECARS = {"fossa/.access.toml": 'access = ["hr"]\n'}
BROKEN = {"wombat.md": "---\naccess: [board\n---\n", "bilby.pdf": "no pdf"}
"""What the newest versions of two documents are: one has a last good version, the other none."""
WORDS = (
    *("wombat", "narwhal", "ocelot", "quokka", "94713", "fossa", "tapir", "axolotl", "numbat", "dugong", "okapi"),
    *("kakapo", "kinkajou", "pangolin", "bilby", "intranet.example"),
)
QUESTION = "How much does the fund for marsupials hold this year?"


@dataclass
class World:
    service: Service
    store: VectorStore
    collection: str
    forbidden: frozenset[str]
    """Distinctive words, and the ids of hidden passages, in lower case."""
    their_answer: str
    """The id of an answer that the board was given from hidden documents."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    write_corpus(tmp_path, {**CORPUS, **RESTRICTED, **SIDECARS})
    settings: Settings = settings_for(tmp_path, API_KEYS_FILE=write_keys(tmp_path))
    await ingest(settings)
    write_corpus(tmp_path, BROKEN)
    await ingest(settings)
    async with running(settings) as service:
        services: Services = service.app.state.services
        state = await services.store.state()
        assert state is not None
        hidden = [p.passage_id for name in RESTRICTED for p in await services.store.passages(state.collection, name)]
        assert len(hidden) == len(RESTRICTED)
        forbidden = frozenset({*WORDS, *hidden})
        theirs = await service.http.post("/v1/answers", json={"question": QUESTION}, headers=as_caller("board-app"))
        assert "94713" in theirs.json()["answer"]
        yield World(service, services.store, state.collection, forbidden, theirs.json()["id"])


def requests(world: World) -> Mapping[str, list[dict[str, Any]]]:
    """What the walk sends to each operation; one that is missing here fails it."""
    follow_up = {"question": "And how much was the fund last year?", "previous": world.their_answer}
    asked = [{"question": QUESTION}, {"question": "Which documents are there?"}, {"question": "What should I read?"}]
    chat = [{"model": "vouch", "messages": [{"role": "user", "content": one["question"]}]} for one in asked]
    return {
        "post /v1/answers": [
            *({"json": body} for body in (*asked, follow_up)),
            {"json": {**asked[0], "verify": True, "mode": "structured", "filter": {"tags": ["narwhal"]}}},
            {"json": asked[0], "headers": {"Accept": "text/event-stream"}},
        ],
        "get /v1/search": [{"params": {"q": QUESTION, "top_k": 40}}, {"params": {"q": QUESTION, "tags": "narwhal"}}],
        "get /v1/answers/{answer_id}": [{"path": world.their_answer}],
        "get /v1/usage": [{}],
        "get /v1/index": [{}],
        "post /v1/index/sync": [{"json": {}}],
        "get /v1/index/documents": [{}, {"params": {"limit": 1}}, {"params": {"prefix": "fossa"}}],
        "put /v1/index/documents/{document_id}": [{"path": "wombat.md", "content": b"# X"}],
        "delete /v1/index/documents/{document_id}": [{"path": "wombat.md"}],
        "post /v1/notices": [{"json": {"documents": ["wombat.md"]}}],
        "get /health/live": [{}],
        "get /health/ready": [{}],
        "get /metrics": [{}],
        "get /v1/models": [{}],
        "get /v1/models/{model}": [{"path": "vouch"}],
        "post /v1/chat/completions": [*({"json": body} for body in chat), {"json": {**chat[0], "stream": True}}],
    }


async def test_a_caller_of_no_groups_finds_nothing_on_any_route(world: World) -> None:
    http, wanted = world.service.http, requests(world)
    schema = (await http.get("/schema/openapi.json")).json()
    for path, operations in schema["paths"].items():
        for method in operations:
            for sent in wanted[f"{method} {path}"]:
                reply = await _send(http, method, path, sent)
                assert_nothing_in(reply.text, world)
                assert_nothing_in(str(reply.headers), world)


async def _send(http: httpx.AsyncClient, method: str, path: str, sent: dict[str, Any]) -> httpx.Response:
    sent = {**sent, "headers": {**as_caller("wiki"), **sent.get("headers", {})}}
    place = path.partition("{")[0] + sent.pop("path", "")
    return await http.request(method.upper(), place, **sent)


def assert_nothing_in(text: str, world: World) -> None:
    assert [word for word in world.forbidden if word in text.lower()] == [], text


async def test_counts_scores_and_verdicts_are_those_of_an_index_without_them(world: World) -> None:
    index = (await world.service.http.get("/v1/index", headers=as_caller("wiki"))).json()
    assert (index["documents"], index["failures"]) == (len(CORPUS), 0)
    found = await _send(world.service.http, "get", "/v1/search", {"params": {"q": QUESTION, "top_k": 40}})
    assert {each["document_id"] for each in found.json()["candidates"]} == set(CORPUS)
    assert found.json()["relevance"]["best"] == max(each["score"] for each in found.json()["candidates"])
    asked = await _send(world.service.http, "post", "/v1/answers", {"json": {"question": QUESTION}})
    assert (asked.json()["status"], asked.json()["cached"]) == ("refused", False)


async def test_what_is_hidden_is_refused_as_what_does_not_exist(world: World) -> None:
    for method, path, hidden in (
        ("get", "/v1/answers/{", world.their_answer),
        ("put", "/v1/index/documents/{", "wombat.md"),
        ("delete", "/v1/index/documents/{", "wombat.md"),
    ):
        replies = [await _send(world.service.http, method, path, {"path": id_}) for id_ in (hidden, "unknown")]
        assert replies[0].status_code == replies[1].status_code >= 400
        assert replies[0].json() == replies[1].json()


async def test_a_caller_of_no_groups_finds_nothing_over_mcp(world: World) -> None:
    async with (
        httpx.AsyncClient(trust_env=False, timeout=30, headers=dict(as_caller("wiki"))) as http,
        streamable_http_client(f"{world.service.http.base_url}/mcp", http_client=http) as (reading, writing, _),
        ClientSession(reading, writing) as agent,
    ):
        await agent.initialize()
        for tool, arguments in (
            ("ask", {"question": QUESTION}),
            ("ask", {"question": "Which documents are there?"}),
            ("search", {"query": QUESTION, "top_k": 40}),
            ("list_documents", {}),
        ):
            assert_nothing_in((await agent.call_tool(tool, arguments)).model_dump_json(), world)
        resources = await agent.list_resources()
        assert_nothing_in(resources.model_dump_json(), world)
        pattern = str(resources.resources[0].uri)
        for name in ("wombat.md", "unknown.md"):
            with pytest.raises(McpError, match="Resource not found"):
                await agent.read_resource(pattern.replace(resources.resources[0].name, name))  # type: ignore[arg-type]


async def test_no_look_up_of_the_store_shows_it_to_a_scope_without_groups(world: World) -> None:
    scope, vector = Scope(), [1.0] + [0.0] * 383
    asked = {
        "search": world.store.search(world.collection, Query(vector), 1_000, scope),
        "passages_at": world.store.passages_at(world.collection, [(name, 0) for name in RESTRICTED], scope),
        "count": world.store.count(world.collection, scope),
        "visible": world.store.visible(world.collection, list(RESTRICTED), scope),
        "count_failures": world.store.count_failures(world.collection, scope),
    }
    scoped = {
        name
        for name, method in inspect.getmembers(VectorStore, inspect.isfunction)
        if "scope" in inspect.signature(method).parameters
    }
    assert scoped == {*asked, "find_documents"}, "a new look-up belongs into this walk"
    results: dict[str, Any] = {name: await call for name, call in asked.items()}
    assert_nothing_in(repr(results["search"]), world)
    assert results["passages_at"] == []
    assert (results["count"][0], results["visible"], results["count_failures"]) == (len(CORPUS), set(), 0)
    records = [record async for record in world.store.find_documents(world.collection, scope)]
    assert_nothing_in(repr(records), world)


async def test_who_is_in_the_groups_finds_what_they_let_in(world: World) -> None:
    seen = {}
    for name in KEYS:
        listed = await world.service.http.get(
            "/v1/search", params={"q": QUESTION, "top_k": 40}, headers=as_caller(name)
        )
        seen[name] = {each["document_id"] for each in json.loads(listed.text)["candidates"]} - set(CORPUS)
    assert seen == {
        "wiki": set(),
        "ops": set(),
        "hr-portal": {"fossa/plan.md"},
        "board-app": {"wombat.md", "fossa/plan.md", "numbat.md"},
    }

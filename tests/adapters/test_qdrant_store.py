"""The server's store when the server is away, slow or not a Qdrant, and what it sends."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.adapters.qdrant_store import QdrantStore, connect
from app.core.model import Query, Scope
from app.errors import StoreUnavailable
from tests.qdrant_http import Reply, Respond, http_server, local_mode
from tests.stores import EVERYONE, LOCAL_MODE, document, embedded, http_store, passage, spec, state

pytestmark = LOCAL_MODE

QUESTION = [1.0, 0.0, 0.0, 0.0]


def always(status: int, body: bytes) -> Respond:
    async def respond(method: str, path: str, _: bytes) -> Reply:
        return status, body

    return respond


@asynccontextmanager
async def store_at(url: str, timeout_s: float = 30) -> AsyncIterator[QdrantStore]:
    store = QdrantStore(connect(url, None, timeout_s=30), "vouch", timeout_s=timeout_s)
    try:
        yield store
    finally:
        await store.close()


async def assert_unavailable(store: QdrantStore) -> list[str]:
    """Every kind of call fails as ours; the messages."""
    messages = []
    for call in (
        store.state(),
        store.search("c", Query(QUESTION), 3, EVERYONE),
        store.count("c", EVERYONE),
        store.create(spec("c")),
        store.write_passages("c", [embedded(passage("a.md"))]),
        store.update_passages("c", [passage("a.md")]),
        store.write_documents("c", [document("a.md")]),
        store.switch("c"),
        anext(store.documents("c")),
        store.vectors("c", ["hash"]),
    ):
        with pytest.raises(StoreUnavailable) as caught:
            await call
        messages.append(str(caught.value))
    return messages


async def test_a_port_where_nothing_listens_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        async with store_at(f"http://127.0.0.1:{unused.getsockname()[1]}") as store:
            messages = await assert_unavailable(store)
    assert all("QDRANT_URL" in message for message in messages)


async def test_a_server_that_never_answers_is_unavailable_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with store_at(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.2) as store:
            began = time.monotonic()
            with pytest.raises(StoreUnavailable):
                await store.state()
            assert 0.2 <= time.monotonic() - began < 10


async def test_a_server_that_hangs_up_is_unavailable() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    listening = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with listening, store_at(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}") as store:
        await assert_unavailable(store)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(200, b"<html>a proxy's page</html>", id="not JSON"),
        pytest.param(200, b"", id="empty"),
        pytest.param(200, b"\xff\xfe", id="not text"),
        pytest.param(200, b"null", id="null"),
        pytest.param(200, b"[]", id="a list"),
        pytest.param(200, b"{}", id="an empty object"),
        pytest.param(200, b'{"result": null, "status": "ok", "time": 0}', id="no result"),
        pytest.param(200, b'{"result": {"points": 7}, "status": "ok", "time": 0}', id="another result"),
        pytest.param(302, b"", id="a redirect"),
        pytest.param(401, b'{"status": {"error": "secret"}}', id="no access"),
        pytest.param(404, b"<h1>Not Found</h1>", id="another server's 404"),
        pytest.param(429, b"{}", id="busy"),
        pytest.param(500, b"secret", id="broken"),
        pytest.param(503, b"secret", id="away"),
    ],
)
async def test_rubbish_is_unavailable_and_its_words_are_not_passed_on(status: int, body: bytes) -> None:
    async with http_server(always(status, body)) as server, store_at(server.url) as store:
        messages = await assert_unavailable(store)
    assert not any("secret" in message or "proxy" in message for message in messages)


async def test_a_payload_that_is_not_ours_is_unavailable() -> None:
    points = [{"id": 1, "version": 0, "score": 0.5, "payload": {"some": "other"}}]
    body = json.dumps({"result": [{"points": points}], "status": "ok", "time": 0}).encode()
    async with http_server(always(200, body)) as server, store_at(server.url) as store:
        with pytest.raises(StoreUnavailable, match="Passage"):
            await store.search("c", Query(QUESTION), 3, EVERYONE)


async def test_fewer_answers_than_a_search_asked_for_are_unavailable() -> None:
    body = b'{"result": [{"points": []}], "status": "ok", "time": 0}'
    async with http_server(always(200, body)) as server, store_at(server.url) as store:
        assert await store.search("c", Query(QUESTION), 3, EVERYONE) == []
        with pytest.raises(StoreUnavailable, match="another question"):
            await store.search("c", Query(QUESTION, "annual leave"), 3, EVERYONE)


async def test_a_missing_collection_is_no_state_and_not_an_error() -> None:
    error = {"status": {"error": "Not found: Collection `vouch-records` doesn't exist!"}, "time": 0}
    async with http_server(always(404, json.dumps(error).encode())) as server, store_at(server.url) as store:
        assert await store.state() is None


async def test_the_state_takes_one_request_and_connections_are_kept() -> None:
    async with http_server(local_mode()) as server, store_at(server.url) as store:
        await store.create(spec("c"))
        await store.write_state(state("c"))
        await store.switch("c")
        before = len(server.requests)
        assert await store.state() == state("c")
        assert server.requests[before:] == ["POST /collections/vouch-records/points"]
        assert server.connections == 1


async def test_every_filtered_field_gets_an_index_before_the_first_point() -> None:
    created: list[tuple[str, str]] = []
    tenants: set[str] = set()
    answer = local_mode()

    async def respond(method: str, path: str, body: bytes) -> Reply:
        if path.endswith("/index"):
            wanted = json.loads(body)
            created.append((path.split("/")[2], wanted["field_name"]))
            if wanted["field_schema"].get("is_tenant"):
                tenants.add(path.split("/")[2])
        return await answer(method, path, body)

    async with http_server(respond) as server, store_at(server.url) as store:
        await store.create(spec("c"))
    assert {field for name, field in created if name == "c"} == {
        "document_id",
        "content_hash",
        "groups",
        "prefixes",
        "tags",
        "tenants",
        "position",
    }
    assert tenants == {"c", "c-records"}, "points of one tenant are kept together, as Qdrant advises"
    records = {field for name, field in created if name == "c-records"}
    assert records == {"kind", "groups", "prefixes", "tags", "tenants", "lease.token", "job"}


async def test_both_aliases_move_in_one_request() -> None:
    async with http_server(local_mode()) as server, store_at(server.url) as store:
        await store.create(spec("c"))
        before = len(server.requests)
        await store.switch("c")
        assert server.requests[before:] == ["POST /collections/aliases"]


async def test_a_creation_that_was_cut_short_is_finished() -> None:
    answer = local_mode()
    broken = asyncio.Event()

    async def respond(method: str, path: str, body: bytes) -> Reply:
        if broken.is_set() and path == "/collections/c-records":
            return 500, b"{}"
        return await answer(method, path, body)

    async with http_server(respond) as server, store_at(server.url) as store:
        broken.set()
        with pytest.raises(StoreUnavailable):
            await store.create(spec("c"))
        broken.clear()
        await store.create(spec("c"))
        await store.write_documents("c", [document("a.md")])
        assert await store.count("c", EVERYONE) == (1, 0)


async def test_a_scope_without_groups_asks_for_nothing_and_gets_nothing() -> None:
    async with http_store() as store:
        await store.create(spec("c"))
        await store.write_passages("c", [embedded(passage("a.md", access=("",)))])
        assert await store.search("c", Query(QUESTION), 3, Scope(groups=frozenset())) == []

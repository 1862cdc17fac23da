"""What a search asks of a server, so that it keeps its recall under a filter that lets little through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from app.adapters.payloads import PASSAGE_FIELDS
from app.core.model import Query, Scope
from tests.adapters.test_qdrant_store import QUESTION, store_at
from tests.qdrant_http import Reply, http_server, local_mode
from tests.stores import LOCAL_MODE, embedded, passage, spec

pytestmark = LOCAL_MODE

NARROW = Scope(frozenset({"staff", "tenant:acme"}), "hr/leave", ("berlin",))


async def sent(scope: Scope = NARROW) -> dict[str, Any]:
    """The bodies of a search by both legs, and of a look-up of places, by the last part of their route."""
    answer = local_mode()
    bodies: dict[str, Any] = {}

    async def respond(method: str, path: str, body: bytes) -> Reply:
        bodies[path.rpartition("/")[2]] = json.loads(body or b"null")
        return await answer(method, path, body)

    async with http_server(respond) as server, store_at(server.url) as store:
        await store.create(spec("c"))
        await store.write_passages("c", [embedded(passage("hr/leave/a.md", text="annual leave"))])
        await store.search("c", Query(QUESTION, "annual leave"), 8, scope)
        await store.passages_at("c", [("hr/leave/a.md", 0), ("hr/leave/b.md", 3)], scope)
    return bodies


def fields(condition: Any) -> Iterator[str]:
    """All fields that a filter names, however deep."""
    if isinstance(condition, dict):
        if "key" in condition:
            yield condition["key"]
        for inner in condition.values():
            yield from fields(inner)
    elif isinstance(condition, list):
        for inner in condition:
            yield from fields(inner)


async def test_both_legs_and_what_is_measured_of_the_second_are_filtered_alike() -> None:
    dense, sparse, cosines = (await sent())["batch"]["searches"]
    assert (dense["using"], sparse["using"], cosines["using"]) == ("dense", "bm25", "dense")
    assert dense["filter"] == sparse["filter"] == cosines["prefetch"]["filter"]
    assert set(fields(dense["filter"])) == {"tenants", "groups", "prefixes", "tags"}


async def test_the_graph_is_walked_past_what_the_filter_hides() -> None:
    dense, sparse, cosines = (await sent())["batch"]["searches"]
    assert dense["params"]["acorn"] == {"enable": True}
    assert dense["params"]["hnsw_ef"] >= dense["limit"]
    assert not dense["params"].get("exact")  # small sets are scanned anyway, by the server's own plan
    assert sparse.get("params") is None  # its index is exact under every filter
    assert cosines["prefetch"]["limit"] == cosines["limit"]  # so none of them is left out


async def test_no_filter_names_a_field_without_an_index() -> None:
    bodies = await sent()
    named = {*fields(bodies["batch"]), *fields(bodies["scroll"])}
    assert named == {"tenants", "groups", "prefixes", "tags", "document_id", "position"}
    assert named <= set(PASSAGE_FIELDS)


async def test_places_are_asked_for_in_one_request_under_the_scope() -> None:
    scroll, search = (await sent())["scroll"], (await sent())["batch"]["searches"][0]
    assert scroll["filter"]["must"] == [search["filter"]]
    assert len(scroll["filter"]["should"]) == 2
    assert scroll["limit"] == 4

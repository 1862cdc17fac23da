"""Damage of an index on a Qdrant server, in qdrant-client's local mode: found, rebuilt and mended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, models

from app.adapters.qdrant_store import QdrantStore
from app.core.records import StateRecord
from ingest import job, verify
from ingest.intake import Intake
from tests.service import write_corpus
from tests.shared_embedder import embedders
from tests.stores import LOCAL_MODE

pytestmark = LOCAL_MODE

Damage = Callable[[AsyncQdrantClient, str], Awaitable[Any]]


async def the_passages_are_lost(client: AsyncQdrantClient, collection: str) -> None:
    await client.delete_collection(collection)


async def the_records_are_lost(client: AsyncQdrantClient, collection: str) -> None:
    await client.delete_collection(f"{collection}-records")


async def both_are_lost(client: AsyncQdrantClient, collection: str) -> None:
    await the_passages_are_lost(client, collection)
    await the_records_are_lost(client, collection)


async def the_alias_is_lost(client: AsyncQdrantClient, _: str) -> None:
    operations = [
        models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=name))
        for name in ("vouch", "vouch-records")
    ]
    await client.update_collection_aliases(operations)


EMBEDDED_AGAIN = {the_passages_are_lost: 5, the_records_are_lost: 0, both_are_lost: 5, the_alias_is_lost: 0}


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    client = AsyncQdrantClient(":memory:")
    yield client
    await client.close()


@pytest.fixture
async def arguments(client: AsyncQdrantClient, tmp_path: Path) -> tuple[Any, ...]:
    """What a job and a verification take, after a first job."""
    corpus = write_corpus(tmp_path)
    store = QdrantStore(client, "vouch")
    arguments = (store, await embedders.get("bundled"), "vouch", corpus, lambda _: None, Intake())
    assert (await job.run(*arguments)).passages.embedded == 5
    return arguments


async def served(arguments: tuple[Any, ...]) -> StateRecord:
    state: StateRecord | None = await arguments[0].state()
    assert state is not None
    return state


@pytest.mark.parametrize("damage", EMBEDDED_AGAIN)
async def test_what_is_lost_is_rebuilt_by_the_next_job(
    client: AsyncQdrantClient, arguments: tuple[Any, ...], damage: Damage
) -> None:
    before = await served(arguments)
    await damage(client, before.collection)
    assert (await job.run(*arguments)).passages.embedded == EMBEDDED_AGAIN[damage]
    assert ((await served(arguments)).revision, (await verify.verify(*arguments)).findings) == (before.revision, ())


async def test_points_that_are_no_whole_passages_are_found_and_replaced(
    client: AsyncQdrantClient, arguments: tuple[Any, ...]
) -> None:
    collection = (await served(arguments)).collection
    points, _ = await client.scroll(collection, limit=3)
    await client.delete_vectors(collection, ["dense"], [points[0].id])
    await client.delete_payload(collection, ["document_id"], [points[1].id])
    await client.delete_payload(collection, ["title"], [points[2].id])
    assert sorted(await arguments[0].strays(collection)) == sorted(str(point.id) for point in points[1:])
    broken = [passage.passage_id async for passage in arguments[0].broken_vectors(collection)]
    assert broken == [points[0].id]
    mended = await verify.repair(*arguments, allow_removals=False)
    assert mended.repair is not None
    assert (mended.ok, mended.repair.passages.embedded) == (True, 3)

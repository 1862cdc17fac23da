"""What every VectorStore promises: passages and their vectors, many callers, and the end."""

from __future__ import annotations

import asyncio
import math

import pytest

from app.core.model import Query
from app.errors import StoreError, StoreUnavailable
from app.ports import VectorStore
from tests.stores import EVERYONE, LOCAL_MODE, NO_SERVER, document, embedded, passage, server_is_there, spec

pytestmark = LOCAL_MODE


def test_a_real_server_was_among_the_stores() -> None:
    if not server_is_there():
        pytest.skip(NO_SERVER)


async def test_passages_come_back_as_they_went_in(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    full = passage(
        "über/日本 #1?.md",
        text="“Quoted” text\n\twith 🎈, \x00 and [1]",
        heading=("Überschrift", "第二"),
        page=3,
        url="https://handbook.example/a?b=c#d",
        updated_at="2026-01-31",
        tags=("hr", "x y"),
        access=("staff", "ärzte"),
    )
    bare = passage("plain", 1, access=())
    await store.write_passages(collection, [embedded(full), embedded(bare)])
    assert await store.passages(collection, full.document_id) == [full]
    assert await store.passages(collection, "plain") == [bare]


async def test_any_number_of_passages_of_a_document_come_back_by_position(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    wanted = [passage("long.md", position) for position in range(300)]
    await store.write_passages(collection, [embedded(p) for p in reversed(wanted)])
    await store.write_passages(collection, [embedded(passage("long.md.bak"))])
    assert await store.passages(collection, "long.md") == wanted
    assert await store.passages(collection, "long") == []


async def test_writing_a_passage_again_replaces_payload_and_vector(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md", url="https://old.example", content_hash="h"))])
    await store.write_passages(collection, [embedded(passage("a.md", content_hash="h"), [0, 1, 0, 0])])
    assert await store.passages(collection, "a.md") == [passage("a.md", content_hash="h")]
    assert await store.vectors(collection, ["h"]) == {"h": [0, 1, 0, 0]}


async def test_an_update_replaces_the_whole_payload_and_keeps_the_vector(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    before = [passage("a.md", n, content_hash=f"h{n}", url="https://old.example", tags=("old",)) for n in range(150)]
    await store.write_passages(collection, [embedded(p, [0, 0, 1, 0]) for p in before])
    after = [passage("a.md", n, content_hash=f"h{n}", access=("staff",)) for n in range(150)]
    await store.update_passages(collection, after)
    assert await store.passages(collection, "a.md") == after
    assert await store.vectors(collection, ["h0", "h149"]) == {"h0": [0, 0, 1, 0], "h149": [0, 0, 1, 0]}
    assert await store.search(collection, Query([0, 0, 1, 0]), 5, EVERYONE) == [], "the new access counts at once"


async def test_updating_a_passage_that_is_not_there_is_refused_and_changes_nothing(
    store: VectorStore, collection: str
) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    with pytest.raises(StoreUnavailable):
        await store.update_passages(collection, [passage("a.md", tags=("new",)), passage("b.md")])
    assert await store.passages(collection, "a.md") == [passage("a.md")]
    assert await store.passages(collection, "b.md") == []


async def test_deleted_passages_are_gone_and_deleting_them_again_is_harmless(
    store: VectorStore, collection: str
) -> None:
    await store.create(spec(collection))
    many = [passage("a.md", position) for position in range(200)]
    await store.write_passages(collection, [embedded(p) for p in many])
    for _ in range(2):
        await store.delete_passages(collection, {p.passage_id for p in many[1:]})
    assert await store.passages(collection, "a.md") == many[:1]
    assert await store.vectors(collection, [many[1].content_hash]) == {}


async def test_documents_with_passages_are_named_with_or_without_a_record(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    assert await store.document_ids(collection) == set()
    wanted = [passage(f"{number % 90}.md", number, access=()) for number in range(300)]
    await store.write_passages(collection, [embedded(p) for p in wanted])
    await store.write_documents(collection, [document("0.md"), document("without-passages.md")])
    assert await store.document_ids(collection) == {f"{number}.md" for number in range(90)}


async def test_every_standing_content_hash_gets_one_vector(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    angles = {f"h{number}": number / 300 for number in range(300)}
    await store.write_passages(
        collection,
        [
            embedded(passage("a.md", n, content_hash=content_hash), [math.cos(angle), math.sin(angle), 0, 0])
            for n, (content_hash, angle) in enumerate(angles.items())
        ],
    )
    found = await store.vectors(collection, [*angles, "unknown"])
    assert found.keys() == angles.keys()
    for content_hash, angle in angles.items():
        assert found[content_hash] == pytest.approx([math.cos(angle), math.sin(angle), 0, 0], abs=1e-6)


async def test_a_hash_that_many_passages_share_does_not_hide_the_others(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    same = [embedded(passage(f"{number}.md", content_hash="same")) for number in range(400)]
    rare = [embedded(passage(f"rare{number}.md", content_hash=f"rare{number}"), [0, 1, 0, 0]) for number in range(3)]
    await store.write_passages(collection, same + rare)
    found = await store.vectors(collection, ["same", "rare0", "rare1", "rare2"])
    assert found.keys() == {"same", "rare0", "rare1", "rare2"}


async def test_a_reused_vector_is_bit_for_bit_the_same(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md", content_hash="h"), [0.3, -0.2, 0.9, 0.1])])
    first = await store.vectors(collection, ["h"])
    await store.write_passages(collection, [embedded(passage("b.md", content_hash="again"), first["h"])])
    assert (await store.vectors(collection, ["again"]))["again"] == first["h"]


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param([math.nan, 0, 0, 1], id="nan"),
        pytest.param([math.inf, 0, 0, 1], id="infinity"),
        pytest.param([0, 0, 0, 0], id="zero"),
        pytest.param([1, 0, 0], id="short"),
        pytest.param([1, 0, 0, 0, 0], id="long"),
        pytest.param([], id="empty"),
    ],
)
async def test_a_vector_that_cannot_be_compared_is_refused(
    store: VectorStore, collection: str, vector: list[float]
) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    with pytest.raises(StoreUnavailable):
        await store.write_passages(collection, [embedded(passage("bad.md"), vector)])
    with pytest.raises(StoreUnavailable):
        await store.search(collection, Query(vector), 3, EVERYONE)
    assert await store.document_ids(collection) == {"a.md"}


async def test_readers_beside_a_writer_see_whole_passages_only(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    written = {p.passage_id: p for p in (passage("a.md", n, text=f"text {n}") for n in range(400))}
    writing = asyncio.create_task(store.write_passages(collection, [embedded(p) for p in written.values()]))

    async def read() -> None:
        while not writing.done():
            for candidate in await store.search(collection, Query([1, 0, 0, 0]), 5, EVERYONE):
                assert candidate.passage == written[candidate.passage.passage_id]
            _, passages = await store.count(collection, EVERYONE)
            assert passages <= len(written)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(read())
        group.create_task(asyncio.wait_for(writing, 60))
    assert await store.count(collection, EVERYONE) == (0, 400)


async def test_a_cancelled_caller_leaves_the_store_usable(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    many = [embedded(passage("a.md", n)) for n in range(500)]
    writing = asyncio.create_task(store.write_passages(collection, many))
    await asyncio.sleep(0)
    writing.cancel()
    await asyncio.wait([writing])
    await store.write_passages(collection, many)
    assert await store.passages(collection, "a.md") == [item.passage for item in many]


async def test_a_closed_store_says_so(store: VectorStore, collection: str) -> None:
    await store.create(spec(collection))
    await store.close()
    with pytest.raises(StoreError):
        await store.state()
    with pytest.raises(StoreError):
        await store.search(collection, Query([1, 0, 0, 0]), 3, EVERYONE)
    await store.close()

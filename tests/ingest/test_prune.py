"""Another model builds another collection aside; prune drops what no longer answers, and nothing that is needed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.adapters.stores import open_store
from app.core.records import Lease, StateRecord
from app.errors import StoreError
from app.ports import VectorStore
from app.settings import Settings
from ingest import job, prune
from ingest.errors import NothingAnswers
from ingest.indexing import spec_for
from ingest.progress import Summary
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.ingest.test_job import DOCUMENTS
from tests.ingest.test_removals import Renamed
from tests.shared_embedder import embedders
from tests.stores import embedded, passage, spec, state

OTHER_INDEX = "vouch-eu-0123456789abcdef"


async def run(store: VectorStore, embedder: Any, settings: Settings) -> Summary:
    return await job.run(store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)


async def served(store: VectorStore) -> StateRecord:
    state = await store.state()
    assert state is not None
    return state


async def kept(store: VectorStore, wanted: str, **flags: bool) -> Mapping[str, bool]:
    pruned = await prune.prune(store, wanted, **{"unfinished": False, "dry_run": False, **flags})
    return {found.name: found.kept is not None for found in pruned.collections}


async def test_another_model_is_built_aside_resumed_and_switched_to_once(copied: Settings) -> None:
    embedder = await embedders.get("bundled")
    async with open_store(copied, "job") as (store, _):
        old = await served(store)
        count = await store.totals(old.collection)
        other = spec_for(copied.index_name, Renamed(embedder)).collection
        for at in (8, 9):
            with pytest.raises(StoreError):
                await run(FaultyStore(store, at, breaks), Renamed(embedder), copied)
            assert await served(store) == old, "the old collection goes on answering, untouched"
            assert await store.totals(old.collection) == count
        begun = (await store.totals(other))[1]
        assert begun > 0
        switches: list[str] = []
        summary = await run(Switching(store, switches), Renamed(embedder), copied)
        new = await served(store)
        assert switches == [other] == [new.collection]
        assert summary.passages.embedded == count[1] - begun, "what was built before it was cut short is not made again"
        assert (await store.totals(other), new.generation > old.generation) == (count, True)
        assert await store.totals(old.collection) == count, "until it is pruned"


class Switching:
    def __init__(self, store: VectorStore, switches: list[str]) -> None:
        self._store = store
        self._switches = switches

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def switch(self, collection: str) -> None:
        self._switches.append(collection)
        await self._store.switch(collection)


async def test_what_no_longer_answers_is_dropped_and_what_is_needed_stays(copied: Settings) -> None:
    embedder = await embedders.get("bundled")
    async with open_store(copied, "job") as (store, _):
        old = await served(store)
        await store.create(spec(OTHER_INDEX))
        await run(store, Renamed(embedder), copied)
        new = (await served(store)).collection
        assert await kept(store, new, dry_run=True) == {old.collection: False, new: True}
        assert await store.read_state(old.collection) == old
        assert await kept(store, new) == {old.collection: False, new: True}
        assert await store.collections() == [new]
        await store.create(spec(OTHER_INDEX))  # raises when another index's collection was harmed
        assert (await run(store, Renamed(embedder), copied)).documents.unchanged == len(DOCUMENTS)


async def test_a_build_that_the_next_job_resumes_stays_unless_it_is_named(copied: Settings) -> None:
    async with open_store(copied, "job") as (store, _):
        old = (await served(store)).collection
        begun = f"{copied.index_name}-{'0' * 16}"
        await begin(store, begun)
        assert await kept(store, begun) == {begun: True, old: True}
        assert await kept(store, begun, unfinished=True) == {begun: False, old: True}
        assert await store.collections() == [old]


@pytest.mark.parametrize(("seconds_left", "stays"), [(30, True), (-30, False)])
async def test_what_a_living_job_builds_stays_unless_it_is_named(
    copied: Settings, seconds_left: int, stays: bool
) -> None:
    until = (datetime.now(UTC) + timedelta(seconds=seconds_left)).isoformat()
    lease = Lease(token="t", host="elsewhere", pid=1, since=until, until=until)
    async with open_store(copied, "job") as (store, _):
        old = (await served(store)).collection
        begun = f"{copied.index_name}-{'0' * 16}"
        await begin(store, begun, lease=lease)
        assert await kept(store, old) == {begun: stays, old: True}
        assert await kept(store, old, unfinished=True) == ({begun: False, old: True} if stays else {old: True})


async def begin(store: VectorStore, collection: str, **fields: Any) -> None:
    await store.create(spec(collection))
    await store.write_passages(collection, [embedded(passage("a.md"))])
    await store.write_state(structs.replace(state(collection, state="updating"), **fields))


async def test_nothing_is_dropped_while_nothing_answers(copied: Settings) -> None:
    (copied.store_path / "vouch.alias").unlink()
    async with open_store(copied, "job") as (store, _):
        names = await store.collections()
        with pytest.raises(NothingAnswers, match="make ingest"):
            await prune.prune(store, "", unfinished=True, dry_run=False)
        assert await store.collections() == names


async def test_what_a_job_makes_answer_meanwhile_stays(copied: Settings) -> None:
    async with open_store(copied, "job") as (store, _):
        old = (await served(store)).collection
        begun, superfluous = f"{copied.index_name}-{'1' * 16}", f"{copied.index_name}-{'0' * 16}"
        await begin(store, begun)
        await begin(store, superfluous)
        moving: Any = Moving(store, begun)
        assert await kept(moving, old, unfinished=True) == {superfluous: False, begun: True, old: False}
        assert (await served(store)).collection == begun


class Moving(Switching):
    """A store whose index name a job moves to `target` while the first collection is dropped."""

    def __init__(self, store: VectorStore, target: str) -> None:
        super().__init__(store, [])
        self._target = target

    async def drop(self, collection: str) -> None:
        await self._store.drop(collection)
        await self.switch(self._target)

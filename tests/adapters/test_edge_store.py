"""The embedded store on disk: what survives, what is refused, and who may have it open."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import qdrant_edge

from app.adapters.edge_store import EdgeStore
from app.core.model import Query
from app.errors import StoreHeld, StoreUnavailable
from tests.stores import EVERYONE, document, edge_store, embedded, passage, spec, state, store_folder

QUESTION = [1.0, 0.0, 0.0, 0.0]

WRITER = """
import asyncio, sys
from pathlib import Path
from tests.stores import EdgeStore, document, embedded, passage, spec, state

async def main():
    store = EdgeStore(Path(sys.argv[1]), "vouch")
    await store.create(spec("c"))
    await store.write_state(state("c", state="updating"))
    await store.switch("c")
    for number in range(2_000):
        name = f"{number}.md"
        await store.write_passages("c", [embedded(passage(name, n)) for n in range(3)])
        await store.write_documents("c", [document(name)])
        await store.flush("c")
        print(number, flush=True)

asyncio.run(main())
"""


@pytest.fixture
def path() -> Iterator[Path]:
    with store_folder() as folder:
        yield folder / "store"


def start_writer(path: Path) -> subprocess.Popen[str]:
    """Another process that has the store open and writes on and on; one document was flushed when this returns."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def kill(process: subprocess.Popen[str]) -> list[int]:
    """Kill it; the documents that it said were flushed and that were not read yet."""
    process.send_signal(signal.SIGKILL)
    flushed, _ = process.communicate()
    return [int(line) for line in flushed.splitlines(keepends=True) if line.endswith("\n")]


async def fill(store: EdgeStore) -> None:
    await store.create(spec("c"))
    await store.write_passages("c", [embedded(passage("a.md"))])
    await store.write_documents("c", [document("a.md")])
    await store.write_state(state("c"))
    await store.switch("c")


async def assert_filled(store: EdgeStore) -> None:
    assert await store.state() == state("c")
    assert await store.passages("c", "a.md") == [passage("a.md")]
    assert [record async for record in store.documents("c")] == [document("a.md")]
    assert len(await store.search("c", Query(QUESTION), 3, EVERYONE)) == 1


async def test_everything_is_there_again_after_reopening(path: Path) -> None:
    async with edge_store(path) as store:
        await fill(store)
    async with edge_store(path) as store:
        await assert_filled(store)
    async with edge_store(path, "another-name") as store:
        assert await store.state() is None, "index names do not share a pointer"


async def test_what_was_flushed_survives_a_killed_writer(path: Path) -> None:
    for _ in range(3):
        writer = start_writer(path)
        assert writer.stdout is not None
        for _ in range(20):
            writer.stdout.readline()
        flushed = kill(writer)
        async with edge_store(path) as store:
            assert await store.state() == state("c", state="updating")
            names = {record.document_id async for record in store.documents("c")}
            assert {f"{number}.md" for number in range(21 + len(flushed))} <= names
            for name in names:
                assert await store.passages("c", name) == [passage(name, n) for n in range(3)]


async def test_a_store_that_another_process_has_open_is_refused(path: Path) -> None:
    writer = start_writer(path)
    try:
        async with edge_store(path) as store:
            with pytest.raises(StoreHeld, match="stop it first"):
                await store.state()
    finally:
        kill(writer)
    async with edge_store(path) as store:
        assert await store.state() is not None


async def test_a_collection_whose_making_was_cut_short_is_made_anew(path: Path) -> None:
    async with edge_store(path) as store:
        await store.create(spec("c"))
    for leftover in ("passages/segments", "records", "spec.json"):
        half = path / "collections" / "c" / leftover
        shutil.rmtree(half) if half.is_dir() else half.unlink()
    async with edge_store(path) as store:
        assert await store.read_state("c") is None
        await fill(store)
        await assert_filled(store)


async def test_writing_into_a_deleted_folder_fails_instead_of_vanishing(path: Path) -> None:
    async with edge_store(path) as store:
        await fill(store)
        shutil.rmtree(path / "collections")
        with pytest.raises(StoreUnavailable, match="make ingest"):
            await store.write_passages("c", [embedded(passage("b.md"))])
        assert await store.state() is None
        await fill(store)
        await assert_filled(store)
        shutil.rmtree(path)
        with pytest.raises(StoreUnavailable, match="removed"):
            await store.state()


async def test_a_folder_put_back_from_a_copy_is_read_anew(path: Path) -> None:
    async with edge_store(path) as store:
        await fill(store)
        await store.flush("c")
        shutil.copytree(path / "collections", path / "copy")
        await store.write_passages("c", [embedded(passage("later.md"))])
        shutil.rmtree(path / "collections")
        (path / "copy").rename(path / "collections")
        await assert_filled(store)
        assert await store.document_ids("c") == {"a.md"}


async def test_a_full_disk_refuses_writes_and_still_answers(path: Path) -> None:
    async with edge_store(path) as store:
        await fill(store)
    full = EdgeStore(path, "vouch", min_free_bytes=2**62)
    for write in (
        full.write_passages("c", [embedded(passage("b.md"))]),
        full.write_state(state("c", generation=2)),
        full.create(spec("d")),
        full.switch("c"),
        full.flush("c"),
    ):
        with pytest.raises(StoreUnavailable, match="make room"):
            await write
    await assert_filled(full)
    await full.close()


async def test_a_folder_that_cannot_be_made_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="Not a directory"):
        EdgeStore(tmp_path / "file" / "store", "vouch")


async def test_files_of_the_engine_that_are_broken_are_unavailable(path: Path) -> None:
    async with edge_store(path) as store:
        await fill(store)
    (path / "collections" / "c" / "records" / "edge_config.json").write_text("rubbish")
    async with edge_store(path) as store:
        with pytest.raises(StoreUnavailable):
            await store.state()


@pytest.mark.parametrize("name", ["../other", "a/b", "", ".", "..", "a\nb"])
async def test_a_name_never_leads_out_of_the_folder(path: Path, name: str) -> None:
    with pytest.raises(StoreUnavailable):
        EdgeStore(path, name)
    async with edge_store(path) as store:
        with pytest.raises(StoreUnavailable):
            await store.create(spec(name))


def indexed(path: Path, kind: str) -> set[str]:
    shard = qdrant_edge.EdgeShard.load(str(path / "collections" / "c" / kind))
    fields = set(shard.info().payload_schema)
    shard.close()
    return fields


async def test_every_filtered_field_is_indexed(path: Path) -> None:
    async with edge_store(path) as store:
        await store.create(spec("c"))
    wanted = {"document_id", "content_hash", "groups", "tenants", "prefixes", "tags", "position"}
    assert indexed(path, "passages") == wanted
    assert indexed(path, "records") == {"kind", "groups", "tenants", "prefixes", "tags"}


async def test_a_store_from_before_a_field_was_filtered_on_gets_its_index(path: Path) -> None:
    async with edge_store(path) as store:
        await store.create(spec("c"))
        await store.write_passages("c", [embedded(passage("a.md", position)) for position in range(3)])
        await store.flush("c")
    shard = qdrant_edge.EdgeShard.load(str(path / "collections" / "c" / "passages"))
    shard.update(qdrant_edge.UpdateOperation.delete_field_index("position"))
    shard.close()
    assert "position" not in indexed(path, "passages")
    async with edge_store(path) as store:
        assert len(await store.passages_at("c", [("a.md", 1), ("a.md", 2)], EVERYONE)) == 2
    assert "position" in indexed(path, "passages")


async def test_a_search_does_not_wait_for_a_long_write(path: Path) -> None:
    async with edge_store(path) as store:
        await store.create(spec("c"))
        writing = asyncio.create_task(store.write_passages("c", [embedded(passage("a.md", n)) for n in range(2_000)]))
        await asyncio.sleep(0)
        assert len(await store.search("c", Query(QUESTION), 3, EVERYONE)) == 3
        assert not writing.done()
        await writing


async def test_a_write_does_not_wait_for_a_long_listing(path: Path) -> None:
    async with edge_store(path) as store:
        await store.create(spec("c"))
        await store.write_documents("c", [document(f"{n}.md") for n in range(200)])
        listing = store.documents("c")
        listed = [await anext(listing)]
        await store.write_documents("c", [document("0.md", title="newer")])
        listed += [record async for record in listing]
        assert {record.document_id for record in listed} == {f"{n}.md" for n in range(200)}


def test_importing_the_embedded_store_does_not_load_the_client_of_the_server() -> None:
    code = "import sys, app.adapters.edge_store, app.adapters.store_lock; sys.exit('qdrant_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "damaged", ["segment.json", "tracker.dat"]
)  # the engine raises on the one, panics on the other
async def test_damaged_files_are_an_error_that_says_what_to_do(path: Path, damaged: str) -> None:
    async with edge_store(path) as store:
        await fill(store)
    for file in (path / "collections" / "c" / "passages" / "segments").rglob(damaged):
        file.write_bytes(b"not what was written")
    async with edge_store(path) as store:
        with pytest.raises(StoreUnavailable, match="remove that folder and run `make ingest`"):
            await store.state()

"""The guard, the dry run, verify and prune as people run them, with and without a service that holds the store."""

from __future__ import annotations

import json
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app.adapters.stores import open_store
from tests import processes
from tests.ingest.test_removals import write
from tests.service import ingest, settings_for


@pytest.mark.parametrize("served", [False, True], ids=["alone", "handed over"])
async def test_a_folder_that_lost_much_is_refused_planned_and_confirmed(tmp_path: Path, served: bool) -> None:
    write(tmp_path, range(12))
    await ingest(settings_for(tmp_path))
    shutil.rmtree(tmp_path / "corpus")
    write(tmp_path, range(4))
    async with AsyncExitStack() as stack:
        if served:
            await stack.enter_async_context(processes.served(tmp_path))
        code, out, err = await processes.run(tmp_path, "ingest")
        assert (code, out) == (4, "")
        assert "8 of the 12 documents" in err
        assert "--allow-removals" in err
        assert "Traceback" not in err
        code, out, _ = await processes.run(tmp_path, "ingest", "--dry-run")
        assert (code, "8 removed" in out, "0 to embed (0 tokens)" in out) == (4, True, True)
        code, out, _ = await processes.run(tmp_path, "ingest", "--allow-removals", "--json")
        assert (code, json.loads(out)["documents"]["removed"]) == (0, 8)


@pytest.mark.parametrize("served", [False, True], ids=["alone", "handed over"])
async def test_verify_lists_what_is_off_and_mends_it(tmp_path: Path, served: bool) -> None:
    write(tmp_path, range(3))
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        (passage,) = await store.passages(state.collection, "1.txt")
        await store.delete_passages(state.collection, [passage.passage_id])
    async with AsyncExitStack() as stack:
        if served:
            await stack.enter_async_context(processes.served(tmp_path))
        code, out, _ = await processes.run(tmp_path, "ingest", "verify")
        assert code == 1
        assert "1.txt: its record tells of 1 passages, 0 are stored" in out
        assert "--repair" in out
        code, out, _ = await processes.run(tmp_path, "ingest", "verify", "--repair", "--json")
        mended = json.loads(out)
        assert (code, mended["ok"], mended["repair"]["passages"]["embedded"]) == (0, True, 1)
        code, out, _ = await processes.run(tmp_path, "ingest", "prune")
        assert (code, out) == (0, f"Kept {state.collection} (3 passages): it answers\n")


async def test_without_an_index_verify_and_prune_say_what_to_do(tmp_path: Path) -> None:
    write(tmp_path, range(1))
    verified, pruned = [await processes.run(tmp_path, "ingest", command) for command in ("verify", "prune")]
    assert (verified[0], "make ingest" in verified[1], verified[2]) == (1, True, "")
    assert (pruned[0], "make ingest" in pruned[1], pruned[2]) == (0, True, "")

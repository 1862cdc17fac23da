"""`python -m ingest --watch` keeps the index in step with a folder."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from watchfiles import Change

from ingest.stopping import interrupt
from ingest.watch import _Filter
from tests import processes
from tests.ingest.test_removals import write


@asynccontextmanager
async def watching(folder: Path, *arguments: str) -> AsyncIterator[Process]:
    process = await processes.start(folder, "ingest", "--watch", *arguments)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def line_of(process: Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode()


async def documents_of(process: Process) -> dict[str, int]:
    documents: dict[str, Any] = json.loads(await line_of(process))["documents"]
    return {name: count for name, count in documents.items() if count}


async def begun(folder: Path) -> None:
    """Until the job has made its collection."""
    while not list((folder / "qdrant").glob("collections/*/spec.json")):  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.02)


async def complaint_of(process: Process, containing: str) -> str:
    assert process.stderr is not None
    async for line in process.stderr:
        if containing in line.decode():
            return line.decode()
    raise AssertionError(f"it ended without saying {containing!r}")


async def test_every_change_is_followed_with_and_without_a_service(tmp_path: Path) -> None:
    write(tmp_path, range(2))
    corpus = tmp_path / "corpus"
    async with watching(tmp_path, "--json") as process:
        assert await documents_of(process) == {"added": 2}
        write(tmp_path, range(2, 4), "below/{}.txt")
        assert await documents_of(process) == {"added": 2, "unchanged": 2}
        async with processes.served(tmp_path):
            (corpus / "0.txt").write_text("Another rule.\n")
            assert await documents_of(process) == {"changed": 1, "unchanged": 3}
        (corpus / ".vouchignore").write_text("below/\n")
        assert await documents_of(process) == {"unchanged": 2, "removed": 2}
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def test_it_goes_on_after_failed_runs_and_a_folder_that_went_away(tmp_path: Path) -> None:
    write(tmp_path, range(6))
    write(tmp_path, range(6, 12), "below/{}.txt")
    corpus, aside, again = tmp_path / "corpus", tmp_path / "aside", tmp_path / "again"
    async with watching(tmp_path) as process:
        assert "12 added" in await line_of(process)
        (corpus / "below").rename(aside)  # at one stroke, as all that follows: no run sees half of it
        await complaint_of(process, "--allow-removals")
        aside.rename(corpus / "below")
        assert "12 unchanged, 0 removed" in await line_of(process)
        corpus.rename(aside)
        await complaint_of(process, "There is no folder")
        shutil.copytree(aside, again)
        again.rename(corpus)
        assert "12 unchanged, 0 removed" in await line_of(process)
        write(tmp_path, range(12, 13))
        assert "1 added, 0 changed, 12 unchanged" in await line_of(process)
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0


async def test_stopped_in_the_middle_of_a_job_it_ends_cleanly_and_the_next_run_finishes(tmp_path: Path) -> None:
    write(tmp_path, range(40))
    async with watching(tmp_path) as process:
        await begun(tmp_path)
        process.send_signal(signal.SIGTERM)
        out, err = await process.communicate()
        assert (process.returncode, out, b"Traceback" in err) == (0, b"", False)
    code, out_again, _ = await processes.run(tmp_path, "ingest", "--json")
    assert (code, json.loads(out_again)["state"]) == (0, "ready")


def test_it_can_be_stopped_where_a_shell_started_it_with_ctrl_c_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupt(signal.SIGTERM, None)
    finally:
        signal.signal(signal.SIGINT, before)


async def test_a_folder_that_is_not_there_is_code_2(tmp_path: Path) -> None:
    code, out, err = await processes.run(tmp_path, "ingest", "--watch")
    assert (code, out, "CORPUS" in err) == (2, "", True)


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("a.md", True),
        ("deep/below/a.md", True),
        (".hidden.md", False),
        (".git/index", False),
        ("deep/.cache/a.md", False),
        ("deep/.vouchignore", True),
        ("deep/.access.toml", True),
        ("store/collections/x", False),
    ],
)
def test_hidden_files_and_the_store_are_no_changes(tmp_path: Path, path: str, counts: bool) -> None:
    (tmp_path / ".home" / "corpus").mkdir(parents=True)
    corpus = tmp_path / ".home" / "corpus"
    assert _Filter(corpus, corpus / "store")(Change.modified, str(corpus / path)) is counts

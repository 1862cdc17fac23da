"""The embedded store under a running service when its disk is full, or nothing can be written to it any more."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import processes
from tests.service import QUESTION, ingest, settings_for, write_corpus

DISK_BYTES = 400 * 2**20
LEFT_BYTES = 50 * 2**20
"""Less than the store keeps free for a write."""
PARKING = "# Parking\n\nEvery employee may park a bicycle in the yard.\n"
Switch = Callable[[int], None]
"""Of the process with this id."""


@pytest.fixture(params=["full", "not writable"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Switch, Switch]]:
    """What breaks the disk of the store, and what mends it."""
    if request.param == "not writable":
        yield lambda pid: _let_files_grow(pid, 0), lambda pid: _let_files_grow(pid, resource.RLIM_INFINITY)
        return
    store = tmp_path / "qdrant"
    store.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(store)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of its own can't be mounted here")
    filler = store / "filler"
    yield lambda _: filler.write_bytes(bytes(shutil.disk_usage(store).free - LEFT_BYTES)), lambda _: filler.unlink()
    subprocess.run(["umount", "--lazy", str(store)], check=True)


def _let_files_grow(pid: int, size: int) -> None:
    """As a file system that was made read-only by an error does it: open files stay, and no write gets through."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


class Client:
    """Asks the service, and writes to it as its operator."""

    def __init__(self, http: httpx.AsyncClient, token: str) -> None:
        self._http = http
        self._operator = {"X-Vouch-Token": token}

    async def answer(self) -> dict[str, Any]:
        reply = await self._http.post("/v1/answers", json={"question": QUESTION})
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    async def push(self) -> httpx.Response:
        headers = {**self._operator, "Content-Type": "text/markdown"}
        return await self._http.put("/v1/index/documents/parking", content=PARKING, headers=headers)

    async def sync(self) -> dict[str, Any]:
        """What the job ends with."""
        reply = await self._http.post("/v1/index/sync", json={}, headers=self._operator)
        return dict(json.loads(reply.text.rpartition("data: ")[2]))

    async def ready(self) -> bool:
        return (await self._http.get("/health/ready")).status_code == 200


async def test_questions_are_answered_writes_are_refused_and_all_is_well_when_there_is_room_again(
    tmp_path: Path, disk: tuple[Switch, Switch]
) -> None:
    break_disk, mend_disk = disk
    corpus = write_corpus(tmp_path)
    await ingest(settings_for(tmp_path))
    async with processes.served(tmp_path) as (process, address):
        token = json.loads((tmp_path / "qdrant" / "owner.json").read_text())["token"]
        async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as http:
            client = Client(http, token)
            before = await client.answer()
            (corpus / "trams.md").write_text("# Trams\n\nTrams are green.\n")
            break_disk(process.pid)
            for _ in range(2):
                pushed = await client.push()
                assert (pushed.status_code, pushed.json()["type"]) == (503, "/problems/index-unavailable")
                assert "error" in await client.sync()
                answer = await client.answer()
                assert (answer["status"], answer["answer"]) == ("answered", before["answer"])
                assert await client.ready()
            mend_disk(process.pid)
            assert (await client.push()).status_code == 201
            done = await client.sync()
            assert (done["documents"]["added"], done["passages"]["total"], done["state"]) == (1, 7, "ready")
            assert (await client.answer())["status"] == "answered"
        process.terminate()
        assert await process.wait() == 0

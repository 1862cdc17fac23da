"""A job on a server that is stopped lets the next one begin at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.core.records import StateRecord
from app.errors import StoreUnavailable
from ingest.lease import StateKeeper
from tests import processes
from tests.qdrant_http import http_server, local_mode
from tests.service import write_corpus
from tests.stores import LOCAL_MODE, memory_store, spec, state

pytestmark = LOCAL_MODE

MANY = {f"{number}.md": f"# Note\n\nThis is note number {number} of many.\n" for number in range(60)}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_a_job_that_is_stopped_gives_its_lease_up(tmp_path: Path, stop: signal.Signals) -> None:
    write_corpus(tmp_path, MANY)
    async with http_server(local_mode()) as server:
        job = await processes.start(tmp_path, "ingest", QDRANT_URL=server.url)
        await takes_its_lease(server.requests)
        job.send_signal(stop)
        _, err = await job.communicate()
        assert (job.returncode, err.splitlines()[-1]) == (130, b"Stopped. Run it again to finish the job.")
        code, _, said = await processes.run(tmp_path, "ingest", QDRANT_URL=server.url)
        assert code == 0, said


async def test_started_by_a_shell_with_ctrl_c_ignored_it_stops_without_a_traceback(tmp_path: Path) -> None:
    write_corpus(tmp_path, MANY)
    async with http_server(local_mode()) as server:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            job = await processes.start(tmp_path, "ingest", QDRANT_URL=server.url)
        finally:
            signal.signal(signal.SIGINT, before)
        await takes_its_lease(server.requests)
        await asyncio.sleep(0.2)  # into the middle of its work, wherever that is
        job.send_signal(signal.SIGTERM)
        _, err = await job.communicate()
    assert (job.returncode, err) == (130, b"Stopped. Run it again to finish the job.\n")


async def takes_its_lease(requests: Sequence[str]) -> None:
    for _ in range(3_000):
        if any(request.startswith("PUT ") and request.endswith("-records/points") for request in requests):
            return
        await asyncio.sleep(0.01)
    pytest.fail("no job began")


async def test_a_lease_of_whose_taking_nothing_was_heard_is_given_up() -> None:
    async with memory_store() as store:
        await store.create(spec("c"))

        class Unheard:
            shared = True
            read_state = store.read_state
            answers = False

            async def write_state(self, *states: StateRecord) -> None:
                await store.write_state(*states)
                if not self.answers:
                    raise StoreUnavailable("it took too long")

        unheard: Any = Unheard()
        keeper = StateKeeper(unheard)
        with pytest.raises(StoreUnavailable):
            await keeper.take(state("c"))
        unheard.answers = True
        await keeper.give_up()
        assert await store.read_state("c") == state("c")

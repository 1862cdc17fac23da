"""The lease: only one job writes to an index, on whatever machines jobs are started.

It stands in the state record of the collection and is taken, renewed and given up by writes that the store compares
with what stands there. A dead job's lease runs out. A job that slept, or could not reach the store, stops writing
before its own does; and as every later write of the state needs the lease, it can't declare its plan finished.

Where no other process can write to the store there is nothing to take: its lock on the folder is as good.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from msgspec import structs

from app.core.records import Lease, StateRecord
from app.errors import LeaseMissing, StoreError
from app.logs import log
from app.ports import VectorStore
from ingest.errors import JobRunning

LEASE_S = 60.0
MARGIN_S = 25.0
"""Before its end no write is begun: one takes up to two requests of 10 s, and clocks of machines differ a little."""

_AWAKE_OR_NOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts the time that the machine sleeps: on Linux the one, elsewhere the other."""


class StateKeeper:
    """Writes the state record of one collection, for one job, under a lease where the store needs one.

    `lasts_s` and `margin_s` are seconds.
    """

    def __init__(self, store: VectorStore, lasts_s: float = LEASE_S, margin_s: float = MARGIN_S) -> None:
        self._store = store
        self._lasts_s = lasts_s
        self._margin_s = margin_s
        self._collection = ""
        self._known: StateRecord | None = None
        self._lease: Lease | None = None
        self._ends = 0.0
        self._writing = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def take(self, fresh: StateRecord) -> StateRecord | None:
        """Take the lease, in the state that stands there, else in the `fresh` one. Returns the state that stood there.

        Raises JobRunning, which names the job that holds it.
        """
        self._collection = fresh.collection
        standing = self._known = await self._store.read_state(fresh.collection)
        if not self._store.shared:
            return standing
        if standing is not None and standing.lease is not None and is_running(standing.lease):
            raise JobRunning(held_by(standing.lease))
        self._lease = Lease(token=uuid4().hex, host=socket.gethostname(), pid=os.getpid(), since=_in(0), until=_in(0))
        try:
            await self.write(standing or fresh)
        except LeaseMissing as exc:
            self._lease = None
            raise JobRunning(str(exc)) from exc
        self._renewing = asyncio.create_task(self._renew())
        return standing

    def check(self) -> None:
        """To be called before every write. Raises LeaseMissing when too little time is left for one."""
        if self._lease is not None and time.clock_gettime(_AWAKE_OR_NOT) > self._ends - self._margin_s:
            raise LeaseMissing("The job could not renew its lease on the index in time: run `make ingest` again.")

    async def write(self, state: StateRecord) -> None:
        """Write the state, and renew the lease with it. Raises LeaseMissing when another job took it over."""
        async with self._writing:
            await self._write(state)

    async def renew(self) -> None:
        """Raises LeaseMissing when another job took the lease over."""
        async with self._writing:
            if self._lease is not None and self._known is not None:
                await self._write(self._known)

    async def give_up(self) -> None:
        """Let the next job begin. Never fails: a lease that can't be given up runs out."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait({self._renewing})
        if self._lease is None:
            return
        token, self._lease = self._lease.token, None
        try:  # from what stands there: a write of which nothing was heard any more may have come through
            standing = await self._store.read_state(self._collection)
            if standing is not None and standing.lease is not None and standing.lease.token == token:
                await self._store.write_state(structs.replace(standing, lease=None), standing)
        except LeaseMissing:
            return  # it is another job's by now
        except StoreError as exc:
            log.warning("lease.not_given_up", problem=str(exc))

    async def _write(self, state: StateRecord) -> None:
        now = time.clock_gettime(_AWAKE_OR_NOT)
        lease = self._lease and structs.replace(self._lease, until=_in(self._lasts_s))
        renewed = structs.replace(state, lease=lease)
        writing = asyncio.ensure_future(self._store.write_state(renewed, self._known))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:  # a lease that is about to be written can't be given up yet
            await asyncio.gather(writing, return_exceptions=True)
            raise
        self._known, self._ends = renewed, now + self._lasts_s

    async def _renew(self) -> None:
        """Until it is cancelled, or another job took the lease over."""
        wait_s = self._lasts_s / 3
        while True:
            await asyncio.sleep(wait_s)
            try:
                await self.renew()
                wait_s = self._lasts_s / 3
            except LeaseMissing:
                self._ends = 0.0
                return
            except StoreError as exc:
                log.warning("lease.not_renewed", problem=str(exc))
                wait_s = self._lasts_s / 12  # a second try before the margin ends all writing


def _in(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


async def check_free(store: VectorStore, wanted: str | None = None) -> None:
    """Raises JobRunning while a job holds what answers now, or the collection `wanted`, as the first job of all does.

    It promises nothing: only to take the lease does.
    """
    states = [await store.state(), await store.read_state(wanted) if wanted else None]
    for lease in [state.lease for state in states if state is not None]:
        if store.shared and lease is not None and is_running(lease):
            raise JobRunning(held_by(lease))


def is_running(lease: Lease) -> bool:
    return datetime.fromisoformat(lease.until) > datetime.now(UTC)


def held_by(lease: Lease) -> str:
    return (
        f"Another job is at work on this index: process {lease.pid} on {lease.host}, since {lease.since}."
        f" Wait until it is done; if it is dead, its lease runs out at {lease.until}."
    )

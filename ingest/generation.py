"""One change of the index, from its first write to `ready`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from datetime import UTC, datetime
from uuid import uuid4

from msgspec import structs

from app.core import hashing
from app.core.records import DocumentRecord, IndexSpec, StateRecord
from app.errors import LeaseMissing
from app.ports import VectorStore
from ingest.lease import LEASE_S, MARGIN_S, StateKeeper


class Generation:
    """Keeps the state record of a collection while a job writes to it."""

    def __init__(
        self, store: VectorStore, spec: IndexSpec, lease_s: float = LEASE_S, margin_s: float = MARGIN_S
    ) -> None:
        """`lease_s` and `margin_s` are those of the StateKeeper."""
        self._store = store
        self._spec = spec
        self._state = StateRecord(
            collection=spec.collection,
            fingerprint=spec.fingerprint,
            embedding_model=spec.embedding_model,
            dimension=spec.dimension,
            state="updating",
            revision="",
            generation=0,
        )
        self._keeper = StateKeeper(store, lease_s, margin_s)
        self._served = StateKeeper(store, lease_s, margin_s)
        self._answered: str | None = None
        """The collection that the index name pointed at when the leases were taken."""
        self._beginning = asyncio.Lock()
        self._begun = False
        self._damaged = False
        self._written: str | None = None

    @property
    def last_written(self) -> str | None:
        """The document whose passages were written last, as far as the state tells."""
        return self._written or self._state.last_written

    def wrote(self, document_id: str) -> None:
        """To be told of every document whose passages were written."""
        self._written = document_id

    def distrust(self) -> None:
        """Take the collection for damaged, which `open` could not see."""
        self._damaged = True

    async def open(self, mend: bool = False) -> bool:
        """Make or open the collection; whether its records must not be believed.

        That is so when an earlier job was cut short in it (or none ever ran), when other counts stand in it than the
        state record tells of, and when the caller wants to `mend` it. In the last two cases answers may have been made
        from what was there, so this change gets a new cache epoch.

        Raises JobRunning when another job holds the lease. To be followed by `close`, also when it fails.
        """
        await self._store.create(self._spec)
        known = await self._take_leases()
        standing = await self._store.totals(self._spec.collection)
        if known is not None:
            self._state = structs.replace(known, **structs.asdict(self._spec))
        self._damaged = mend or not _is_whole(known, self._state, standing)
        return self._damaged or self._state.state == "updating"

    async def close(self) -> None:
        """Let other jobs write."""
        await self._keeper.give_up()
        await self._served.give_up()

    async def begin(self) -> None:
        """To be awaited before every write: the first time it makes `updating` and a new generation durable.

        Raises LeaseMissing when the job may not write any more.
        """
        self._keeper.check()
        self._served.check()
        async with self._beginning:
            if not self._begun:
                if self._damaged:
                    self._state = structs.replace(self._state, cache_epoch=_epoch_after(self._state.cache_epoch))
                await self._write(state="updating", generation=await self._next(), job=uuid4().hex)
                self._begun = True

    async def leave(self) -> StateRecord:
        """Make what was written durable, and leave the index to a later job to finish."""
        if self._begun:
            await self._store.flush(self._spec.collection)
        return self._state

    async def finish(self, records: Collection[DocumentRecord]) -> StateRecord:
        """Make everything durable, then the revision and `ready`, then point the index name here.

        A job that wrote nothing into a whole collection that the name points at leaves all as it is. Raises
        LeaseMissing when another job may have changed meanwhile what answers: to move the name would lose that.
        """
        served = await self._store.state()
        elsewhere = served is None or served.collection != self._spec.collection
        if elsewhere:
            await self._hold_what_answers(served)
        if elsewhere or self._damaged or self._state.state == "updating":
            await self.begin()
        if self._begun:
            await self._store.flush(self._spec.collection)
            digests = [(record.document_id, record.index_digest) for record in records]
            await self._write(
                state="ready",
                revision=hashing.revision(self._spec.fingerprint, digests),
                documents=len(records),
                passages=sum(record.passages for record in records),
                languages=tuple(sorted({record.language for record in records if record.language})),
                last_written=self.last_written,
                updated_at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        if elsewhere:
            await self._store.switch(self._spec.collection)
        return self._state

    async def _take_leases(self) -> StateRecord | None:
        """Of this collection, and of the one that answers: jobs that build different collections exclude each other.

        Returns the state of this collection.
        """
        served = await self._store.state()
        if served is not None:
            self._answered = served.collection
            if served.collection != self._spec.collection:
                await self._served.take(served)
        return await self._keeper.take(self._state)

    async def _hold_what_answers(self, served: StateRecord | None) -> None:
        """Nobody had a lease of it to take when nothing answered at first."""
        if served is not None and served.collection != self._answered:
            raise LeaseMissing("Another job built what answers now: run `make ingest` again.")
        await self._served.renew()

    async def _next(self) -> int:
        """A generation that neither this collection nor the one being served ever had."""
        served = await self._store.state()
        return max(self._state.generation, served.generation if served else 0) + 1

    async def _write(self, **changed: object) -> None:
        self._state = structs.replace(self._state, **changed)
        await self._keeper.write(self._state)
        await self._store.flush(self._spec.collection)


def _is_whole(known: StateRecord | None, wanted: StateRecord, standing: tuple[int, int]) -> bool:
    """Whether a collection may be what its state record says; one being updated says nothing of its counts."""
    if known is None:
        return standing == (0, 0)
    return known == wanted and (known.state == "updating" or standing == (known.documents, known.passages))


def _epoch_after(epoch: int) -> int:
    """Later than every epoch before it, also those that a lost or restored store forgot: in seconds since 1970."""
    return max(epoch + 1, int(time.time()))

"""The embedded store: Qdrant's own engine in this process (qdrant-edge), behind the port VectorStore.

The engine holds the GIL while it works, so every call runs on one thread of this store's own, in small batches:
the event loop and other callers get their turn between two of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from app.adapters.edge_collection import EdgeCollection
from app.adapters.edge_folder import EdgeFolder
from app.adapters.edge_shards import PAGE, Offset
from app.adapters.payloads import batches
from app.core.model import Candidate, EmbeddedPassage, Passage, Place, Query, Scope
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, StateRecord
from app.errors import StoreError, StoreHeld, StoreUnavailable

MIN_FREE_BYTES = 128 * 2**20
"""The engine writes through memory maps: on a full disk it does not fail, the kernel kills the process (SIGBUS)."""

_PAUSE_S = 50e-6
"""Before each call the thread lets go of the GIL for this long. Without it, queued calls follow each other so closely
that the event loop waits for most of them: with 16 callers on 10,000 passages about 20 ms at p95 instead of 1."""

P = ParamSpec("P")
T = TypeVar("T")


class EdgeStore:
    """VectorStore in a folder, for one process at a time: hold `own_store` (store_lock.py) around it."""

    def __init__(self, path: Path, index_name: str, *, min_free_bytes: int = MIN_FREE_BYTES) -> None:
        """Makes the folder. While its disk has less room than `min_free_bytes`, every write is refused.

        Raises StoreUnavailable when the folder can't be made.
        """
        self._path = path
        try:
            self._folder = EdgeFolder(path, index_name, min_free_bytes)
        except OSError as error:
            raise self._failure(error) from error
        self.shared = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="edge-store")
        self._closed = False

    async def state(self) -> StateRecord | None:
        return await self._run(self._folder.current_state)

    async def search(self, collection: str, query: Query, limit: int, scope: Scope) -> list[Candidate]:
        return await self._read(collection, EdgeCollection.search, query, limit, scope)

    async def passages_at(self, collection: str, places: Collection[Place], scope: Scope) -> list[Passage]:
        return await self._read(collection, EdgeCollection.passages_at, places, scope)

    async def count(self, collection: str, scope: Scope) -> tuple[int, int]:
        return await self._read(collection, EdgeCollection.count, scope)

    async def visible(self, collection: str, document_ids: Collection[str], scope: Scope) -> set[str]:
        return await self._read(collection, EdgeCollection.visible, document_ids, scope)

    async def create(self, spec: IndexSpec) -> None:
        await self._run(self._folder.create, spec)

    async def read_state(self, collection: str) -> StateRecord | None:
        return await self._run(self._folder.state_of, collection)

    async def write_state(self, state: StateRecord, known: StateRecord | None = None) -> None:
        await self._write(state.collection, EdgeCollection.write_state, state, known)

    async def switch(self, collection: str) -> None:
        await self._run(self._folder.switch, collection)

    def documents(self, collection: str) -> AsyncIterator[DocumentRecord]:
        return self._all(collection, lambda held, offset: held.document_page(offset, None))

    def find_documents(self, collection: str, scope: Scope) -> AsyncIterator[DocumentRecord]:
        return self._all(collection, lambda held, offset: held.document_page(offset, scope))

    async def write_documents(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        for batch in batches(records, PAGE):
            await self._write(collection, EdgeCollection.write_documents, batch)

    async def delete_documents(self, collection: str, document_ids: Collection[str]) -> None:
        for batch in batches(list(document_ids), PAGE):
            await self._write(collection, EdgeCollection.delete_documents, batch)

    def absent_documents(self, collection: str) -> AsyncIterator[AbsentDocument]:
        return self._all(collection, EdgeCollection.absent_page)

    async def write_absent(self, collection: str, documents: Sequence[AbsentDocument]) -> None:
        for batch in batches(documents, PAGE):
            await self._write(collection, EdgeCollection.write_absent, batch)

    async def count_failures(self, collection: str, scope: Scope | None) -> int:
        return await self._read(collection, EdgeCollection.count_failures, scope)

    async def passages(self, collection: str, document_id: str) -> list[Passage]:
        passages = self._all(collection, lambda held, offset: held.passage_page(document_id, offset))
        found = [passage async for passage in passages]
        return sorted(found, key=lambda passage: (passage.position, passage.passage_id))

    async def document_ids(self, collection: str) -> set[str]:
        return {document_id async for document_id in self._all(collection, EdgeCollection.document_id_page)}

    async def vectors(self, collection: str, content_hashes: Collection[str]) -> Mapping[str, list[float]]:
        found: dict[str, list[float]] = {}
        for batch in batches(list(content_hashes), PAGE):
            wanted = set(batch)
            # A page may hold many points of one hash: ask again for the rest until nothing more comes.
            while wanted and (some := await self._read(collection, EdgeCollection.some_vectors, wanted)):
                found |= some
                wanted -= some.keys()
        return found

    async def write_passages(self, collection: str, passages: Sequence[EmbeddedPassage]) -> None:
        for batch in batches(passages, PAGE):
            await self._write(collection, EdgeCollection.write_passages, batch)

    async def update_passages(self, collection: str, passages: Sequence[Passage]) -> None:
        for batch in batches(passages, PAGE):
            await self._write(collection, EdgeCollection.update_passages, batch)

    async def delete_passages(self, collection: str, passage_ids: Collection[str]) -> None:
        for batch in batches(list(passage_ids), PAGE):
            await self._write(collection, EdgeCollection.delete_passages, batch)

    async def flush(self, collection: str) -> None:
        await self._write(collection, EdgeCollection.flush)

    async def totals(self, collection: str) -> tuple[int, int]:
        return await self._read(collection, EdgeCollection.totals)

    async def strays(self, collection: str) -> list[str]:
        return [point_id async for point_id in self._all(collection, EdgeCollection.stray_page)]

    def broken_vectors(self, collection: str) -> AsyncIterator[Passage]:
        return self._all(collection, EdgeCollection.broken_page)

    async def collections(self) -> list[str]:
        return await self._run(self._folder.collections)

    async def drop(self, collection: str) -> None:
        await self._run(self._folder.drop, collection)

    async def close(self) -> None:
        """Waits for the calls made before it; those made after it raise StoreUnavailable."""
        if not self._closed:
            self._closed = True
            await asyncio.shield(self._submit(self._close))

    async def _all(
        self, collection: str, page_of: Callable[[EdgeCollection, Offset], tuple[Iterable[T], Offset]]
    ) -> AsyncIterator[T]:
        """Page by page: others get their turn in between."""
        offset: Offset = None
        while True:
            page, offset = await self._read(collection, page_of, offset)
            for item in page:
                yield item
            if offset is None:
                return

    async def _read(
        self,
        collection: str,
        call: Callable[Concatenate[EdgeCollection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self._run(lambda: call(self._folder.collection(collection), *args, **kwargs))

    async def _write(
        self,
        collection: str,
        call: Callable[Concatenate[EdgeCollection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        def checked() -> T:
            self._folder.check_room()
            return call(self._folder.collection(collection), *args, **kwargs)

        return await self._run(checked)

    async def _run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._closed:
            raise StoreUnavailable("The embedded store is closed.")
        return await self._submit(call, *args, **kwargs)

    async def _submit(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The one way to the thread, and the one place where the engine's bare Exceptions become ours.

        A caller that is cancelled leaves at once; the thread finishes the call that it has begun.
        """

        def take_turn() -> T:
            time.sleep(_PAUSE_S)
            try:
                return call(*args, **kwargs)
            except Exception:
                raise
            except BaseException as panic:  # the engine's own bugs are no Exceptions, and would end the process
                raise RuntimeError(f"{panic}") from panic

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, take_turn)
        except StoreError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    def _close(self) -> None:
        try:
            self._folder.close()
        finally:
            self._thread.shutdown(wait=False)

    def _failure(self, error: Exception) -> StoreError:
        if "WouldBlock" in str(error):  # the engine's own lock, on its write-ahead log
            return StoreHeld(f"Another process has the store in {self._path} open: stop it first.")
        failure = f"The embedded store in {self._path} failed: {error}."
        if not isinstance(error, OSError):  # the engine says this of files, too, that it can't read
            failure += " If it stays so, its files are damaged: put a copy back, or remove them and run `make ingest`."
        return StoreUnavailable(failure)

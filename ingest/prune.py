"""Removing collections of the index that its name does not point at."""

from __future__ import annotations

from msgspec import Struct

from app.errors import StoreUnavailable
from app.ports import VectorStore
from ingest import lease
from ingest.errors import NothingAnswers


class Collection(Struct, frozen=True):
    name: str
    passages: int
    kept: str | None
    """Why it was left; null for what was dropped."""


class Pruned(Struct, frozen=True):
    collections: tuple[Collection, ...]
    """Every collection of the index."""
    dry_run: bool
    """Nothing was dropped, this is what would be."""


async def prune(store: VectorStore, wanted: str, *, unfinished: bool, dry_run: bool) -> Pruned:
    """Drop what the index name does not point at, except what a job is building, or would go on building (`wanted`).

    With `unfinished`, those two are dropped as well. Raises NothingAnswers when the name points at nothing, as any of
    the collections may be the one that should answer then; and StoreError.
    """
    names = await store.collections()
    if names and await store.state() is None:
        raise NothingAnswers("The index name points at no collection. Run `make ingest` first, then prune.")
    found = []
    for name in names:
        passages = await _passages(store, name)
        kept = await _answers(store, name) or (None if unfinished else await _unfinished(store, name, wanted))
        found.append(Collection(name, passages, kept))
        if kept is None and not dry_run:
            await store.drop(name)
    return Pruned(tuple(found), dry_run)


async def _answers(store: VectorStore, name: str) -> str | None:
    """Asked of each just before it goes: a job elsewhere may have moved the index name meanwhile."""
    served = await store.state()
    return "it answers" if served is not None and name == served.collection else None


async def _unfinished(store: VectorStore, name: str, wanted: str) -> str | None:
    """Why a job still needs the collection, if one does."""
    state = await store.read_state(name)
    if state is not None and state.lease is not None and lease.is_running(state.lease):
        return "a job is building it (--unfinished drops it)"
    return "the next job goes on building it (--unfinished drops it)" if name == wanted else None


async def _passages(store: VectorStore, name: str) -> int:
    """0 for a collection whose making was cut short: it holds none."""
    try:
        return (await store.totals(name))[1]
    except StoreUnavailable:
        return 0

"""The embedded store's folder: its collections, and which one the index name points at. Used from one thread.

<path>/collections/<collection>/   see edge_collection.py
<path>/<index name>.alias          the name of the collection that answers
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from app.adapters.atomic_file import replace_file
from app.adapters.edge_collection import EdgeCollection
from app.adapters.edge_shards import is_damage
from app.adapters.payloads import is_collection_of
from app.core.records import IndexSpec, StateRecord
from app.errors import StoreUnavailable


class EdgeFolder:
    """Raises StoreUnavailable, OSError, and whatever qdrant_edge raises (bare Exceptions)."""

    def __init__(self, path: Path, index_name: str, min_free_bytes: int) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._index_name = index_name
        self._alias = path / f"{_plain(index_name)}.alias"
        self._min_free_bytes = min_free_bytes
        self._open: dict[str, EdgeCollection] = {}

    def collection(self, name: str) -> EdgeCollection:
        found = self._find(name)
        if found is None:
            raise StoreUnavailable(f"There is no collection {name} in {self._path}: run `make ingest`.")
        return found

    def create(self, spec: IndexSpec) -> None:
        self.check_room()
        found = self._find(spec.collection)
        if found is None:
            self._open[spec.collection] = EdgeCollection.create(self._place(spec.collection), spec)
        elif found.spec != spec:
            raise StoreUnavailable(f"The collection {spec.collection} was built for something else: {found.spec}.")

    def switch(self, name: str) -> None:
        self.check_room()
        self.collection(name)
        replace_file(self._alias, name.encode())

    def current_state(self) -> StateRecord | None:
        """None when the index name points at nothing, or at a collection that is gone: ingestion builds it anew."""
        if not self._path.is_dir():
            raise StoreUnavailable(f"The folder {self._path} was removed: restart, then run `make ingest`.")
        name = self._alias.read_text(errors="replace") if self._alias.exists() else ""
        return self.state_of(name) if _is_plain(name) else None

    def state_of(self, name: str) -> StateRecord | None:
        found = self._find(name)
        return found.read_state() if found else None

    def collections(self) -> list[str]:
        folder = self._path / "collections"
        names = [place.name for place in folder.iterdir()] if folder.is_dir() else []
        return sorted(name for name in names if is_collection_of(self._index_name, name))

    def drop(self, name: str) -> None:
        if held := self._open.pop(name, None):
            held.close()
        EdgeCollection.remove(self._place(name))

    def check_room(self) -> None:
        """Raises StoreUnavailable when the disk is too full to write on."""
        free = shutil.disk_usage(self._path).free
        if free < self._min_free_bytes:
            raise StoreUnavailable(
                f"The disk of {self._path} has {free >> 20} MiB free and a write needs"
                f" {self._min_free_bytes >> 20}: make room, then run `make ingest` again."
            )

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _find(self, name: str) -> EdgeCollection | None:
        held = self._open.get(name)
        if held is not None and held.in_place():
            return held
        if held is not None:
            self._open.pop(name).close()
        if not EdgeCollection.exists(self._place(name)):
            return None
        self._open[name] = self._load(name)
        return self._open[name]

    def _load(self, name: str) -> EdgeCollection:
        place = self._place(name)
        try:
            return EdgeCollection.load(place)
        except BaseException as error:
            if not is_damage(error):
                raise
            raise StoreUnavailable(
                f"The collection in {place} is damaged ({error}):"
                " put a copy of it back, or remove that folder and run `make ingest`."
            ) from error

    def _place(self, name: str) -> Path:
        return self._path / "collections" / _plain(name)


def _plain(name: str) -> str:
    """A name that is safe as a part of a path. Raises StoreUnavailable for another."""
    if not _is_plain(name):
        raise StoreUnavailable(f"{name!r} can't name an index or a collection.")
    return name


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"\w[\w.-]*", name) is not None

"""The stores for tests: one of each kind, opened for one test, and values to put into them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from qdrant_client import AsyncQdrantClient

from app.adapters.edge_store import EdgeStore
from app.adapters.qdrant_store import QdrantStore, connect
from app.core.model import EmbeddedPassage, Passage, Scope
from app.core.records import AbsentDocument, DocumentRecord, IndexSpec, Lease, StateRecord
from app.ports import VectorStore
from tests.qdrant_http import http_server, local_mode

SERVER_IMAGE = "qdrant/qdrant:v1.19.1"
"""The same as in docker-compose.yml."""

LOCAL_MODE = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
"""Local mode warns that it does without what only a server has."""

DIMENSION = 4
EVERYONE = Scope()


@contextmanager
def store_folder() -> Iterator[Path]:
    """A folder for an embedded store: in memory where there is room, as syncing a disk makes up most of its time."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2**30
    with tempfile.TemporaryDirectory(prefix="vouch-store-", dir=memory if roomy else None) as folder:
        yield Path(folder)


@asynccontextmanager
async def edge_store(path: Path, index_name: str = "vouch") -> AsyncIterator[EdgeStore]:
    store = EdgeStore(path, index_name)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def memory_store(index_name: str = "vouch") -> AsyncIterator[QdrantStore]:
    """qdrant-client's local mode: the same adapter, without a server. Mark its tests with LOCAL_MODE."""
    store = QdrantStore(AsyncQdrantClient(":memory:"), index_name)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def http_store(index_name: str = "vouch") -> AsyncIterator[QdrantStore]:
    """Local mode behind a loopback server: what the adapter sends goes over a wire. Mark its tests with LOCAL_MODE."""
    async with http_server(local_mode()) as server:
        store = QdrantStore(connect(server.url, api_key=None), index_name)
        try:
            yield store
        finally:
            await store.close()


@asynccontextmanager
async def server_store(url: str, index_name: str) -> AsyncIterator[QdrantStore]:
    """On a real server; removes the collections whose names begin with `index_name`."""
    store = QdrantStore(connect(url, api_key=None), index_name)
    try:
        yield store
    finally:
        await store.close()
        await _remove_collections(url, index_name)


async def _remove_collections(url: str, prefix: str) -> None:
    client = connect(url, api_key=None)
    for collection in (await client.get_collections()).collections:
        if collection.name.startswith(prefix):
            await client.delete_collection(collection.name)
    await client.close()


NO_SERVER = "no Qdrant server: QDRANT_TEST_URL is not set and Docker does not answer"


@functools.cache
def server_is_there() -> bool:
    return bool(os.environ.get("QDRANT_TEST_URL")) or _docker_answers()


@contextmanager
def real_server() -> Iterator[str]:
    """The URL of a real Qdrant server: QDRANT_TEST_URL, else a container's."""
    if url := os.environ.get("QDRANT_TEST_URL"):
        yield url
        return
    from testcontainers.community.qdrant import QdrantContainer

    with QdrantContainer(SERVER_IMAGE) as container:
        yield f"http://{container.rest_host_address}"


def _docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "version"], capture_output=True, timeout=20, check=False)
    return asked.returncode == 0


def open_store(kind: str, index_name: str, path: Path, url: str | None) -> AbstractAsyncContextManager[VectorStore]:
    match kind:
        case "edge":
            return edge_store(path, index_name)
        case "memory":
            return memory_store(index_name)
        case "http":
            return http_store(index_name)
        case _:
            assert url is not None
            return server_store(url, index_name)


def spec(collection: str, dimension: int = DIMENSION) -> IndexSpec:
    return IndexSpec(collection, f"fingerprint of {collection}", "bundled", dimension)


def passage(
    document_id: str, position: int = 0, *, content_hash: str | None = None, text: str = "text", **fields: object
) -> Passage:
    values = {
        "passage_id": str(uuid5(NAMESPACE_URL, f"{document_id} {position}")),
        "document_id": document_id,
        "content_hash": content_hash or f"hash of {document_id} {position}",
        "position": position,
        "title": f"Title of {document_id}",
        "text": text,
        **fields,
    }
    return Passage(**values)


def embedded(passage: Passage, vector: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> EmbeddedPassage:
    return EmbeddedPassage(passage, list(vector))


def document(document_id: str, **fields: object) -> DocumentRecord:
    values = {
        "document_id": document_id,
        "origin": "folder",
        "byte_hash": f"bytes of {document_id}",
        "index_digest": f"digest of {document_id}",
        "title": f"Title of {document_id}",
        "passages": 1,
        **fields,
    }
    return DocumentRecord(**values)


def absent(document_id: str, **fields: object) -> AbsentDocument:
    return AbsentDocument(**{"document_id": document_id, "origin": "folder", "failure": "it is empty", **fields})


def lease(token: str, **fields: object) -> Lease:
    since, until = "2026-11-29T10:00:00+00:00", "2026-11-29T10:01:00+00:00"
    return Lease(**{"token": token, "host": "here", "pid": 1, "since": since, "until": until, **fields})


def state(collection: str, **fields: object) -> StateRecord:
    values = {
        "collection": collection,
        "fingerprint": f"fingerprint of {collection}",
        "embedding_model": "bundled",
        "dimension": DIMENSION,
        "state": "ready",
        "revision": "0" * 16,
        "generation": 1,
        **fields,
    }
    return StateRecord(**values)

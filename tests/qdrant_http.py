"""Qdrant's HTTP face without Qdrant: a loopback server whose replies a function gives.

`local_mode` is such a function: it answers the routes that our adapter uses from qdrant-client's local mode, in the
words of a real server. So the adapter's requests go over a wire and through the client's own encoding in every run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from pydantic_core import to_json, to_jsonable_python
from qdrant_client import AsyncQdrantClient, models

Reply = tuple[int, bytes]
Respond = Callable[[str, str, bytes], Awaitable[Reply]]
"""From method, path and body to status and body."""


class HttpServer:
    """Counts what it is asked; a closed one has no connections left."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._tasks: set[asyncio.Task[None]] = set()
        self.requests: list[str] = []
        self.connections = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                await self._answer_one(reader, writer)
        self._tasks.discard(task)
        writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        start, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        lengths = [int(line.split(":")[1]) for line in headers if line.lower().startswith("content-length:")]
        body = await reader.readexactly(lengths[0] if lengths else 0)
        method, target, _ = start.split()
        path = target.partition("?")[0]
        self.requests.append(f"{method} {path}")
        status, content = await self._respond(method, path, body)
        head = f"HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks)


@asynccontextmanager
async def http_server(respond: Respond) -> AsyncIterator[HttpServer]:
    server = HttpServer(respond)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        await server.close()


def local_mode() -> Respond:
    client = AsyncQdrantClient(":memory:")

    async def respond(method: str, path: str, body: bytes) -> Reply:
        for route, pattern, handle in _ROUTES:
            if route == method and (match := re.fullmatch(pattern, path)):
                try:
                    result = await handle(client, *match.groups(), body)
                except (ValueError, KeyError) as error:
                    return _refusal(error)
                return 200, to_json({"result": to_jsonable_python(result), "status": "ok", "time": 0})
        return 404, b""

    return respond


def _refusal(error: Exception) -> Reply:
    missing = re.search(r"Collection (\S+) not found", str(error))
    message = f"Not found: Collection `{missing[1]}` doesn't exist!" if missing else f"Wrong input: {error}"
    return (404 if missing else 400), to_json({"status": {"error": message}, "time": 0})


async def _exists(client: AsyncQdrantClient, name: str, _: bytes) -> Any:
    return {"exists": await client.collection_exists(name)}


async def _collections(client: AsyncQdrantClient, _: bytes) -> Any:
    return await client.get_collections()


async def _drop(client: AsyncQdrantClient, name: str, _: bytes) -> Any:
    return await client.delete_collection(name)


async def _info(client: AsyncQdrantClient, name: str, _: bytes) -> Any:
    return await client.get_collection(name)


async def _create(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.CreateCollection.model_validate_json(body)
    return await client.create_collection(name, asked.vectors, asked.sparse_vectors)


async def _index(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    index = models.CreateFieldIndex.model_validate_json(body)
    return await client.create_payload_index(name, index.field_name, index.field_schema)


async def _aliases(client: AsyncQdrantClient, body: bytes) -> Any:
    return await client.update_collection_aliases(models.ChangeAliasesOperation.model_validate_json(body).actions)


async def _retrieve(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.PointRequest.model_validate_json(body)
    return await client.retrieve(name, asked.ids, asked.with_payload, asked.with_vector or False)


async def _upsert(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.PointsList.model_validate_json(body)
    return await client.upsert(name, asked.points, update_filter=asked.update_filter, update_mode=asked.update_mode)


async def _queries(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    return await client.query_batch_points(name, models.QueryRequestBatch.model_validate_json(body).searches)


async def _count(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.CountRequest.model_validate_json(body)
    return await client.count(name, asked.filter, exact=asked.exact)


async def _facet(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.FacetRequest.model_validate_json(body)
    return await client.facet(name, asked.key, asked.filter, asked.limit or 10, asked.exact or False)


async def _scroll(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    asked = models.ScrollRequest.model_validate_json(body)
    points, offset = await client.scroll(
        name,
        asked.filter,
        limit=asked.limit,
        offset=asked.offset,
        with_payload=asked.with_payload,
        with_vectors=asked.with_vector or False,
    )
    return {"points": points, "next_page_offset": offset}


async def _batch(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    return await client.batch_update_points(name, models.UpdateOperations.model_validate_json(body).operations)


async def _delete(client: AsyncQdrantClient, name: str, body: bytes) -> Any:
    return await client.delete(name, models.PointIdsList.model_validate_json(body))


_ROUTES: list[tuple[str, str, Callable[..., Awaitable[Any]]]] = [
    ("GET", "/collections", _collections),
    ("GET", "/collections/([^/]+)/exists", _exists),
    ("GET", "/collections/([^/]+)", _info),
    ("PUT", "/collections/([^/]+)", _create),
    ("DELETE", "/collections/([^/]+)", _drop),
    ("PUT", "/collections/([^/]+)/index", _index),
    ("POST", "/collections/aliases", _aliases),
    ("POST", "/collections/([^/]+)/points", _retrieve),
    ("PUT", "/collections/([^/]+)/points", _upsert),
    ("POST", "/collections/([^/]+)/points/query/batch", _queries),
    ("POST", "/collections/([^/]+)/points/count", _count),
    ("POST", "/collections/([^/]+)/facet", _facet),
    ("POST", "/collections/([^/]+)/points/scroll", _scroll),
    ("POST", "/collections/([^/]+)/points/batch", _batch),
    ("POST", "/collections/([^/]+)/points/delete", _delete),
]

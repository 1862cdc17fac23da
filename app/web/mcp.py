"""/mcp: the service as tools and resources for agents, over MCP's streamable HTTP."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any, Protocol

from litestar import asgi
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.exceptions import MethodNotAllowedException
from litestar.types import Receive, Scope, Send

from app.web.mcp_body import legible


class _Sessions(Protocol):
    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None: ...


class Agents:
    """Runs the sessions of the MCP SDK, which is loaded with the first request: that takes a second.

    Its task group has to be entered and left by one task, and no request lives that long.
    """

    def __init__(self, version: str) -> None:
        self._version = version
        self._task: asyncio.Task[None] | None = None
        self._sessions: asyncio.Future[_Sessions] | None = None

    async def sessions(self) -> _Sessions:
        if self._sessions is None:
            self._sessions = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(self._sessions))
        return await asyncio.shield(self._sessions)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self, started: asyncio.Future[_Sessions]) -> None:
        try:
            sessions = (await asyncio.to_thread(_load)).sessions(self._version)
            async with sessions.run():
                started.set_result(sessions)
                await asyncio.Event().wait()
        except Exception as exc:
            self._sessions = None  # the next request tries again
            if not started.done():
                started.set_exception(exc)
        finally:
            started.cancel()  # so that nobody waits for what was stopped; no effect once it is there


def _load() -> ModuleType:
    from app.web import mcp_server

    return mcp_server


@asgi("/mcp", copy_scope=True)
async def serve_mcp(scope: Scope, receive: Receive, send: Send) -> None:
    """Every request stands alone, so there is no session to listen to or to end: only POST has a meaning."""
    if scope.get("method") != "POST":
        raise MethodNotAllowedException(headers={"Allow": "POST"})
    connection: ASGIConnection[Any, Any, Any, State] = ASGIConnection(scope)
    agents: Agents = connection.app.state.agents
    await (await agents.sessions()).handle_request(scope, await legible(receive), send)

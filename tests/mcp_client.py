"""The official MCP client, as an agent of a running service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

from tests.service import Service


@asynccontextmanager
async def session(address: object) -> AsyncIterator[ClientSession]:
    """A session with the service at this address, as an agent opens one."""
    async with (
        httpx.AsyncClient(trust_env=False, timeout=30) as http,
        streamable_http_client(f"{address}/mcp", http_client=http) as (reading, writing, _),
        ClientSession(reading, writing) as opened,
    ):
        await opened.initialize()
        yield opened


async def call(service: Service, tool: str, **arguments: Any) -> types.CallToolResult:
    async with session(service.http.base_url) as agent:
        return await agent.call_tool(tool, arguments)


def text_of(result: types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from app import server
from app.errors import SettingsError
from tests import processes


def test_accepted_connections_send_without_delay() -> None:
    with server._listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_taken_port_is_named() -> None:
    with server._listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(SettingsError, match=f"PORT={port}"):
            server._listen("127.0.0.1", port)


async def test_head_is_get_without_the_body(tmp_path: Path) -> None:
    async with processes.served(tmp_path) as (_, address), httpx.AsyncClient(base_url=address) as http:
        for path, status in [("/", 200), ("/health/live", 200), ("/health/ready", 503), ("/nowhere", 404)]:
            head, whole = await http.head(path), await http.get(path)
            assert (head.status_code, head.content) == (status, b"")
            assert head.headers["content-type"] == whole.headers["content-type"]
        assert (await http.head("/v1/answers")).status_code == 405

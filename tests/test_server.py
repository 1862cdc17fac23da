from __future__ import annotations

import socket

import pytest

from app import server
from app.errors import SettingsError


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

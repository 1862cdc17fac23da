"""A Redis that a bench may kill."""

from __future__ import annotations

import socket
import subprocess


class Redis:
    """A redis-server on a port of its own, to be killed and started anew."""

    def __init__(self, folder: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._folder = folder
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        command = [
            "redis-server",
            "--port",
            str(self._port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            self._folder,
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

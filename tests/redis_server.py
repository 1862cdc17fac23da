"""A real redis-server process that a test may stop, freeze, wake or kill."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest


class RedisServer:
    """One redis-server on a free port of loopback, without persistence."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    @property
    def runs(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen([*command, "--dir", str(self._folder)], stdout=subprocess.DEVNULL)
        _wait_for(self.port)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)


def require_redis() -> None:
    """Skip without the program; fail where it was promised (REQUIRE_REDIS=1, set by CI)."""
    if shutil.which("redis-server") is None:
        if os.environ.get("REQUIRE_REDIS") == "1":
            pytest.fail("redis-server is missing, and REQUIRE_REDIS=1 says that it must not be")
        pytest.skip("redis-server is not installed")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)

"""Several processes that answer on one socket: WORKERS of them, each replaced when it ends.

The kernel hands each connection to one of them. What they must know of each other stands in Redis (answers, evidence,
limits), and what they count in files of a folder that `/metrics` adds up.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import PIPE, Process

from prometheus_client import multiprocess

from app import logs, server
from app.errors import SettingsError, VouchError
from app.logs import log
from app.metrics import FOLDER_VARIABLE
from app.settings import Settings

_BAD_START = 2
_READY = "ready"
_PAUSE_S = 1.0
"""Before a worker that crashed is replaced: one that crashes at once is not to keep the machine busy."""


async def serve(settings: Settings) -> None:
    """Serve with `settings.workers` processes until SIGINT or SIGTERM. Raises SettingsError when they can't start."""
    with server.listen(settings) as listening, tempfile.TemporaryDirectory(prefix="vouch-metrics-") as folder:
        await _Supervisor(settings, listening, folder).run()


class _Supervisor:
    def __init__(self, settings: Settings, listening: socket.socket, folder: str) -> None:
        self._settings = settings
        self._listening = listening
        self._folder = folder
        self._running: set[Process] = set()
        self._stopping = False
        self._welcomed = False

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(signal.SIGHUP, self._send, signal.SIGHUP)
        places = [asyncio.create_task(self._keep_one()) for _ in range(self._settings.workers)]
        try:
            await asyncio.gather(*places)
        except VouchError:
            self._stop()
            await asyncio.gather(*places, return_exceptions=True)
            raise

    async def _keep_one(self) -> None:
        while not self._stopping:
            worker = await self._start()
            code = await worker.wait()
            self._running.discard(worker)
            multiprocess.mark_process_dead(worker.pid, self._folder)  # type: ignore[no-untyped-call]
            if code == _BAD_START and not self._stopping:
                raise SettingsError("A worker can't start: what it says above names the fix.")
            if not self._stopping:
                log.warning("worker.replaced", pid=worker.pid, exit_code=code)
                await asyncio.sleep(_PAUSE_S if code else 0)

    async def _start(self) -> Process:
        """A worker, once it is ready or has ended. It lives no longer than this process, which holds its input."""
        inherited = self._listening.fileno()
        worker = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "app.workers", str(inherited)),
            env={**os.environ, FOLDER_VARIABLE: self._folder},
            pass_fds=[inherited],
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,  # Ctrl-C is for this process, which passes it on
        )
        self._running.add(worker)
        if self._stopping:
            worker.terminate()
        assert worker.stdout is not None
        if await worker.stdout.readline() and not self._welcomed:
            self._welcomed = True
            server.welcome(self._settings, self._listening)
        return worker

    def _stop(self) -> None:
        self._stopping = True
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        for worker in self._running:
            if worker.returncode is None:
                worker.send_signal(number)


def _work(inherited: int) -> int:
    """One worker, on a socket that listens already. Returns its exit code."""
    logs.configure()
    try:
        with socket.socket(fileno=inherited) as listening:
            asyncio.run(server.serve_on(listening, Settings.load(), _say_ready, parent=sys.stdin.fileno()))
    except VouchError as exc:
        print(exc, file=sys.stderr)
        return _BAD_START
    return 0


def _say_ready() -> None:
    print(_READY, flush=True)


if __name__ == "__main__":
    sys.exit(_work(int(sys.argv[1])))

"""Runs the service under uvicorn, and stops it so that every accepted request still ends in a verdict."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from litestar import Litestar
from msgspec import structs

from app.errors import SettingsError
from app.main import Opened, create_app, open_services
from app.settings import Settings

_BACKLOG = 2048
_STOP_SLACK_S = 3.0
"""Beyond the answers' own time to finish: for their last events to be sent."""


async def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises SettingsError and StoreError when it can't start."""
    listening = _listen(settings.host, settings.port)
    settings = structs.replace(settings, port=listening.getsockname()[1])
    async with open_services(settings) as opened:

        @asynccontextmanager
        async def already_open(_: Settings) -> AsyncIterator[Opened]:
            yield opened

        app = create_app(settings, already_open)
        await _Server(app, opened, settings).serve([listening])


class _Server(uvicorn.Server):
    def __init__(self, app: Litestar, opened: Opened, settings: Settings) -> None:
        self._deadlines = opened.services.deadlines
        self._keys = opened.keys
        self._settings = settings
        patience = int(self._deadlines.stop_s + _STOP_SLACK_S)
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                ws="none",
                timeout_graceful_shutdown=patience,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own version ends by raising the signal anew, which would skip the closing of the store."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number)
        if self._keys is not None:
            loop.add_signal_handler(signal.SIGHUP, self._keys.reload)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(_welcome(self._settings), flush=True)

    def _stop(self, number: int) -> None:
        self._deadlines.stop()
        self.handle_exit(number, None)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # Accepted connections inherit it. asyncio sets it only on sockets made with an explicit TCP protocol number,
        # and without it each reply waits 40 ms for the caller's delayed acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as exc:
        raise SettingsError(
            f"Can't listen on HOST={host} PORT={port} ({exc.strerror}): stop what uses it, or set another PORT."
        ) from exc


def _welcome(settings: Settings) -> str:
    body = '{"question": "How many days of annual leave do I get?"}'
    return f"""
Vouch answers on {settings.address}. Open it in a browser, or in another terminal:

  make ask Q="How many days of annual leave do I get?"
  curl -N -H 'Accept: text/event-stream' -d '{body}' {settings.address}/v1/answers

Your own documents: CORPUS=path/to/folder make run. Stop with Ctrl-C."""

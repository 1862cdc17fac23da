"""Runs the service under uvicorn, and stops it so that every accepted request still ends in a verdict."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp, Receive, Send
from msgspec import structs

from app.errors import SettingsError
from app.logs import log
from app.main import Opened, create_app, open_services
from app.settings import Settings

_BACKLOG = 2048
_STOP_SLACK_S = 3.0
"""Beyond the answers' own time to finish: for their last events to be sent."""
_KEEP_ALIVE_S = 75
"""Longer than clients and proxies (mostly 60 s) keep a connection at rest: who closes first may cut off a request."""
_LINGER_S = 0.25
"""How long a stopping service listens to connections that it has just accepted and that said nothing yet."""


async def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises SettingsError and StoreError when it can't start."""
    with listen(settings) as listening:
        await serve_on(listening, settings, lambda: welcome(settings, listening))


async def serve_on(
    listening: socket.socket, settings: Settings, on_start: Callable[[], None], parent: int | None = None
) -> None:
    """Serve on this socket until SIGINT, SIGTERM, or the end of the file `parent`. Raises as `serve`."""
    settings = _with_port(settings, listening)
    async with open_services(settings) as opened:

        @asynccontextmanager
        async def already_open(_: Settings) -> AsyncIterator[Opened]:
            yield opened

        server = _Server(create_app(settings, already_open), opened, settings, on_start)
        if parent is not None:
            asyncio.get_running_loop().add_reader(parent, server.stop, parent)
        await server.serve([listening])


def head_as_get(app: ASGIApp) -> ASGIApp:
    """HEAD is GET without the body (RFC 9110, 9.3.2), which uvicorn leaves out; balancers look that way."""

    async def ask(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = dict(scope, method="GET")
        await app(scope, receive, send)

    return ask


class _Server(uvicorn.Server):
    def __init__(self, app: Litestar, opened: Opened, settings: Settings, on_start: Callable[[], None]) -> None:
        self._deadlines = opened.services.deadlines
        self._keys = opened.keys
        self._settings = settings
        self._on_start = on_start
        patience = int(self._deadlines.stop_s + _STOP_SLACK_S)
        super().__init__(
            uvicorn.Config(
                head_as_get(app),
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                ws="none",
                timeout_graceful_shutdown=patience,
                timeout_keep_alive=_KEEP_ALIVE_S,
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
            if self._settings.allow_anonymous:
                log.warning("start.anonymous", meaning="whoever reaches HOST and PORT may ask, with no key")
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await asyncio.sleep(_LINGER_S)
        await super().shutdown(sockets)

    def stop(self, parent: int) -> None:
        """The process that started this one is gone."""
        asyncio.get_running_loop().remove_reader(parent)
        self._stop(signal.SIGTERM)

    def _stop(self, number: int) -> None:
        self._deadlines.stop()
        self.handle_exit(number, None)


def listen(settings: Settings) -> socket.socket:
    """A socket that listens where the settings say. Raises SettingsError."""
    return _listen(settings.host, settings.port)


def welcome(settings: Settings, listening: socket.socket) -> None:
    """Say where the service answers."""
    print(_welcome(_with_port(settings, listening)), flush=True)


def _with_port(settings: Settings, listening: socket.socket) -> Settings:
    return structs.replace(settings, port=listening.getsockname()[1])


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

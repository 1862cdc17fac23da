"""`python -m bench.bare`: a Litestar route that does nothing, as the yardstick of bench.service."""

from __future__ import annotations

import socket
from functools import cache

import uvicorn
from litestar import Litestar, Response, post


@post("/{size:int}", status_code=200)
async def constant(size: int) -> Response[bytes]:
    """`size` bytes, always the same."""
    return Response(_body(size), media_type="application/json")


@cache
def _body(size: int) -> bytes:
    return b'"' + b"x" * (size - 2) + b'"'


def main() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(f"Vouch answers on http://127.0.0.1:{listening.getsockname()[1]}.", flush=True)
        app = Litestar([constant], openapi_config=None, logging_config=None)
        uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none")).run([listening])


if __name__ == "__main__":
    main()

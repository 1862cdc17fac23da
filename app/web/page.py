"""The web page at `/` and its files. They stand in `static`, and the browser may load nothing from anywhere else."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from msgspec import Struct

from app.services import Services
from app.web.access import OPEN_TO_ALL

FOLDER = Path(__file__).parent / "static"
_MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _File(Struct, frozen=True):
    content: bytes
    media_type: str
    etag: str


@get(["/", "/static/{name:str}"], include_in_schema=False, opt=OPEN_TO_ALL)
async def get_page(request: Request[Any, Any, State], name: FromPath[str] = "index.html") -> Response[bytes]:
    """The page, or one of its files; 304 when the browser has it already."""
    file = _files().get(name)
    if file is None:
        raise NotFoundException("The page has no such file.")
    services: Services = request.app.state.services
    policy = content_security_policy(services.policy.image_hosts)
    headers = {**HEADERS, "Content-Security-Policy": policy, "ETag": file.etag}
    if request.headers.get("if-none-match") == file.etag:
        return Response(b"", status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)


def content_security_policy(image_hosts: Collection[str]) -> str:
    """What the browser lets the page do: its own files, its own service, and images of the hosts named in IMAGE_HOSTS.

    With trusted types required and none allowed, no script can turn text into markup, whatever it tries.
    """
    images = " ".join(["'self'", *(f"{host}:*" for host in sorted(image_hosts))])
    directives = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        f"img-src {images}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return "; ".join(directives)


def content_of(name: str) -> bytes:
    """A file that comes with the program. Raises KeyError."""
    return _files()[name].content


@cache
def _files() -> dict[str, _File]:
    """Every file that is served, by its name. They come with the program, so they are read once."""
    found = sorted(path for path in FOLDER.iterdir() if path.suffix in _MEDIA_TYPES)
    return {path.name: _read(path) for path in found}


def _read(path: Path) -> _File:
    content = path.read_bytes()
    return _File(content, _MEDIA_TYPES[path.suffix], f'"{sha256(content).hexdigest()[:20]}"')

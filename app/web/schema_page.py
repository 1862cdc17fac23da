"""The page at `/schema`: the OpenAPI document for people. Nothing of it comes from elsewhere."""

from __future__ import annotations

from typing import Any

from litestar import Request, Router
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.response import Redirect

from app.web import page
from app.web.access import KEY_HEADER, OPEN_TO_ALL, TOKEN_HEADER

PATH = "/schema"
_HEADERS = {**page.HEADERS, "Content-Security-Policy": page.content_security_policy(())}
_WITH_FILE = "A key of API_KEYS_FILE; not needed where the service runs without one."
_SCHEMES = {
    "admin": SecurityScheme(
        type="apiKey",
        name=TOKEN_HEADER,
        security_scheme_in="header",
        description="The token of this run, which stands in owner.json in QDRANT_PATH, or the key of an admin.",
    ),
    "bearer_key": SecurityScheme(type="http", scheme="bearer", description=_WITH_FILE),
    "header_key": SecurityScheme(type="apiKey", name=KEY_HEADER, security_scheme_in="header", description=_WITH_FILE),
}


def config(version: str) -> OpenAPIConfig:
    """The OpenAPI document, with the page at `/schema` and the JSON at `/schema/openapi.json`."""
    return OpenAPIConfig(
        "Vouch",
        version,
        use_handler_docstrings=True,
        components=Components(security_schemes={**_SCHEMES}),
        security=[{}, {"bearer_key": []}, {"header_key": []}],
        render_plugins=[_Page(path="/"), JsonRenderPlugin()],
        openapi_router=Router(
            PATH,
            route_handlers=[],
            include_in_schema=False,
            opt=OPEN_TO_ALL,
            response_headers=_HEADERS,
            before_request=_only_what_is_there,
        ),
    )


class _Page(OpenAPIRenderPlugin):
    """The file alone: it fetches the document itself."""

    def render(self, request: Request[Any, Any, State], openapi_schema: dict[str, Any]) -> bytes:
        return page.content_of("schema.html")


def _only_what_is_there(request: Request[Any, Any, State]) -> Redirect | None:
    """Litestar answers any other path below its own with a page of HTML, where all else here says problem+json.

    The page's own addresses are relative, so that it may stand below a path of a proxy: they need its exact one.
    """
    if request.scope["raw_path"].endswith(b"/"):
        return Redirect("../schema")
    if "path" in request.path_params:
        raise NotFoundException("There are /schema and /schema/openapi.json.")
    return None

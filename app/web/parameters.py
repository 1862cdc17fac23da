"""The parameters of a query string, as strict as the fields of a body."""

from __future__ import annotations

from litestar.handlers import BaseRouteHandler

from app.web.access import Connection
from app.web.problems import BAD_REQUEST, Problem

_NO_PARAMETER = {"request"}


async def only_known_parameters(connection: Connection, handler: BaseRouteHandler) -> None:
    """Guard: one that is misspelt must not be passed over, as it may be the one that narrows a search or an access.

    Raises Problem, which names it and those that there are.
    """
    known = [name for name in handler.parsed_fn_signature.parameters if name not in _NO_PARAMETER]
    known = [name for name in known if name not in connection.path_params]
    if unknown := sorted(connection.query_params.keys() - set(known)):
        there_are = f"there are {', '.join(known)}" if known else "there is none"
        raise Problem(BAD_REQUEST, f"Unknown parameter {unknown[0]}: {there_are}.")

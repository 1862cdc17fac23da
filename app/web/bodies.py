"""Bodies of JSON, as strict as the schema that describes them."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request
from litestar.datastructures import State
from litestar.exceptions import ValidationException
from msgspec import Struct


async def check_types(request: Request[Any, Any, State], kind: type[Struct]) -> None:
    """That the body is of this kind as it stands: the framework lets "8" pass for 8, and 1 for true.

    Raises ValidationException.
    """
    try:
        msgspec.json.decode(await request.body(), type=kind)
    except msgspec.ValidationError as exc:
        message, _, path = str(exc).partition(" - at `$.")
        raise ValidationException(extra=[{"message": message, "key": path.rstrip("`") or "data"}]) from exc

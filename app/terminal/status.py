"""`python -m app status`: is the service ready, and what does its index hold?"""

from __future__ import annotations

import json
from typing import Any

from app.terminal.client import Client
from app.terminal.output import show

READY, NOT_READY = 0, 1


def status(client: Client, *, as_json: bool = False) -> int:
    """Returns 0 when questions can be answered, 1 when not; raises CannotAsk."""
    health = json.loads(client.get("/health/ready", accept=(200, 503)))
    index = json.loads(client.get("/v1/index")) if health["dependencies"]["index"]["ok"] else None
    if as_json:
        print(json.dumps({"address": client.address, **health, "index": index}))
    else:
        _show(client.address, health, index)
    return READY if health["ready"] else NOT_READY


def _show(address: str, health: dict[str, Any], index: dict[str, Any] | None) -> None:
    ready = health["ready"]
    show(f"{address} is {'ready' if ready else 'not ready'}", "green" if ready else "red")
    for name, dependency in health["dependencies"].items():
        show(f"  {name:9} {dependency['detail']}", None if dependency["ok"] else "yellow")
    if index is not None:
        counts = f"{index['documents']} documents, {index['passages']} passages"
        show(f"  {'holds':9} {counts}, updated {index['updated_at']}, model {index['embedding_model']}")

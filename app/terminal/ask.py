"""`python -m app ask`: a question, its answer as it streams, the sources it cites."""

from __future__ import annotations

from typing import Any

import msgspec

from app.core import gate
from app.core.model import Reply, Source, Status
from app.core.titles import section
from app.terminal.client import Client
from app.terminal.output import STYLES, place, show, spoken

EXIT_CODES = {Status.ANSWERED: 0, Status.UNGROUNDED: 3, Status.REFUSED: 4, Status.FAILED: 5}


def ask(client: Client, question: str, options: dict[str, Any], *, as_json: bool = False) -> int:
    """Returns the verdict's exit code; raises CannotAsk. `options` are fields of the request."""
    body = {"question": question, **options}
    with client.events("/v1/answers", body) as events:
        for event in events.iter_sse():
            if event.event == "delta" and not as_json:
                show(event.json()["text"], end="")
            elif event.event == "done":
                reply = msgspec.json.decode(event.data, type=Reply)
                if as_json:
                    print(event.data)
                else:
                    _end(reply)
                return EXIT_CODES[reply.status]
    raise client.broke_off()


def _end(reply: Reply) -> None:
    if reply.answer is not None:
        show("\n")
    for source in reply.sources:
        if source.number in reply.cited:
            show(_line(source), "cyan")
    if reply.dropped:
        show(f"{_invented(len(reply.dropped))} removed.", "dim", error=True)
    if reply.status is not Status.ANSWERED:
        refused = reply.relevance if reply.status is Status.REFUSED else None
        message = f"{reply.status.capitalize()}: {reply.message}{gate.told(refused)}"
        show(message, STYLES[reply.status], error=True)
        for line in spoken(refused):
            show(line, "dim", error=True)
    elif reply.cached:
        show(f"(from the cache, revision {reply.revision})", "dim")


def _line(source: Source) -> str:
    where = place(source.title, section(source), source.page, source.document_id, source.pages)
    return f"  [{source.number}] {where}"


def _invented(count: int) -> str:
    return "1 invented citation was" if count == 1 else f"{count} invented citations were"

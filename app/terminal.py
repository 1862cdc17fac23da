"""Asking the running service from a terminal."""

from __future__ import annotations

import sys
import unicodedata

import httpx
import msgspec
from httpx_sse import connect_sse

from app.core.model import Reply, Source, Status
from app.errors import VouchError

EXIT_CODES = {Status.ANSWERED: 0, Status.UNGROUNDED: 3, Status.REFUSED: 4, Status.FAILED: 5}
_SILENCE_S = 60.0  # the service sends a comment line every 15 s


class CannotAsk(VouchError):
    """The service is not there, or does not take the question."""


def ask(address: str, question: str) -> int:
    """Print the answer as it streams, then its sources. Returns the verdict's exit code; raises CannotAsk."""
    headers = {"Accept": "text/event-stream"}
    try:
        with (
            httpx.Client(trust_env=False, timeout=httpx.Timeout(_SILENCE_S, connect=5)) as client,
            connect_sse(
                client, "POST", f"{address}/v1/answers", json={"question": question}, headers=headers
            ) as events,
        ):
            _check(events.response)
            for event in events.iter_sse():
                if event.event == "delta":
                    print(_harmless(event.json()["text"]), end="", flush=True)
                elif event.event == "done":
                    return _end(msgspec.json.decode(event.data, type=Reply))
    except httpx.ConnectError as exc:
        raise CannotAsk(f"Nothing answers at {address}: start the service with `make run`.") from exc
    except httpx.HTTPError as exc:
        raise CannotAsk(f"The service at {address} broke off ({type(exc).__name__}): ask again.") from exc
    raise CannotAsk(f"The service at {address} broke off: ask again.")


def _check(response: httpx.Response) -> None:
    if response.status_code != httpx.codes.OK:
        response.read()
        problem = response.json() if "json" in response.headers.get("content-type", "") else {}
        raise CannotAsk(f"{problem.get('title', 'The question was not taken')}. {problem.get('detail', '')}".strip())


def _end(reply: Reply) -> int:
    if reply.answer is not None:
        print("\n")
    cited = [source for source in reply.sources if source.number in reply.cited]
    for source in cited:
        print(_harmless(_line(source)))
    if reply.status is not Status.ANSWERED:
        print(f"{reply.status.capitalize()}: {reply.message}{_scores(reply)}", file=sys.stderr)
    elif reply.cached:
        print(f"(from the cache, revision {reply.revision})")
    return EXIT_CODES[reply.status]


def _line(source: Source) -> str:
    place = " > ".join([source.title or source.document_id, *(h for h in source.heading if h != source.title)])
    page = f", page {source.page}" if source.page is not None else ""
    return f"  [{source.number}] {place}{page} ({source.document_id})"


def _harmless(text: str) -> str:
    """Without the control characters by which a document or a model could drive the terminal."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf") else "\ufffd" for c in text)


def _scores(reply: Reply) -> str:
    seen = reply.relevance
    if reply.status is not Status.REFUSED or seen is None or seen.best is None:
        return ""
    return f" (best score {seen.best:.2f}, threshold {seen.threshold:.2f})"

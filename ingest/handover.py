"""Handing a job to the service that holds the embedded store."""

from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
from httpx_sse import ServerSentEvent, connect_sse
from msgspec import structs

from app.settings import Settings
from ingest.commands import Order, Outcome
from ingest.errors import JobFailed, JobRunning, RemovalsRefused
from ingest.progress import Progress, Report

_CONNECT_S = 5.0
_SILENCE_S = 60.0  # the service sends a comment line every 15 s
_ERRORS = {"removals_refused": RemovalsRefused, "job_running": JobRunning}
"""By the reason that `done` gives."""


def carry_out(address: str, token: str, order: Order, settings: Settings, report: Report) -> Outcome:
    """Have the service carry the order out; its progress is reported here.

    The service refuses when it would build another index than these settings name. A KeyboardInterrupt ends the report
    alone, and says so.

    Raises JobRunning while the service runs another job, RemovalsRefused as the job does, and JobFailed when the
    service can't be reached or the job fails.
    """
    body = {
        **structs.asdict(order),
        "corpus": str(Path(order.corpus).resolve()),
        "index_name": settings.index_name,
        "embedding_model": settings.embedding_model,
        "include": settings.include_patterns,
        "default_access": settings.default_groups,
        "max_document_mb": settings.max_document_mb,
    }
    headers = {"X-Vouch-Token": token}
    try:
        with (
            httpx.Client(trust_env=False, timeout=httpx.Timeout(_SILENCE_S, connect=_CONNECT_S)) as client,
            connect_sse(client, "POST", f"{address}/v1/index/sync", json=body, headers=headers) as events,
        ):
            _check(events.response)
            for event in events.iter_sse():
                if event.event == "done":
                    return _outcome(event, order)
                report(msgspec.json.decode(event.data, type=Progress))
    except KeyboardInterrupt as exc:
        raise KeyboardInterrupt(
            f"The job goes on in the service at {address}: run it again to see its outcome."
        ) from exc
    except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
        raise JobFailed(f"The service at {address} could not be asked ({exc}): is it stopping?") from exc
    except httpx.HTTPError as exc:
        raise JobFailed(_broke_off(address, f" ({exc})")) from exc
    raise JobFailed(_broke_off(address))


def _broke_off(address: str, how: str = "") -> str:
    return f"The service at {address} broke off{how}: run the command again to finish the job."


def _check(response: httpx.Response) -> None:
    if response.status_code == httpx.codes.OK:
        return
    response.read()
    problem = response.json() if "json" in response.headers.get("content-type", "") else {}
    said = f"{problem.get('title', 'The service refused the job')}. {problem.get('detail', '')}".strip()
    raise JobRunning(said) if problem.get("type") == "/problems/job-running" else JobFailed(said)


def _outcome(event: ServerSentEvent, order: Order) -> Outcome:
    data = msgspec.json.decode(event.data)
    if "error" in data:
        raise _ERRORS.get(data.get("reason"), JobFailed)(data["error"])
    return msgspec.convert(data, order.outcome)

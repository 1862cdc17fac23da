"""Signed notices: what they set off, and which are refused."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from app.core.signatures import sign
from app.settings import Settings
from app.web.notices import MAX_BYTES, MAX_GITHUB_BYTES
from tests.service import Service, ingest, running, settings_for, write_corpus

SECRET, OTHER = "secret-of-the-cms-0001", "secret-of-the-git-host-0002"
CHANGED = "# Leave\n\n## Annual leave\n\nEvery employee gets 31 days of annual leave a year.\n"
PARKING = "# Parking\n\nEvery employee may park a bicycle in the yard.\n"


@pytest.fixture
async def noticing(indexed: Settings, tmp_path: Path) -> AsyncIterator[Service]:
    async with running(settings_for(tmp_path, NOTICE_SECRETS=f"{SECRET}, {OTHER}")) as served:
        yield served


async def send(service: Service, body: bytes, signature: str | None = None, **headers: str) -> httpx.Response:
    signature = sign(SECRET, int(time.time()), body) if signature is None else signature
    return await service.http.post("/v1/notices", content=body, headers={"X-Vouch-Signature": signature, **headers})


async def tell(service: Service, *documents: str) -> dict[str, Any]:
    reply = await send(service, json.dumps({"documents": documents}).encode())
    assert reply.status_code == 202, reply.text
    return dict(reply.json())


async def tell_of_a_push(service: Service, event: str = "push", **payload: Any) -> httpx.Response:
    body = json.dumps(payload).encode()
    digest = hmac.new(OTHER.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature-256": f"sha256={digest}", "X-GitHub-Event": event, "Content-Type": "application/json"}
    return await service.http.post("/v1/notices", content=body, headers=headers)


async def titles(service: Service) -> dict[str, str]:
    reply = await service.http.get("/v1/index/documents")
    return {document["document_id"]: document["title"] for document in reply.json()["documents"]}


async def index(service: Service) -> dict[str, Any]:
    return dict((await service.http.get("/v1/index")).json())


async def until(service: Service, holds: Callable[[dict[str, str]], bool]) -> None:
    """Wait until this is true of the documents' titles, and the index is whole."""
    async with asyncio.timeout(20):
        while not (holds(await titles(service)) and (await index(service))["state"] == "ready"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_notice_syncs_just_the_documents_it_names(noticing: Service, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, {"leave.md": CHANGED.replace("# Leave", "# New leave"), "parking.md": PARKING})
    (corpus / "expenses.md").unlink()
    (corpus / "on-call.txt").write_text("Nobody said that this changed.\n")
    reply = await tell(noticing, "leave.md", "expenses.md", "never-there.md")
    assert reply == {"state": "queued", "documents": 2, "ignored": 1}
    await until(noticing, lambda now: now.get("leave.md") == "New leave")
    assert set(await titles(noticing)) == {"leave.md", "on-call.txt"}, "parking.md was not named"
    assert (await noticing.ask("Who answers a page of on-call?"))["sources"][0]["text"].startswith("The on-call")
    assert (await tell(noticing, "parking.md"))["documents"] == 1
    await until(noticing, lambda now: "parking.md" in now)


async def test_names_of_no_document_are_counted_and_lead_nowhere(noticing: Service, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(PARKING)
    before = await index(noticing)
    strange = ["../outside.md", str(tmp_path / "outside.md"), "corpus/leave.md", "leave.md/", "\u0000", "*"]
    assert await tell(noticing, *strange) == {"state": "ignored", "documents": 0, "ignored": len(strange)}
    assert await index(noticing) == before


async def test_a_file_that_rules_others_has_the_whole_folder_synced(noticing: Service, tmp_path: Path) -> None:
    (tmp_path / "corpus" / ".vouchignore").write_text("expenses.md\n")
    assert await tell(noticing, ".vouchignore") == {"state": "queued", "documents": 0, "ignored": 0}
    await until(noticing, lambda now: "expenses.md" not in now)
    assert set(await titles(noticing)) == {"leave.md", "on-call.txt"}


async def test_a_notice_meets_an_unfinished_index_with_the_whole_job(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    async with running(settings_for(tmp_path, NOTICE_SECRETS=SECRET)) as service:
        assert (await index(service))["state"] == "empty"
        await tell(service, "leave.md")
        await until(service, lambda now: len(now) == 3)


async def test_no_notice_is_lost_when_a_job_is_at_work(noticing: Service, tmp_path: Path) -> None:
    write_corpus(tmp_path, {"leave.md": CHANGED.replace("# Leave", "# New leave"), "parking.md": PARKING})
    jobs = noticing.app.state.jobs
    at_work = asyncio.Event()
    jobs._begin(at_work.wait())
    await tell(noticing, "leave.md")
    await tell(noticing, "parking.md")
    assert (await titles(noticing))["leave.md"] == "Leave"
    at_work.set()
    await until(noticing, lambda now: now.get("leave.md") == "New leave" and "parking.md" in now)


async def test_what_a_service_could_not_sync_before_it_stopped_is_synced_when_it_runs_again(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, NOTICE_SECRETS=SECRET)
    write_corpus(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        service.app.state.jobs._begin(asyncio.Event().wait())
        write_corpus(tmp_path, {"leave.md": CHANGED.replace("# Leave", "# New leave")})
        await tell(service, "leave.md")
    async with running(settings) as service:
        await until(service, lambda now: now["leave.md"] == "New leave")


async def test_an_unmounted_folder_removes_nothing(tmp_path: Path) -> None:
    write_corpus(tmp_path, {f"{number}.md": f"# Rule {number}\n\nNumber {number} it is.\n" for number in range(12)})
    settings = settings_for(tmp_path, NOTICE_SECRETS=SECRET)
    await ingest(settings)
    for number in range(11):
        (tmp_path / "corpus" / f"{number}.md").unlink()
    async with running(settings) as service:
        with structlog.testing.capture_logs() as logs:
            await tell(service, "1.md")
            async with asyncio.timeout(20):
                while not any(entry["event"] == "notice.not_synced" for entry in logs):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        assert len(await titles(service)) == 12


def _signed(body: bytes, secret: str = SECRET, age: int = 0) -> tuple[bytes, str]:
    return body, sign(secret, int(time.time()) - age, body)


NOTICE = b'{"documents": ["leave.md"]}'
REFUSED: dict[str, tuple[Callable[[], tuple[bytes, str]], int, str]] = {
    "unsigned": (lambda: (NOTICE, ""), 403, "bad-signature"),
    "wrong": (lambda: _signed(NOTICE, "another-secret-of-nobody"), 403, "bad-signature"),
    "changed": (lambda: (NOTICE.replace(b"leave", b"on"), _signed(NOTICE)[1]), 403, "bad-signature"),
    "old": (lambda: _signed(NOTICE, age=301), 403, "bad-signature"),
    "of the future": (lambda: _signed(NOTICE, age=-310), 403, "bad-signature"),
    "unsigned rubbish": (lambda: (b"\xff{", "t=1,v1=" + "0" * 64), 403, "bad-signature"),
    "too large": (lambda: _signed(b" " * MAX_BYTES + NOTICE), 413, "request-entity-too-large"),
    "no JSON": (lambda: _signed(b"leave.md"), 400, "bad-request"),
    "no UTF-8": (lambda: _signed(b'{"documents": ["\xff"]}'), 400, "bad-request"),
    "nested": (lambda: _signed(b'{"documents": ' + b"[" * 30_000), 400, "bad-request"),
    "no list": (lambda: _signed(b'{"documents": "leave.md"}'), 400, "bad-request"),
    "an empty name": (lambda: _signed(b'{"documents": [""]}'), 400, "bad-request"),
    "an unknown field": (lambda: _signed(b'{"documents": [], "also": 1}'), 400, "bad-request"),
    "nothing": (lambda: _signed(b""), 400, "bad-request"),
}


async def test_a_notice_is_refused_with_a_problem_and_its_body_is_not_logged(noticing: Service) -> None:
    before = await index(noticing)
    for name, (make, status, kind) in REFUSED.items():
        with structlog.testing.capture_logs() as logs:
            reply = await send(noticing, *make())
        assert (reply.status_code, reply.json()["type"]) == (status, f"/problems/{kind}"), name
        assert reply.headers["content-type"] == "application/problem+json"
        assert [entry["event"] for entry in logs if entry["event"].startswith("notice")] == ["notice.refused"], name
        for secret in ("leave", SECRET, OTHER, "v1="):
            assert secret not in json.dumps(logs, default=str), name
    assert await index(noticing) == before


async def test_a_notice_without_a_length_is_cut_off_where_it_grows_too_large(noticing: Service) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(MAX_BYTES // 1024 + 1):
            yield b" " * 1024

    headers = {"X-Vouch-Signature": sign(SECRET, int(time.time()), b"")}
    reply = await noticing.http.post("/v1/notices", content=endless(), headers=headers)
    assert reply.status_code == 413


async def test_a_notice_that_cannot_be_kept_is_not_taken(noticing: Service, tmp_path: Path) -> None:
    (tmp_path / "qdrant" / "notices-vouch.sqlite").mkdir()
    reply = await send(noticing, NOTICE)
    assert (reply.status_code, reply.json()["type"]) == (503, "/problems/notices-unavailable")
    assert "Retry-After" in reply.headers
    assert str(tmp_path) not in reply.text


async def test_without_secrets_no_notice_is_taken(service: Service) -> None:
    reply = await send(service, NOTICE)
    assert (reply.status_code, reply.json()["type"]) == (404, "/problems/no-notices")


async def test_a_push_on_github_syncs_what_its_commits_touched(noticing: Service, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, {"leave.md": CHANGED.replace("# Leave", "# New leave"), "parking.md": PARKING})
    (corpus / "expenses.md").unlink()
    commits = [
        {"id": "1", "added": ["parking.md"], "modified": ["README"], "removed": []},
        {"id": "2", "added": [], "modified": ["leave.md"], "removed": ["expenses.md"]},
    ]
    for documents in (3, 2):  # a repeat is harmless: it names one that is gone
        reply = await tell_of_a_push(noticing, ref="refs/heads/main", commits=commits, forced=False)
        assert (reply.status_code, reply.json()["documents"], reply.json()["ignored"]) == (
            202,
            documents,
            4 - documents,
        )
        await until(noticing, lambda now: set(now) == {"leave.md", "on-call.txt", "parking.md"})
    assert (await titles(noticing))["leave.md"] == "New leave"


async def test_paths_of_a_push_are_those_of_the_checkout_that_the_folder_is_in(
    noticing: Service, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    write_corpus(tmp_path, {"parking.md": PARKING})
    reply = await tell_of_a_push(noticing, commits=[{"added": ["corpus/parking.md", "leave.md"]}])
    assert reply.json() == {"state": "queued", "documents": 1, "ignored": 1}
    await until(noticing, lambda now: "parking.md" in now)


async def test_a_forced_push_has_the_whole_folder_synced(noticing: Service, tmp_path: Path) -> None:
    write_corpus(tmp_path, {"parking.md": PARKING})
    assert (await tell_of_a_push(noticing, commits=[], forced=True)).json()["state"] == "queued"
    await until(noticing, lambda now: "parking.md" in now)


async def test_other_events_of_github_ask_for_nothing_and_bad_ones_are_refused(noticing: Service) -> None:
    assert (await tell_of_a_push(noticing, "ping", zen="Hi.")).json()["state"] == "ignored"
    forged = {"X-Hub-Signature-256": "sha256=" + "0" * 64, "X-GitHub-Event": "push"}
    assert (await noticing.http.post("/v1/notices", content=b"{}", headers=forged)).status_code == 403
    large = b" " * (MAX_GITHUB_BYTES + 1)
    assert (await noticing.http.post("/v1/notices", content=large, headers=forged)).status_code == 413
    assert (await tell_of_a_push(noticing, pad=" " * MAX_BYTES, commits=[])).status_code == 202, "over 64 KiB is fine"
    body = b"payload=%7B%7D"
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    form = {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/x-www-form-urlencoded"}
    reply = await noticing.http.post("/v1/notices", content=body, headers=form)
    assert (reply.status_code, "application/json" in reply.json()["detail"]) == (400, True)

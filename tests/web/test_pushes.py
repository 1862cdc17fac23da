"""Documents pushed over HTTP, and taken back."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.settings import Settings
from tests.service import CORPUS, Service, ingest, running, settings_for, write_corpus

PARKING = "# Parking\n\nEvery employee may park a bicycle in the yard.\n"
BINARY = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00"
PARKING_QUESTION = "Where may an employee park a bicycle?"


async def push(service: Service, document_id: str, content: str | bytes = PARKING, **options: Any) -> httpx.Response:
    headers = {"Content-Type": "text/markdown", "X-Vouch-Token": service.token, **options.pop("headers", {})}
    body = content.encode() if isinstance(content, str) else content
    return await service.http.put(
        f"/v1/index/documents/{document_id}", content=body, headers=headers, params=options or None
    )


async def take_back(service: Service, document_id: str) -> httpx.Response:
    return await service.http.delete(f"/v1/index/documents/{document_id}", headers={"X-Vouch-Token": service.token})


async def index(service: Service) -> dict[str, Any]:
    reply = await service.http.get("/v1/index", headers={"X-Vouch-Token": service.token})
    return dict(reply.json())


async def listed(service: Service) -> dict[str, Any]:
    reply = await service.http.get("/v1/index/documents", headers={"X-Vouch-Token": service.token})
    return {document["document_id"]: document for document in reply.json()["documents"]}


async def test_a_pushed_document_answers_and_is_gone_when_it_is_taken_back(service: Service) -> None:
    before = await index(service)
    first = await push(service, "app/parking")
    assert (first.status_code, first.json()["change"]) == (201, "added")
    assert first.json()["revision"] == (await index(service))["revision"] != before["revision"]
    assert first.json()["passages"]["embedded"] == 1
    answer = await service.ask(PARKING_QUESTION)
    assert (answer["status"], answer["sources"][0]["document_id"]) == ("answered", "app/parking")
    gone = await take_back(service, "app/parking")
    assert (gone.status_code, gone.json()["change"]) == (200, "removed")
    assert gone.json()["revision"] == before["revision"]
    assert (await index(service))["documents"] == before["documents"]


async def test_the_same_push_again_changes_nothing_and_another_one_does(service: Service) -> None:
    first = (await push(service, "parking.md")).json()
    again = await push(service, "parking.md")
    assert (again.status_code, again.json()["change"]) == (200, "unchanged")
    assert (again.json()["revision"], again.json()["generation"]) == (first["revision"], first["generation"])
    changed = await push(service, "parking.md", PARKING + "\nCars may not.\n")
    assert (changed.status_code, changed.json()["change"]) == (200, "changed")
    undone = (await push(service, "parking.md")).json()
    assert (undone["change"], undone["revision"]) == ("changed", first["revision"])


async def test_metadata_stands_in_place_of_what_the_document_says(service: Service) -> None:
    said = {"title": "Bicycles ", "url": "https://intranet.example/b", "updated_at": "2026-11-30", "tags": ["a", "b"]}
    said["language"] = "pl"
    await push(service, "parking.md", "---\ntitle: Old\ntags: [old]\n---\n" + PARKING)
    assert (await listed(service))["parking.md"]["tags"] == ["old"]
    changed = (await push(service, "parking.md", "---\ntitle: Old\ntags: [old]\n---\n" + PARKING, **said)).json()
    assert (changed["change"], changed["passages"]["embedded"]) == ("changed", 1), "the title is embedded"
    document = (await listed(service))["parking.md"]
    assert {field: document[field] for field in said} == {**said, "title": "Bicycles"}
    retagged = (
        await push(service, "parking.md", "---\ntitle: Old\ntags: [old]\n---\n" + PARKING, **{**said, "tags": ["c"]})
    ).json()
    assert (retagged["change"], retagged["passages"]["embedded"], retagged["passages"]["updated"]) == ("changed", 0, 1)


@pytest.mark.parametrize("access", [["staff"], [""]])
async def test_who_may_see_a_pushed_document_is_said_with_it(service: Service, access: list[str]) -> None:
    assert (await push(service, "secret.md", access=access)).status_code == 201
    assert (await service.ask(PARKING_QUESTION))["status"] == "refused"
    everyone = (await service.http.get("/v1/index/documents")).json()["documents"]
    assert "secret.md" not in {document["document_id"] for document in everyone}
    assert "secret.md" in await listed(service)


async def test_a_push_that_cannot_be_read_keeps_the_last_version_and_says_why(service: Service) -> None:
    first = (await push(service, "parking.md")).json()
    failed = await push(service, "parking.md", BINARY)
    assert (failed.status_code, failed.json()["type"]) == (422, "/problems/unreadable-document")
    document = (await listed(service))["parking.md"]
    assert (document["state"], document["failure"]) == ("failed", failed.json()["detail"])
    assert (await index(service))["revision"] == first["revision"]
    assert (await service.ask(PARKING_QUESTION))["status"] == "answered"
    assert (await push(service, "parking.md")).json()["change"] == "unchanged"
    assert (await listed(service))["parking.md"]["failure"] is None


async def test_a_first_push_that_cannot_be_read_is_listed_and_can_be_taken_back(service: Service) -> None:
    before = await index(service)
    assert (await push(service, "broken.md", BINARY)).status_code == 422
    assert (await listed(service))["broken.md"]["passages"] == 0
    assert (await index(service))["failures"] == before["failures"] + 1
    assert (await take_back(service, "broken.md")).status_code == 200
    assert "broken.md" not in await listed(service)
    assert {**await index(service), "generation": 0, "updated_at": ""} == {**before, "generation": 0, "updated_at": ""}


async def test_a_first_push_into_an_empty_index_makes_it(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        assert (await take_back(service, "parking.md")).status_code == 404
        assert (await index(service))["state"] == "empty"
        assert (await push(service, "parking.md")).status_code == 201
        assert (await index(service))["state"] == "ready"
        assert (await service.ask(PARKING_QUESTION))["status"] == "answered"


async def test_a_document_of_the_folder_is_not_changed_by_a_push(service: Service) -> None:
    before = await index(service)
    for reply in (await push(service, "leave.md"), await take_back(service, "leave.md")):
        assert (reply.status_code, reply.json()["type"]) == (409, "/problems/folder-document")
    assert await index(service) == before


async def test_an_unknown_document_cannot_be_taken_back(service: Service) -> None:
    reply = await take_back(service, "never.md")
    assert (reply.status_code, reply.json()["type"]) == (404, "/problems/unknown-document")


async def test_a_job_leaves_pushed_documents_alone(indexed: Settings, tmp_path: Path) -> None:
    async with running(indexed) as service:
        await push(service, "parking.md")
        write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "30"), "parking.md": "# Other\n\nText.\n"})
        pushed = (await listed(service))["parking.md"]
    summary = await ingest(indexed)
    assert (summary.documents.changed, summary.documents.failed) == (1, 1)
    async with running(indexed) as service:
        assert (await listed(service))["parking.md"] == pushed
        assert (await service.ask(PARKING_QUESTION))["sources"][0]["document_id"] == "parking.md"


@pytest.mark.parametrize("number", [1, 2])
async def test_while_a_job_is_at_work_a_push_is_told_to_try_again(service: Service, number: int) -> None:
    texts = [f"# {n}\n\n" + f"Sentence {n} of many. " * 300 for n in range(number + 1)]
    replies = await asyncio.gather(*(push(service, f"{n}.md", text) for n, text in enumerate(texts)))
    refused = [reply for reply in replies if reply.status_code != 201]
    assert len(refused) == number
    for reply in refused:
        assert (reply.status_code, reply.json()["type"]) == (409, "/problems/job-running")
        assert int(reply.headers["Retry-After"]) > 0
        assert f"process {os.getpid()} on {socket.gethostname()}, since 20" in reply.json()["detail"]


BAD_IDS = [
    "%2e%2e/a.md",
    "a/%2e%2e/b.md",
    "a//b.md",
    "a.md/",
    "/a.md",
    "%2e/a.md",
    "a%00.md",
    "a%0a.md",
    "a%e2%80%8b.md",
    "a%ff.md",
    "a%cc%88.md",
    "x" * 600,
]


@pytest.mark.parametrize("document_id", BAD_IDS)
async def test_a_bad_id_is_refused_before_anything_is_done(service: Service, document_id: str) -> None:
    before = await index(service)
    url = httpx.URL(str(service.http.base_url)).copy_with(raw_path=f"/v1/index/documents/{document_id}".encode())
    for method in ("PUT", "DELETE"):
        reply = await service.http.request(
            method, url, content=PARKING.encode(), headers={"X-Vouch-Token": service.token}
        )
        assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request"), reply.text
    assert await index(service) == before


async def test_an_id_may_hold_what_a_path_may(service: Service) -> None:
    for sent, document_id in (("%C3%A4/b%20c%3F.md", "ä/b c?.md"), ("a%25b%23.md", "a%b#.md"), ("日本", "日本")):
        reply = await push(service, sent)
        assert (reply.status_code, reply.json()["document_id"]) == (201, document_id)
        assert document_id in await listed(service)
        assert (await take_back(service, sent)).status_code == 200


BAD_METADATA = [
    ({"title": "a\x00b"}, "title"),
    ({"url": "javascript:alert(1)"}, "url"),
    ({"updated_at": "yesterday"}, "updated_at"),
    ({"language": "German"}, "language"),
    ({"tags": ["x" * 300]}, "Tags"),
    ({"access": ["a\nb"]}, "groups"),
    ({"access": ["hr,eng"]}, "one group"),
    ({"access": ["hr", "tenant:"]}, "one group"),
    ({"acess": ["staff"]}, "acess"),
]


@pytest.mark.parametrize(("metadata", "named"), BAD_METADATA)
async def test_bad_metadata_is_refused(service: Service, metadata: dict[str, Any], named: str) -> None:
    reply = await push(service, "parking.md", **metadata)
    assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request")
    assert named in reply.json()["detail"]
    assert "parking.md" not in await listed(service)


@pytest.mark.parametrize(
    ("document_id", "media_type", "status"),
    [
        ("parking", "text/markdown; charset=utf-8", 201),
        ("parking", "Text/HTML", 201),
        ("parking.md", "application/octet-stream", 201),
        ("parking.md", "", 201),
        ("parking", "application/octet-stream", 415),
        ("parking.md", "image/png", 415),
        ("parking.exe", "", 415),
    ],
)
async def test_the_content_type_tells_the_format_or_else_the_id_does(
    service: Service, document_id: str, media_type: str, status: int
) -> None:
    reply = await push(service, document_id, headers={"Content-Type": media_type})
    assert reply.status_code == status, reply.text


async def test_text_in_another_charset_is_read_by_it(service: Service) -> None:
    text = "Größe und Maß der Bücher.\n"
    for content in (text.encode("latin-1"), text.encode("utf-16")):
        charset = "latin-1" if content[0] == ord("G") else "utf-16"
        headers = {"Content-Type": f"text/plain; charset={charset}"}
        assert (await push(service, "maß.txt", content, headers=headers)).status_code in (200, 201)
        found = (await service.http.get("/v1/search", params={"q": text})).json()
        assert found["candidates"][0]["text"] == text.strip()
    for charset in ("ascii", "no-such-charset"):
        reply = await push(service, "b.txt", text, headers={"Content-Type": f"text/plain; charset={charset}"})
        assert (reply.status_code, charset in reply.json()["detail"]) == (422, True)


async def test_a_document_may_be_larger_than_other_bodies_but_not_than_the_setting(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, MAX_DOCUMENT_MB=1)) as service:
        assert (await push(service, "large.md", PARKING + " " * 200_000)).status_code == 201
        assert (await push(service, "larger.md", b" " * (2**20 + 1))).status_code == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_only_admins_push(service: Service, method: str) -> None:
    for token in (None, "wrong"):
        headers = {"X-Vouch-Token": token} if token else {}
        reply = await service.http.request(method, "/v1/index/documents/a.md", content=b"x", headers=headers)
        assert (reply.status_code, reply.json()["type"]) == (403, "/problems/not-admin")


async def test_the_schema_says_what_a_push_takes(service: Service) -> None:
    operation = (await service.http.get("/schema/openapi.json")).json()["paths"]["/v1/index/documents/{document_id}"]
    assert list(operation["put"]["requestBody"]["content"]) == ["*/*"]
    assert {"200", "201", "400", "403", "409", "415", "422", "503"} <= set(operation["put"]["responses"])
    assert {"title", "url", "updated_at", "tags", "access", "language", "document_id"} == {
        parameter["name"] for parameter in operation["put"]["parameters"]
    }

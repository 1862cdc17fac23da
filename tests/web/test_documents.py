"""The list of documents, with state and failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests.service import Service, ingest, running, settings_for, write_corpus

DOCUMENTS = {
    "hr/leave.md": "---\ntags: [hr, leave]\nurl: https://intranet.example/leave\nupdated: 2026-01-31\n---\n"
    "# Leave\n\nText.\n",
    "hr/leave/carry-over.md": "# Carry-over\n\nText.\n",
    "hr/leaves.md": "# Leaves\n\nText.\n",
    "hr.md": "# HR\n\nText.\n",
    "secret.md": "---\naccess: [board]\n---\n# Secret\n\nText.\n",
    "ä.md": "# Umlaut\n\nText.\n",
}


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path, DOCUMENTS)
    settings = settings_for(tmp_path)
    await ingest(settings)
    return settings


async def documents(service: Service, *, admin: bool = False, **options: Any) -> dict[str, Any]:
    headers = {"X-Vouch-Token": service.token} if admin else {}
    reply = await service.http.get("/v1/index/documents", params=options, headers=headers)
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


async def ids(service: Service, **options: Any) -> list[str]:
    return [document["document_id"] for document in (await documents(service, **options))["documents"]]


async def test_a_document_is_listed_with_what_is_known_of_it(settings: Settings) -> None:
    async with running(settings) as service:
        listed = await documents(service, prefix="hr/leave.md")
    assert listed == {
        "documents": [
            {
                "document_id": "hr/leave.md",
                "title": "Leave",
                "url": "https://intranet.example/leave",
                "state": "indexed",
                "failure": None,
                "left_out": [],
                "passages": 1,
                "tags": ["hr", "leave"],
                "updated_at": "2026-01-31",
                "language": None,
                "origin": "folder",
            }
        ],
        "cursor": None,
    }


async def test_what_a_reader_left_out_is_told(tmp_path: Path) -> None:
    write_corpus(tmp_path, {"page.html": "<h1>Leave</h1><p>28 days a year.</p><p hidden>Not yet: 30 days.</p>"})
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        (page,) = (await documents(service))["documents"]
    assert page["left_out"] == ["hidden text"]


@pytest.mark.parametrize("admin", [False, True])
async def test_a_prefix_matches_whole_segments(settings: Settings, admin: bool) -> None:
    async with running(settings) as service:
        assert await ids(service, prefix="hr", admin=admin) == ["hr/leave.md", "hr/leave/carry-over.md", "hr/leaves.md"]
        for prefix in ("hr/leave", "/hr/leave/"):
            assert await ids(service, prefix=prefix, admin=admin) == ["hr/leave/carry-over.md"]
        assert await ids(service, prefix="a\u0308.md", admin=admin) == ["ä.md"]
        assert await ids(service, prefix="nothing", admin=admin) == []


async def test_only_what_the_caller_may_see_is_listed(settings: Settings) -> None:
    async with running(settings) as service:
        assert await ids(service) == sorted(set(DOCUMENTS) - {"secret.md"})
        assert await ids(service, admin=True) == sorted(DOCUMENTS)


@pytest.mark.parametrize("admin", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 4, 5, 6, 1000])
async def test_pages_put_together_are_the_whole_list_in_order(settings: Settings, limit: int, admin: bool) -> None:
    async with running(settings) as service:
        whole = await ids(service, admin=admin)
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await documents(service, admin=admin, limit=limit, **cursor)
            assert 0 < len(page["documents"]) <= limit
            found += [document["document_id"] for document in page["documents"]]
            if page["cursor"] is None:
                break
            cursor = {"cursor": page["cursor"]}
    assert found == whole


async def test_failures_are_shown_and_counted_to_those_who_may_see_them(settings: Settings, tmp_path: Path) -> None:
    for name in ("hr.md", "secret.md", "never.md"):
        (tmp_path / "corpus" / name).write_bytes(b"")
    await ingest(settings)
    async with running(settings) as service:
        shown = {one["document_id"]: one for one in (await documents(service))["documents"]}
        assert {name for name, one in shown.items() if one["state"] == "failed"} == {"hr.md"}
        assert (shown["hr.md"]["passages"], shown["hr.md"]["failure"]) == (1, "it is empty")
        assert (await service.http.get("/v1/index")).json()["failures"] == 1
        all_ = {one["document_id"]: one for one in (await documents(service, admin=True))["documents"]}
        assert {name for name, one in all_.items() if one["failure"]} == {"hr.md", "secret.md", "never.md"}
        assert (all_["never.md"]["passages"], all_["never.md"]["title"]) == (0, None)
        assert await ids(service, admin=True, prefix="never.md") == ["never.md"]
        index = (await service.http.get("/v1/index", headers={"X-Vouch-Token": service.token})).json()
        assert (index["failures"], index["documents"]) == (3, 5)


async def test_an_empty_index_has_an_empty_list(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        assert await documents(service) == {"documents": [], "cursor": None}
        assert (await service.http.get("/v1/index")).json()["failures"] == 0


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": 1001}, {"limit": "all"}, {"cursor": "?"}, {"cursor": "gg=="}]
)
async def test_a_bad_page_is_400(service: Service, options: dict[str, Any]) -> None:
    reply = await service.http.get("/v1/index/documents", params=options)
    assert (reply.status_code, reply.json()["type"]) == (400, "/problems/bad-request")

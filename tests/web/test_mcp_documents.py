"""/mcp: the documents that an agent may list and read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import McpError, types
from pydantic import AnyUrl

from tests.mcp_client import call, session, text_of
from tests.service import Service, ingest, running, settings_for, write_corpus

ODD = "hr/Fünf %20 #1?.md"
DOCUMENTS = {
    "hr/leave.md": "# Leave\n\n28 days of leave.\n\n## Carry-over\n\nUp to 5 days [1].\n",
    "hr/secret.md": "---\naccess: [board]\n---\n# Salaries\n\nNobody may know these.\n",
    "hrx.md": "# Other\n\nSomething else.\n",
    ODD: "# Odd name\n\nIts name is odd.\n",
}
VISIBLE = sorted(DOCUMENTS.keys() - {"hr/secret.md"})


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Service]:
    write_corpus(tmp_path, DOCUMENTS)
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        yield service


def ids(page: dict[str, Any] | None) -> list[str]:
    assert page is not None
    return [document["document_id"] for document in page["documents"]]


async def test_documents_that_may_be_seen_are_listed_page_by_page(library: Service) -> None:
    whole = await call(library, "list_documents")
    assert ids(whole.structuredContent) == VISIBLE
    listed: list[str] = []
    cursor = None
    while True:
        page = await call(library, "list_documents", limit=2, cursor=cursor)
        listed += ids(page.structuredContent)
        cursor = (page.structuredContent or {})["cursor"]
        if cursor is None:
            break
        assert "More with cursor" in text_of(page)
    assert listed == VISIBLE


async def test_the_list_can_be_narrowed(library: Service) -> None:
    below = await call(library, "list_documents", prefix="hr")
    assert ids(below.structuredContent) == [name for name in VISIBLE if name.startswith("hr/")]
    assert text_of(await call(library, "list_documents", prefix="none")) == "No documents."


async def test_a_page_that_cannot_be_had_is_told(library: Service) -> None:
    for arguments, named in (({"limit": 0}, "limit"), ({"cursor": "?"}, "cursor"), ({"tags": ["a"]}, "tags")):
        result = await call(library, "list_documents", **arguments)
        assert result.isError
        assert named in text_of(result)
    async with session(library.http.base_url) as agent:
        with pytest.raises(McpError, match="cursor"):
            await agent.list_resources(params=types.PaginatedRequestParams(cursor="?"))


async def test_an_empty_index_holds_no_documents(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service, session(service.http.base_url) as agent:
        assert (await agent.list_resources()).resources == []
        assert text_of(await agent.call_tool("list_documents", {})) == "No documents."


async def test_every_listed_document_can_be_read_by_its_uri(library: Service) -> None:
    async with session(library.http.base_url) as agent:
        resources = (await agent.list_resources()).resources
        texts = {
            resource.name: (await agent.read_resource(resource.uri)).contents[0].model_dump()["text"]
            for resource in resources
        }
    assert list(texts) == VISIBLE
    assert texts[ODD] == "Odd name\n\nIts name is odd."
    assert texts["hr/leave.md"] == "Leave\n\n28 days of leave.\n\nLeave > Carry-over\n\nUp to 5 days [1]."


async def test_what_may_not_be_seen_is_as_unknown_as_what_is_not_there(library: Service) -> None:
    async with session(library.http.base_url) as agent:
        for uri in (
            "vouch://documents/hr/secret.md",
            "vouch://documents/unknown.md",
            "vouch://documents/",
            "file:///a",
        ):
            with pytest.raises(McpError, match="Resource not found") as unknown:
                await agent.read_resource(AnyUrl(uri))
            assert unknown.value.error.code == -32002


async def test_the_template_says_how_a_document_is_named(library: Service) -> None:
    async with session(library.http.base_url) as agent:
        [template] = (await agent.list_resource_templates()).resourceTemplates
    assert template.uriTemplate == "vouch://documents/{+document_id}"

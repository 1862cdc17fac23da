"""The page at /schema: the whole OpenAPI document, laid out, with nothing from elsewhere."""

from __future__ import annotations

import asyncio
import json
import shlex
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from tests.page.browser import Visit
from tests.page.test_files import POLICY
from tests.scripted_chat import ScriptedChat, says
from tests.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def reference(context: BrowserContext, service: Service) -> AsyncIterator[Visit]:
    visit = await Visit(context, service).open("/schema")
    yield visit
    assert visit.foreign_requests() == []
    assert visit.complaints == []


async def document(service: Service) -> dict[str, Any]:
    return (await service.http.get("/schema/openapi.json")).json()


async def test_every_operation_and_every_schema_is_shown_once(reference: Visit, service: Service) -> None:
    api = await document(service)
    operations = [f"{method.upper()} {path}" for path, methods in api["paths"].items() for method in methods]
    await expect(reference[".operation h2"]).to_have_text(operations)
    await expect(reference["#contents > ul a"]).to_have_text(operations)
    await expect(reference[".schema-type h2"]).to_have_text(list(api["components"]["schemas"]))


async def test_an_operation_shows_its_fields_their_defaults_and_its_responses(reference: Visit) -> None:
    shown = reference.page.locator("[id='post/v1/answers']")
    await expect(shown).to_contain_text("Answer a question with citations")
    policy = shown.locator("tr", has_text="citation_policy")
    await expect(policy).to_contain_text('"drop" or "strict" or "supported"')
    await expect(policy).to_contain_text('default "drop"')
    await expect(shown.locator("tr", has_text="question").first).to_contain_text("required")
    await expect(shown.locator("tr", has_text="503")).to_contain_text("The index does not answer")


async def test_a_reference_leads_to_its_schema(reference: Visit) -> None:
    await reference.page.locator("[id='post/v1/answers']").get_by_role("link", name="Reply", exact=True).click()
    await expect(reference["[id='schema-Reply']"]).to_be_in_viewport()
    assert reference.page.url.endswith("/schema#schema-Reply")


async def test_an_address_with_an_operation_opens_there(context: BrowserContext, service: Service) -> None:
    visit = await Visit(context, service).open("/schema#post/v1/index/sync")
    await expect(visit["[id='post/v1/index/sync']"]).to_be_in_viewport()
    await expect(visit["[id='post/v1/index/sync']"]).to_contain_text("For admins: the header X-Vouch-Token")


async def test_the_curl_lines_do_what_they_say(reference: Visit, service: Service, chat: ScriptedChat) -> None:
    chat.reply = says("It is 28 days [1].")
    assert (await said(reference, "post/v1/answers"))["status"] == "answered"
    completion = await said(reference, "post/v1/chat/completions")
    assert completion["choices"][0]["message"]["content"] == "It is 28 days [1]."
    assert (await said(reference, "get/v1/search"))["candidates"]
    assert (await said(reference, "put/v1/index/documents/{document_id}"))["type"] == "/problems/not-admin"


async def said(visit: Visit, operation: str) -> Any:
    """What the line of an operation prints, when it is run."""
    line = await visit[f"[id='{operation}'] .curl pre"].inner_text()
    words = shlex.split(line.replace("@FILE", f"@{shlex.quote(__file__)}"))
    command = [words[0], "--silent", "--noproxy", "*", *words[1:]]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    out, _ = await process.communicate()
    return json.loads(out)


async def test_a_line_is_copied(reference: Visit, context: BrowserContext) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"], origin=reference.address)
    await reference["[id='get/v1/index'] button"].click()
    await expect(reference["[id='get/v1/index'] button"]).to_have_text("Copied")
    assert await reference.run("() => navigator.clipboard.readText()") == f"curl '{reference.address}/v1/index'"


async def test_a_narrow_window_needs_no_scrolling_sideways(reference: Visit) -> None:
    await reference.page.set_viewport_size({"width": 360, "height": 800})
    assert await reference.run("() => document.documentElement.scrollWidth") <= 360


async def test_the_page_says_when_the_document_can_t_be_had(context: BrowserContext, service: Service) -> None:
    await context.route("**/openapi.json", lambda route: route.fulfill(status=503))
    visit = await Visit(context, service).open("/schema")
    await expect(visit["#problem"]).to_contain_text("schema/openapi.json gave 503")


async def test_the_page_comes_with_the_policy_and_is_guarded(service: Service) -> None:
    reply = await service.http.get("/schema")
    directives = (part.split() for part in reply.headers["content-security-policy"].split(";"))
    assert {name: values for name, *values in directives} == POLICY
    assert (await service.http.get("/schema", headers={"Host": "evil.example"})).status_code == 403


async def test_its_address_has_no_slash_at_the_end(service: Service) -> None:
    reply = await service.http.get("/schema/")
    assert (reply.status_code, reply.headers["location"]) == (302, "../schema")


@pytest.mark.parametrize("path", ["/schema/swagger", "/schema/openapi.yaml", "/schema/a/b"])
async def test_nothing_else_is_below_it(service: Service, path: str) -> None:
    reply = await service.http.get(path)
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")

"""The files of the page as the service sends them: small, guarded, and one of them not ours."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, expect

from app.web.page import FOLDER, content_security_policy
from tests.page.browser import Visit
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, Service, ingest, running, settings_for, write_corpus

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_BYTES = 100_000
POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'"],
    "img-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    "trusted-types": ["'none'"],
}
PIXEL = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'


async def test_every_file_comes_with_its_type_and_the_policy(service: Service) -> None:
    served = [path.name for path in FOLDER.iterdir() if path.suffix != ".md"]
    for path in ["/", *(f"/static/{name}" for name in served)]:
        reply = await service.http.get(path)
        assert reply.status_code == 200
        directives = (part.split() for part in reply.headers["content-security-policy"].split(";"))
        assert {name: values for name, *values in directives} == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-frame-options"] == "DENY"
    assert (await service.http.get("/static/app.js")).headers["content-type"] == "text/javascript; charset=utf-8"


async def test_a_file_that_the_browser_has_is_not_sent_again(service: Service) -> None:
    first = await service.http.get("/static/app.js")
    again = await service.http.get("/static/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await service.http.get("/static/app.css", headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200


@pytest.mark.parametrize("name", ["nothing.js", "marked.LICENSE.md", "..%2Fpage.py", "%2e%2e/page.py", ""])
async def test_nothing_else_is_served(service: Service, name: str) -> None:
    reply = await service.http.get(f"/static/{name}")
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_the_page_is_guarded_like_the_rest(service: Service, headers: dict[str, str]) -> None:
    assert (await service.http.get("/", headers=headers)).status_code == 403


async def test_what_is_not_ours_is_what_was_published() -> None:
    noted = re.findall(r"`([\w.]+\.js)`.*sha256 `(\w+)`", (FOLDER / "VENDORED.md").read_text())
    assert [name for name, _ in noted] == ["marked.esm.js"]
    assert {name: sha256((FOLDER / name).read_bytes()).hexdigest() for name, _ in noted} == dict(noted)


async def test_no_script_of_ours_writes_markup() -> None:
    for path in FOLDER.glob("*.js"):
        if path.name != "marked.esm.js":
            found = re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", path.read_text())
            assert not found, path.name


async def test_the_page_loads_less_than_100_kilobytes_and_all_of_it_from_here(visit: Visit) -> None:
    await expect(visit["#index"]).to_contain_text("3 documents")
    responses = [await request.response() for request in visit.requests]
    sizes = {response.url: len(await response.body()) for response in responses if response is not None}
    assert len(sizes) >= 15
    assert sum(sizes.values()) < MAX_BYTES, sizes


async def test_images_load_from_the_hosts_that_were_named_and_no_other(
    tmp_path: Path, chat: ScriptedChat, context: BrowserContext
) -> None:
    urls = "![a](http://img.example/a.svg) ![b](http://other.example/b.svg)"
    write_corpus(tmp_path, {"leave.md": f"# Leave\n\nEvery employee gets 28 days of annual leave a year. {urls}\n"})
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m", IMAGE_HOSTS="img.example")
    await ingest(settings)
    await context.route("http://*.example/**", lambda route: route.fulfill(body=PIXEL, content_type="image/svg+xml"))
    chat.reply = says(f"28 days [1] {urls}.")
    async with running(settings) as service:
        visit = await Visit(context, service).open()
        await visit.ask(QUESTION)
        await visit.verdict("answered")
        await expect(visit["#text img"]).to_have_count(1)
        await expect(visit["#text img"]).to_have_js_property("naturalWidth", 40)
        assert visit.foreign_requests() == ["http://img.example/a.svg"]
        assert visit.complaints == []
        await visit.run("() => { document.querySelector('#text img').src = 'http://other.example/c.svg'; }")
        await expect(visit["#text img"]).to_have_js_property("naturalWidth", 0)
        assert any("Content Security Policy" in line for line in visit.complaints)


async def test_the_policy_names_image_hosts_and_nothing_else_changes() -> None:
    policy = content_security_policy(frozenset({"b.example", "a.example"}))
    assert "img-src 'self' a.example:* b.example:*;" in policy
    assert policy.replace(" a.example:* b.example:*", "") == content_security_policy(frozenset())

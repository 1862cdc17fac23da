"""Nobody outside can make the service send a request to an address inside: no document, no caller and no redirect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.errors import SettingsError
from tests.scripted_chat import ScriptedChat, status, writes
from tests.service import QUESTION, ingest, running, settings_for, write_corpus


@dataclass
class Inside:
    """A server that nobody but its owner should ever ask."""

    url: str
    connections: int = 0


@pytest.fixture
async def inside() -> AsyncIterator[Inside]:
    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.connections += 1
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    found = Inside(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/latest/meta-data")
    async with server:
        yield found


async def test_no_url_of_a_document_a_question_or_a_reply_is_asked(
    tmp_path: Path, chat: ScriptedChat, inside: Inside
) -> None:
    link, image = f"[here]({inside.url})", f"![]({inside.url}/x.png)"
    text = f"Every employee gets 28 days of annual leave a year, see {link} {image} <{inside.url}>."
    write_corpus(tmp_path, {"leave.md": f"---\ntitle: Leave\nurl: {inside.url}\n---\n\n# Leave\n\n{text}\n"})
    page = f"<html><head><base href='{inside.url}'><link rel=stylesheet href='{inside.url}'></head><body>{image}</body>"
    write_corpus(tmp_path, {"page.html": f"{page}<p>Leave: 28 days.</p><iframe src='{inside.url}'></iframe></html>"})
    chat.reply = writes(lambda _: f"28 days [1], see {link} {image}.")
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m")
    await ingest(settings)
    async with running(settings) as service:
        reply = await service.ask(f"{QUESTION} See {inside.url}", citation_style="links")
        headers = {"X-Vouch-Token": service.token, "Content-Type": "text/html"}
        pushed = await service.http.put(
            "/v1/index/documents/pushed.html", params={"url": inside.url}, content=page, headers=headers
        )
    assert reply["status"] == "answered"
    assert pushed.status_code == 201
    assert inside.connections == 0


async def test_a_redirect_of_the_chat_endpoint_is_not_followed(
    tmp_path: Path, chat: ScriptedChat, inside: Inside
) -> None:
    write_corpus(tmp_path)
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m")
    await ingest(settings)
    async with running(settings) as service:
        for code in (301, 302, 303, 307, 308):
            chat.reply = status(code, location=inside.url)
            reply = await service.ask(f"{QUESTION} ({code})")
            assert (reply["status"], reply["reason"]) == ("failed", "provider_protocol"), code
    assert inside.connections == 0


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/v1", "http://example.com/v1", "ftp://example.com", "file:///x"]
)
def test_a_chat_url_that_is_no_https_and_not_of_this_machine_is_refused_at_the_start(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match="CHAT_BASE_URL"):
        settings_for(tmp_path, CHAT_BASE_URL=url, CHAT_MODEL="m")


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "8.8.8.8", "[::ffff:8.8.8.8]"]
)
def test_http_is_for_private_hosts_and_no_place_where_a_cloud_gives_away_keys(tmp_path: Path, host: str) -> None:
    with pytest.raises(SettingsError, match="CHAT_BASE_URL must be https"):
        settings_for(tmp_path, CHAT_BASE_URL=f"http://{host}/v1", CHAT_MODEL="m", CHAT_ALLOW_HTTP=1)
    for private in ("10.0.0.7", "[::ffff:10.0.0.7]", "[fd00::7]", "vllm", "vllm.internal"):
        settings_for(tmp_path, CHAT_BASE_URL=f"http://{private}/v1", CHAT_MODEL="m", CHAT_ALLOW_HTTP=1)

"""Fixtures of the page's tests. The browser lives as long as the run, and so do all of these on its event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright

from tests.page.browser import Visit, require_chromium
from tests.scripted_chat import ScriptedChat
from tests.service import Service, ingest, running, settings_for, write_corpus


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = require_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser without a past."""
    context = await browser.new_context(viewport={"width": 1180, "height": 820}, reduced_motion="reduce")
    yield context
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def chat() -> AsyncIterator[ScriptedChat]:
    async with ScriptedChat() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small corpus and its index. No test may change it."""
    folder = tmp_path_factory.mktemp("handbook")
    write_corpus(folder)
    await ingest(settings_for(folder))
    return folder


@pytest_asyncio.fixture(loop_scope="session")
async def service(handbook: Path, chat: ScriptedChat) -> AsyncIterator[Service]:
    """The service with the scripted endpoint as its language model, and nothing in its cache."""
    async with running(settings_for(handbook, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def visit(context: BrowserContext, service: Service) -> AsyncIterator[Visit]:
    """The page, opened. At the end nothing may have come from elsewhere, and the browser has nothing to complain of."""
    visit = await Visit(context, service).open()
    yield visit
    assert visit.foreign_requests() == []
    assert visit.complaints == []

"""The page in Debian's Chromium, watched: every request, console line and dialog of a visit is written down."""

from __future__ import annotations

import os
import shutil
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import BrowserContext, ConsoleMessage, Locator, Page, Request, expect

from tests.service import QUESTION, Service

CHROMIUM = shutil.which("chromium")
_NOISE = ("error", "warning")


def require_chromium() -> str:
    """Where it is. Skip without it; fail where it was promised (REQUIRE_CHROMIUM=1, set by CI)."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_CHROMIUM") == "1":
            pytest.fail("chromium is missing, and REQUIRE_CHROMIUM=1 says that it must not be")
        pytest.skip("chromium is not installed")
    return CHROMIUM


class Visit:
    """One tab on the page of a running service."""

    page: Page

    def __init__(self, context: BrowserContext, service: Service) -> None:
        self._context = context
        self.service = service
        self.address = str(service.http.base_url).rstrip("/")
        self.requests: list[Request] = []
        self.complaints: list[str] = []
        """Errors, warnings, broken policies and dialogs: what a good page never has."""

    async def open(self, path: str = "/") -> Visit:
        self.page = await self._context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        await self.page.goto(self.address + path)
        return self

    async def ask(self, question: str = QUESTION) -> None:
        """Type a question and press Enter."""
        await self["#question"].fill(question)
        await self["#question"].press("Enter")

    async def verdict(self, status: str) -> str:
        """The sentence of a verdict, which must be this one."""
        await expect(self["#answer"]).to_have_attribute("data-status", status)
        return await self["#verdict"].inner_text()

    def __getitem__(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def expect_complaints(self, *parts: str) -> None:
        """Take off the list what holds one of these, for a test that provokes it."""
        self.complaints = [line for line in self.complaints if not any(part in line for part in parts)]

    def foreign_requests(self) -> list[str]:
        return [request.url for request in self.requests if _origin(request.url) != self.address]

    async def run(self, script: str, argument: Any = None) -> Any:
        return await self.page.evaluate(script, argument)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in _NOISE:
            self.complaints.append(f"{message.type}: {message.text}")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

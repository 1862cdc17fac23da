"""`python -m app keys`, and a service that follows the file."""

from __future__ import annotations

import asyncio
import re
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx

from tests import processes


@asynccontextmanager
async def served(folder: Path, **changed: object) -> AsyncIterator[tuple[Process, str]]:
    """A service whose log the test reads itself, and its address."""
    service = await processes.start(folder, "app", **changed)
    try:
        said = await line_of(service.stdout, "Vouch answers on")
        address = re.search(r"http://[^\s]+(?=\. )", said)
        assert address is not None
        yield service, address[0]
    finally:
        with suppress(ProcessLookupError):
            service.kill()
        await service.communicate()


async def line_of(stream: asyncio.StreamReader | None, words: str) -> str:
    """The next line with these words in it."""
    assert stream is not None
    async with asyncio.timeout(30):
        async for line in stream:
            if words in line.decode():
                return line.decode()
    raise AssertionError(f"nothing was said of {words}")


async def test_a_key_is_given_used_and_taken_back_while_the_service_runs(tmp_path: Path) -> None:
    env = {"API_KEYS_FILE": "keys.toml", "HOST": "0.0.0.0"}
    code, _, said = await processes.run(tmp_path, "app", "serve", **env)
    assert (code, said.count("\n")) == (2, 1)
    assert "python -m app keys add" in said
    code, key, _ = await processes.run(tmp_path, "app", "keys", "add", "wiki", "--groups", "hr", **env)
    assert code == 0
    code, _, said = await processes.run(tmp_path, "app", "keys", "add", "wiki", **env)
    assert (code, "There is a caller wiki already" in said) == (2, True)
    async with (
        served(tmp_path, **env) as (service, address),
        httpx.AsyncClient(base_url=address, headers={"X-API-Key": key.strip()}, trust_env=False) as http,
    ):
        assert (await http.get("/v1/index")).status_code == 200
        service.send_signal(signal.SIGHUP)
        assert '"callers": 1' in await line_of(service.stderr, "keys.reloaded")
        assert await processes.run(tmp_path, "app", "keys", "list", **env) == (0, "wiki         hr\n", "")
        assert (await processes.run(tmp_path, "app", "keys", "remove", "wiki", **env))[0] == 0
        assert (await http.get("/v1/index")).status_code == 401
        assert (await http.get("/health/live")).status_code == 200


async def test_without_the_setting_the_command_says_what_to_set(tmp_path: Path) -> None:
    code, _, said = await processes.run(tmp_path, "app", "keys", "list")
    assert (code, "Set API_KEYS_FILE" in said) == (2, True)


async def test_a_service_that_anyone_may_ask_says_so(tmp_path: Path) -> None:
    async with served(tmp_path, ALLOW_ANONYMOUS=1) as (service, _):
        assert '"level": "warning"' in await line_of(service.stderr, "start.anonymous")

"""The examples of a page of documentation, and a checkout of the project to run them in.

A fenced block marked `sh run`, `python run` or `js run` is an example; `sh serve` starts a service, in place of the one
before, and is over when that says where it answers. A block marked `text` right after one is what it prints: those
lines, of which `...` stands for anything, in this order, with anything before and after.

A page speaks of the address that a reader has, 127.0.0.1:8000, and of chat endpoints. Each is replaced by the one that
there is when a block runs, which is all that is changed in it; what it prints has the page's address again.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from tests.processes import ROOT

_FENCE = re.compile(r"^```(?P<kind>\w+)(?: (?P<mark>run|serve))?\n(?P<code>.*?)^```\n", re.MULTILINE | re.DOTALL)
_ADDRESS = "127.0.0.1:8000"
_CHECKED_OUT = ("Makefile", "app", "ingest", "requirements.txt", "requirements-dev.txt")
_PATIENCE_S = 120


class Example(Struct, frozen=True):
    line: int
    """Where it begins on its page."""
    kind: str
    serves: bool
    code: str
    printed: str | None


def examples(page: Path) -> Iterator[Example]:
    """The examples of a page, in order."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_FENCE.finditer(text))
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block["mark"] is None:
            continue
        printed = None
        if following and following["kind"] == "text" and not text[block.end() : following.start()].strip():
            printed = following["code"]
        line = text.count("\n", 0, block.start()) + 1
        yield Example(line, block["kind"], block["mark"] == "serve", block["code"], printed)


def prints(expected: str, output: str) -> bool:
    """Whether the lines of `expected`, of which `...` is anything, stand in `output` in this order."""
    parts = (re.escape(part.strip()) for part in re.split(r"\.\.\.|\n", expected) if part.strip())
    return re.search(".*?".join(parts), output, re.DOTALL) is not None


class Checkout:
    """The project in a folder of its own, with a home, a store and settings that are nobody else's."""

    def __init__(self, folder: Path, port: int, endpoints: dict[str, str]) -> None:
        """`endpoints` maps the chat endpoints that pages name to the one that stands in for them."""
        self._folder = folder / "vouch"
        self._address = f"127.0.0.1:{port}"
        self._replaced = {_ADDRESS: self._address, **endpoints}
        self._service: Process | None = None
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "PORT": str(port),
            "MAKEFLAGS": "RUN_STAMP=",  # what is installed is not installed again
            "no_proxy": "*",
        }
        self._folder.mkdir()
        for name in _CHECKED_OUT:
            (self._folder / name).symlink_to(ROOT / name)
        (self._folder / ".venv").symlink_to(sys.prefix)

    async def run(self, example: Example) -> str:
        """What the example prints. Fails when it ends in an error, and when a service does not start."""
        code = self._with_addresses(example.code)
        if example.serves:
            await self.stop()
            self._service = await self._start("bash", "-c", code)
            return self._as_on_the_page(await _until_it_answers(self._service))
        process = await self._start(*_command(example.kind, code))
        async with asyncio.timeout(_PATIENCE_S):
            out, _ = await process.communicate()
        assert process.returncode == 0, out.decode()
        return self._as_on_the_page(out.decode())

    async def stop(self) -> None:
        """Stop the service, if one runs."""
        if self._service is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._service.pid, signal.SIGTERM)
        await self._service.communicate()
        self._service = None

    def _with_addresses(self, code: str) -> str:
        for written, actual in self._replaced.items():
            code = code.replace(written, actual)
        return code

    def _as_on_the_page(self, output: str) -> str:
        return output.replace(self._address, _ADDRESS)

    async def _start(self, *command: str) -> Process:
        """In a group of its own, so that what a shell starts ends with it; errors stand among the output."""
        return await asyncio.create_subprocess_exec(
            *command,
            cwd=self._folder,
            env=self._environment,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )


def _command(kind: str, code: str) -> tuple[str, ...]:
    match kind:
        case "sh":
            return ("bash", "-euo", "pipefail", "-c", code)
        case "python":
            return (sys.executable, "-W", "error", "-c", code)
        case "js":
            return ("node", "--input-type=module", "--eval", code)
    raise ValueError(f"there is no way to run {kind}")


async def _until_it_answers(service: Process) -> str:
    assert service.stdout is not None
    said = ""
    async with asyncio.timeout(_PATIENCE_S):
        while line := (await service.stdout.readline()).decode():
            said += line
            if "Stop with Ctrl-C" in line:
                return said
    raise AssertionError(said)

"""`python -m app` and `python -m ingest` as processes of their own."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent


def environment(folder: Path, **changed: object) -> dict[str, str]:
    """A command's environment with its store and corpus in `folder`, and no setting of the caller's."""
    env = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
        "QDRANT_PATH": str(folder / "qdrant"),
        "CORPUS": str(folder / "corpus"),
        "PORT": "0",
    }
    return {**env, **{name: str(value) for name, value in changed.items()}}


async def start(folder: Path, *arguments: str, **changed: object) -> Process:
    env = environment(folder, **changed)
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", *arguments, cwd=folder, env=env, stdout=PIPE, stderr=PIPE
    )


async def run(folder: Path, *arguments: str, **changed: object) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of the command."""
    process = await start(folder, *arguments, **changed)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@asynccontextmanager
async def served(folder: Path, **changed: object) -> AsyncIterator[tuple[Process, str]]:
    """`python -m app`, once it says where it answers; killed at the end if it still runs."""
    process = await start(folder, "app", **changed)
    assert process.stderr is not None
    # From the start: a pipe that nobody reads fills up with the log, and then its writer waits for ever.
    log = asyncio.create_task(process.stderr.read())
    try:
        yield process, await _address(process, log)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await log
        await process.communicate()


async def _address(process: Process, log: asyncio.Task[bytes]) -> str:
    assert process.stdout is not None
    async for line in process.stdout:
        if found := re.search(r"Vouch answers on (http://\S+)\.", line.decode()):
            return found[1]
    raise AssertionError((await log).decode())

"""`python -m bench.service`: what an answer costs, by kind, at 1 and at 16 callers; ratios in one run.

Ingests the sample into a folder of its own, serves it, and asks: questions never asked before (extractive answers),
one question over and over (cached), and questions off the topic (refused). `/health/live` in the same run is the
yardstick: what a route costs that does nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import httpx

QUESTION = "How many days of annual leave do I get?"
OFF_TOPIC = "Who won the football world cup in 1998?"
REQUESTS = 160
CALLERS = (1, 16)

Ask = Callable[[httpx.AsyncClient], "asyncio.Future[httpx.Response]"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "QDRANT_PATH": f"{folder}/qdrant", "CORPUS": "ingest/sample", "PORT": "0"}
        for name in ("first", "second"):
            print(f"{name} ingest of the sample: {_ingest(env)}")
        started = time.perf_counter()
        service = serve(env)
        try:
            address = address_of(service)
            print(f"service up after {time.perf_counter() - started:.1f} s, {memory_mb(service.pid):.0f} MB")
            asyncio.run(_measure(address))
            print(f"memory after the run: {memory_mb(service.pid):.0f} MB")
        finally:
            service.terminate()
            service.wait()


def _ingest(env: dict[str, str]) -> str:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "ingest", "--json"], env=env, check=True, capture_output=True, text=True
    )
    passages = json.loads(done.stdout)["passages"]
    return f"{time.perf_counter() - started:.1f} s, {passages['embedded']} of {passages['total']} passages embedded"


async def _measure(address: str) -> None:
    numbers = count()
    kinds: dict[str, Iterator[str] | None] = {
        "live": None,
        "extractive": (f"{QUESTION} ({n})" for n in numbers),
        "cached": (QUESTION for _ in count()),
        "refused": (f"{OFF_TOPIC} ({n})" for n in numbers),
    }
    print(f"{'':12}{'callers':>8}{'p50 ms':>9}{'p95 ms':>9}{'x live p50':>12}")
    for callers in CALLERS:
        base = 0.0
        for kind, questions in kinds.items():
            times = await _times(address, questions, callers)
            p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            base = base or p50
            print(f"{kind:12}{callers:>8}{p50 * 1000:>9.1f}{p95 * 1000:>9.1f}{p50 / base:>12.1f}")


async def _times(address: str, questions: Iterator[str] | None, callers: int) -> list[float]:
    """Seconds that each of REQUESTS took."""
    left = iter(range(REQUESTS))
    times: list[float] = []

    async def caller(client: httpx.AsyncClient) -> None:
        for _ in left:
            started = time.perf_counter()
            await _ask(client, questions)
            times.append(time.perf_counter() - started)

    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as client:
        await _ask(client, questions)
        await asyncio.gather(*(caller(client) for _ in range(callers)))
    return times


async def _ask(client: httpx.AsyncClient, questions: Iterator[str] | None) -> None:
    if questions is None:
        (await client.get("/health/live")).raise_for_status()
    else:
        (await client.post("/v1/answers", json={"question": next(questions)})).raise_for_status()


def serve(env: dict[str, str]) -> subprocess.Popen[str]:
    """The service as a process of its own, which the caller ends."""
    command = [sys.executable, "-m", "app"]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def address_of(service: subprocess.Popen[str]) -> str:
    """Where the service says that it answers, once it does."""
    assert service.stdout is not None
    for line in service.stdout:
        if found := re.search(r"Vouch answers on (http://\S+)\.", line):
            return found[1]
    raise SystemExit("the service did not start")


def memory_mb(pid: int) -> float:
    """Of a process, resident."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


if __name__ == "__main__":
    main()

"""`python -m bench.service`: what an answer costs, by kind, at 1, 16 and 64 callers; ratios in one run.

Ingests the sample into a folder of its own, serves it, and asks: questions never asked before (extractive answers),
one question over and over (cached), and questions off the topic (refused). The yardstick in the same run is a bare
Litestar route (bench/bare.py) that returns as many bytes.
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
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx

QUESTION = "How many days of annual leave do I get?"
OFF_TOPIC = "Who won the football world cup in 1998?"
REQUESTS = 320
CALLERS = (1, 16, 64)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "QDRANT_PATH": f"{folder}/qdrant", "CORPUS": "ingest/sample", "PORT": "0"}
        for name in ("first", "second"):
            print(f"{name} ingest of the sample: {_ingest(env)}")
        started = time.perf_counter()
        service, bare = serve(env), serve(env, "bench.bare")
        try:
            address = address_of(service)
            print(f"service up after {time.perf_counter() - started:.1f} s, {memory_mb(service.pid):.0f} MB")
            asyncio.run(_measure(address, address_of(bare)))
            print(f"memory after the run: {memory_mb(service.pid):.0f} MB")
        finally:
            for process in (service, bare):
                process.terminate()
                process.wait()


def _ingest(env: dict[str, str]) -> str:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "ingest", "--json"], env=env, check=True, capture_output=True, text=True
    )
    passages = json.loads(done.stdout)["passages"]
    return f"{time.perf_counter() - started:.1f} s, {passages['embedded']} of {passages['total']} passages embedded"


async def _measure(address: str, bare: str) -> None:
    numbers = count()
    kinds: dict[str, Iterator[str]] = {
        "extractive": (f"{QUESTION} ({n})" for n in numbers),
        "cached": (QUESTION for _ in count()),
        "refused": (f"{OFF_TOPIC} ({n})" for n in numbers),
    }
    titles = ("callers", "p50 ms", "p95 ms", "p99 ms", "a second", "x bare p50", "bare a second")
    print(f"{'':12}" + "".join(f"{title:>14}" for title in titles))
    for callers in CALLERS:
        for kind, questions in kinds.items():
            size = await _size(address, next(questions))
            base, base_rate = await _times(f"{bare}/{size}", (QUESTION for _ in count()), callers)
            times, rate = await _times(f"{address}/v1/answers", questions, callers)
            p50, p95, p99 = (1000 * statistics.quantiles(times, n=100)[n - 1] for n in (50, 95, 99))
            ratio = p50 / 1000 / statistics.median(base)
            print(f"{kind:12}{callers:>14}{p50:>14.1f}{p95:>14.1f}{p99:>14.1f}", end="")
            print(f"{rate:>14.0f}{ratio:>14.1f}{base_rate:>14.0f}", flush=True)


async def _size(address: str, question: str) -> int:
    """Bytes of the reply."""
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        return len((await client.post(f"{address}/v1/answers", json={"question": question})).content)


async def _times(url: str, questions: Iterator[str], callers: int) -> tuple[list[float], float]:
    """Seconds that each of REQUESTS took, and how many were answered in a second."""
    left = iter(range(REQUESTS))
    times: list[float] = []

    async def caller(client: httpx.AsyncClient) -> None:
        for _ in left:
            started = time.perf_counter()
            (await client.post(url, json={"question": next(questions)})).raise_for_status()
            times.append(time.perf_counter() - started)

    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        await client.post(url, json={"question": next(questions)})
        began = time.perf_counter()
        await asyncio.gather(*(caller(client) for _ in range(callers)))
        return times, REQUESTS / (time.perf_counter() - began)


def serve(env: dict[str, str], module: str = "app") -> subprocess.Popen[str]:
    """The service, or a stand-in, as a process of its own, which the caller ends."""
    command = [sys.executable, "-m", module]
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

"""`python -m bench.soak --minutes 30 --callers 50`: does the service stay right, whole and slim under load and fault?

Callers ask what is cached, what is new and what is off the topic, and some leave in the middle of an answer, while
documents change and are ingested again and again and Redis is killed and started anew twice. The language model is a
stand-in that also cites sources that do not exist. Counted are verdicts other than the right one, markers that leak,
and requests without a verdict; any of them makes the exit code 1. Memory and file descriptors are those of the service:
at the start and the end, under load, and when the callers are gone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec

from bench.redis_process import Redis
from bench.service import OFF_TOPIC, QUESTION, address_of, memory_mb, serve
from bench.stand_in import stand_in

WARM_UP_S = 20.0
THINK_S = (0.05, 0.5)
INGEST_EVERY_S = 15.0
REDIS_AWAY_S = 10.0
SETTLE_S = 15.0
"""Connections to the model's endpoint are kept for a while."""


@dataclass
class Tally:
    """What was asked and what was wrong with what came back."""

    asked: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    cached: int = 0
    examples: list[str] = field(default_factory=list)

    def fault(self, kind: str, what: object) -> None:
        self.wrong[kind] += 1
        if len(self.examples) < 10:
            self.examples.append(f"{kind}: {str(what)[:300]}")


async def main() -> int:
    options = _options()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        shutil.copytree("ingest/sample", corpus)
        redis = Redis(folder)
        redis.start()
        async with stand_in() as chat_url:
            env = _environment(folder, chat_url, redis.url)
            await _ingest(env)
            service = serve(env)
            try:
                address = await asyncio.to_thread(address_of, service)
                await _soak(options, address, service.pid, redis, env, corpus, tally)
            finally:
                service.terminate()
                await asyncio.to_thread(service.wait)
                redis.kill()
    return _report(tally)


async def _soak(
    options: argparse.Namespace,
    address: str,
    pid: int,
    redis: Redis,
    env: dict[str, str],
    corpus: Path,
    tally: Tally,
) -> None:
    numbers = count()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=options.callers)
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False, limits=limits) as client:
        callers = [asyncio.create_task(_caller(client, numbers, tally)) for _ in range(options.callers)]
        ingestion = asyncio.create_task(_ingestion(env, corpus, tally))
        await asyncio.sleep(WARM_UP_S)
        print(f"start: {_size(pid)}", flush=True)
        await _break_redis_twice(redis, options.minutes * 60)
        print(f"end:   {_size(pid)}", flush=True)
        await _stopped([*callers, ingestion])
    await asyncio.sleep(SETTLE_S)
    print(f"idle:  {_size(pid)}", flush=True)


async def _break_redis_twice(redis: Redis, seconds: float) -> None:
    ends = time.monotonic() + seconds
    for third in (1, 2):
        await asyncio.sleep(max(0.0, ends - time.monotonic() - seconds * (3 - third) / 3))
        redis.kill()
        print(f"Redis killed at {third}/3", flush=True)
        await asyncio.sleep(min(REDIS_AWAY_S, seconds / 10))
        redis.start()
    await asyncio.sleep(max(0.0, ends - time.monotonic()))


async def _stopped(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(ended, asyncio.CancelledError) and isinstance(ended, Exception):
            raise ended


async def _caller(client: httpx.AsyncClient, numbers: count[int], tally: Tally) -> None:
    """One caller that asks, and thinks a little before it asks again."""
    asks = {"cached": 4, "fresh": 3, "refused": 2, "cancelled": 1}
    while True:
        (kind,) = random.choices(list(asks), list(asks.values()))
        tally.asked[kind] += 1
        try:
            await _ask(client, kind, next(numbers), tally)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            tally.fault("lost request", f"{kind}: {error!r}")
        await asyncio.sleep(random.uniform(*THINK_S))


async def _ask(client: httpx.AsyncClient, kind: str, number: int, tally: Tally) -> None:
    question = {"cached": QUESTION, "refused": f"{OFF_TOPIC} ({number})"}.get(kind, f"{QUESTION} ({number})")
    headers = {"Accept": "text/event-stream"} if kind == "cancelled" or number % 2 else {}
    async with client.stream("POST", "/v1/answers", json={"question": question}, headers=headers) as response:
        if response.status_code != 200:
            tally.fault("lost request", f"{kind}: {response.status_code} {(await response.aread())!r}")
        elif kind == "cancelled":
            await anext(response.aiter_bytes(), None)  # and go
        else:
            body = (await response.aread()).rpartition(b"data: ")[2]
            _judge(kind, msgspec.json.decode(body), tally)


def _judge(kind: str, reply: dict[str, Any], tally: Tally) -> None:
    tally.cached += reply["cached"]
    expected = ("refused", "below_threshold") if kind == "refused" else ("answered", None)
    if (reply["status"], reply["reason"]) != expected:
        tally.fault("wrong verdict", f"{kind}: {reply['status']} {reply['reason']}")
    markers = {int(number) for number in re.findall(r"\[(\d+)\]", reply["answer"] or "")}
    leaked = "97" in (reply["answer"] or "") or "98" in (reply["answer"] or "")
    if leaked or markers != set(reply["cited"]) or not markers <= {source["number"] for source in reply["sources"]}:
        tally.fault("leaked marker", reply["answer"])


async def _ingestion(env: dict[str, str], corpus: Path, tally: Tally) -> None:
    """Changes a document and brings the index in step, without an end."""
    for number in count():
        _edit(corpus, number)
        tally.asked["ingested"] += 1
        code = await _ingest(env)
        if code:
            tally.fault("failed ingestion", f"exit code {code}")
        await asyncio.sleep(INGEST_EVERY_S)


def _edit(corpus: Path, number: int) -> None:
    Path(corpus, "soak.md").write_text(f"# Soak\n\nThis is run {number} of the soak test.\n", encoding="utf-8")


async def _ingest(env: dict[str, str]) -> int:
    quiet = asyncio.subprocess.DEVNULL
    job = await asyncio.create_subprocess_exec(sys.executable, "-m", "ingest", env=env, stdout=quiet, stderr=quiet)
    try:
        return await job.wait()
    except asyncio.CancelledError:
        job.terminate()
        await job.wait()
        raise


def _report(tally: Tally) -> int:
    print("asked:", ", ".join(f"{kind} {number}" for kind, number in sorted(tally.asked.items())))
    print(f"answered from the cache: {tally.cached}")
    for kind in ("wrong verdict", "leaked marker", "lost request", "failed ingestion"):
        print(f"{kind}s: {tally.wrong[kind]}")
    print(*tally.examples, sep="\n", end="\n" if tally.examples else "")
    return 1 if tally.wrong else 0


def _size(pid: int) -> str:
    kinds = Counter(_kind(entry) for entry in Path(f"/proc/{pid}/fd").iterdir())
    told = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return f"{memory_mb(pid):.0f} MB, {kinds.total()} file descriptors ({told})"


def _kind(descriptor: Path) -> str:
    """Sockets come and go with connections; files would be a leak."""
    try:
        target = os.readlink(descriptor)
    except OSError:
        return "closing"
    return "files" if target.startswith("/") else f"{target.partition(':')[0]}s"


def _environment(folder: str, chat_url: str, redis_url: str) -> dict[str, str]:
    return {
        **os.environ,
        "QDRANT_PATH": f"{folder}/qdrant",
        "CORPUS": f"{folder}/corpus",
        "PORT": "0",
        "REDIS_URL": redis_url,
        "CHAT_BASE_URL": chat_url,
        "CHAT_MODEL": "stand-in",
        "MAX_CONCURRENT_ANSWERS": "1000",
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--callers", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

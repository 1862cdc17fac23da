"""`python -m app doctor`: checks what Vouch needs, one by one, and names the fix for each thing that is wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from app.adapters import chat, fastembed_embedder, redis_circuit
from app.adapters.stores import open_store
from app.core.chat_endpoints import ChatEndpoint
from app.core.records import StateRecord
from app.errors import AnswererFailed, SettingsError, StoreHeld, VouchError
from app.settings import Settings
from app.terminal.client import CannotAsk, Client
from app.terminal.output import show
from app.thresholds import Thresholds

ALL_WELL, SOMETHING_WRONG = 0, 1
_STORE_S = 10.0
_REDIS_S = 2.0
_CHAT_S = 20.0
_GREETING = [{"role": "user", "content": "Reply with the word ready."}]


class Finding(Struct, frozen=True):
    """What a check saw. Of one that is not `ok`, `detail` names what to do next."""

    name: str
    ok: bool
    detail: str


Check = Callable[[Settings], Awaitable[str]]
"""What it saw, when all is well. Raises VouchError."""


class Wrong(VouchError):
    """A check found what must be put right."""


def main(*, as_json: bool = False) -> int:
    """Print every finding as it is made. Returns 0 when all is well, else 1."""
    findings = asyncio.run(_shown(as_json))
    if as_json:
        print(msgspec.json.encode(findings).decode())
    return ALL_WELL if all(finding.ok for finding in findings) else SOMETHING_WRONG


async def _shown(quiet: bool) -> list[Finding]:
    findings = []
    async for finding in examine():
        findings.append(finding)
        if not quiet:
            mark, style = ("ok  ", "green") if finding.ok else ("FIX ", "red")
            show(mark, style, end="")
            show(f"{finding.name:9} {finding.detail}")
    return findings


async def examine() -> AsyncIterator[Finding]:
    """The findings, in the order in which things depend on each other; without valid settings there is no other."""
    try:
        settings = Settings.load()
    except SettingsError as exc:
        yield Finding("settings", False, str(exc))
        return
    yield Finding("settings", True, "valid")
    checks: dict[str, Check] = {
        "corpus": _corpus,
        "model": _model,
        "gate": _gate,
        "store": _store,
        "redis": _redis,
        "chat": _chat,
        "service": _service,
    }
    for name, check in checks.items():
        yield await _finding(name, check, settings)


async def _finding(name: str, check: Check, settings: Settings) -> Finding:
    try:
        return Finding(name, True, await check(settings))
    except VouchError as exc:
        return Finding(name, False, str(exc))


async def _corpus(settings: Settings) -> str:
    return await asyncio.to_thread(_folder, Path(settings.corpus))


def _folder(corpus: Path) -> str:
    if not corpus.is_dir():
        raise Wrong(f"There is no folder {corpus}: set CORPUS to the folder with your documents.")
    if not any(corpus.iterdir()):
        raise Wrong(f"The folder {corpus} is empty: put documents there, or set CORPUS to another one.")
    return str(corpus)


async def _model(settings: Settings) -> str:
    embedder = await asyncio.to_thread(fastembed_embedder.load, settings.embedding_model)
    try:
        started = time.perf_counter()
        await embedder.embed_query("How many days of annual leave do I get?")
        milliseconds = (time.perf_counter() - started) * 1000
    finally:
        embedder.close()
    return f"{embedder.name}, {embedder.dimension} dimensions, {milliseconds:.0f} ms for a question"


async def _gate(settings: Settings) -> str:
    thresholds = await asyncio.to_thread(Thresholds.read, settings)
    if void := thresholds.void(settings.embedding_model):
        raise Wrong(void)
    bars = thresholds.bars(settings.embedding_model)
    return f"refuses below cosine {bars.relevance:.2f} and answerability {bars.answerability:.2f}"


async def _store(settings: Settings) -> str:
    where = settings.qdrant_url or settings.qdrant_path
    if not settings.qdrant_url and not settings.store_path.exists():
        raise Wrong(f"There is no index in {where} yet: run `make ingest`.")
    try:
        async with asyncio.timeout(_STORE_S), open_store(settings, "job") as (store, _):
            return f"{where}, {_described(await store.state(), settings)}"
    except TimeoutError as exc:
        raise Wrong(
            f"Qdrant at {where} did not answer in {_STORE_S:.0f} s: is it running, and is it QDRANT_URL?"
        ) from exc
    except StoreHeld as held:
        if held.owner is None:
            raise
        return f"{where}, held by the {held.owner.role} that is process {held.owner.pid}"


def _described(state: StateRecord | None, settings: Settings) -> str:
    if state is None or state.documents == 0:
        raise Wrong("The index is empty: run `make ingest`.")
    if state.embedding_model != settings.embedding_model:
        raise Wrong(
            f"The index was built with {state.embedding_model}, and EMBEDDING_MODEL is {settings.embedding_model}:"
            " run `make ingest` to build it anew, or set EMBEDDING_MODEL back."
        )
    if state.state == "updating":
        raise Wrong("A job is running or was cut short, so answers are not cached: run `make ingest` to finish it.")
    return f"{state.documents} documents, {state.passages} passages, revision {state.revision}"


async def _redis(settings: Settings) -> str:
    if not settings.redis_url:
        return "not used: answers are cached in the process (REDIS_URL is empty)"
    client = redis_circuit.connect(settings.redis_url, _REDIS_S)
    try:
        await client.ping()
        policy = (await client.config_get("maxmemory-policy")).get("maxmemory-policy", "noeviction")
    except redis_circuit.ERRORS as exc:
        raise Wrong(f"Redis does not answer ({type(exc).__name__}): start it, or check REDIS_URL.") from exc
    finally:
        await client.aclose()
    return f"answers, eviction policy {policy}"


async def _chat(settings: Settings) -> str:
    if not settings.chat_base_url:
        return "not used: answers quote the documents (CHAT_BASE_URL is empty)"
    return ", ".join([await _greeted(endpoint, settings) for endpoint in settings.chat_endpoints])


async def _greeted(endpoint: ChatEndpoint, settings: Settings) -> str:
    deadline_s = min(_CHAT_S, settings.chat_deadline_s)
    async with chat.connect(deadline_s) as client:
        answerer = chat.ChatAnswerer(
            client,
            base_url=endpoint.base_url,
            model=endpoint.model,
            api_key=endpoint.api_key,
            deadline_s=deadline_s,
        )
        started = time.perf_counter()
        try:
            await answerer.complete(_GREETING)
        except AnswererFailed as exc:
            raise Wrong(f"{endpoint.model}: {exc}") from exc
    return f"{endpoint.model} replied in {time.perf_counter() - started:.1f} s"


async def _service(settings: Settings) -> str:
    """A service that does not run is nothing to put right: `make run` starts it."""
    try:
        await asyncio.to_thread(Client(settings.address).get, "/health/live")
    except CannotAsk:
        return f"not running at {settings.address}: `make run` starts it"
    return f"running at {settings.address}"

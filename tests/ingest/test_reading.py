"""Reader processes: what hostile documents can do to them, and what not."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec import structs

from app.ports import Tokenizer
from ingest import plan
from ingest.chunking import chunk, fit_title
from ingest.errors import ReadersUnavailable, UnreadableDocument
from ingest.metadata import UNSAID
from ingest.readers import read
from ingest.reading import Readers
from tests.ingest.hostile_reader import PROGRAM
from tests.ingest.killed_parent import bundled_tokenizer

T = TypeVar("T")
GOOD = b"# Leave\n\nEvery employee gets 28 days of annual leave a year.\n"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bundled_tokenizer()


@pytest.fixture
async def readers(tokenizer: Tokenizer) -> AsyncIterator[Readers]:
    async with Readers(tokenizer, timeout_s=20, memory_mb=256, processes=2, program=PROGRAM) as readers:
        yield readers


async def refusal(readers: Readers, text: str) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        await readers.read("a.md", text.encode())
    return str(refused.value)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split())


async def eventually(look: Callable[[], T | None]) -> T:
    async with asyncio.timeout(20):
        while True:
            if found := look():
                return found
            await asyncio.sleep(0.01)


async def pid_in(file: Path) -> int:
    return await eventually(lambda: int((file.exists() and file.read_text(encoding="ascii")) or 0))


async def test_passages_are_those_of_the_reader_and_the_chunker(tokenizer: Tokenizer) -> None:
    text = "---\ntags: [hr]\n---\n" + "".join(f"# Part {n}\n\nRule {n} says {n} times {n}.\n\n" for n in range(200))
    async with Readers(tokenizer) as readers:
        done = await readers.read("a/b.md", text.encode())
    document = UNSAID.over(read("a/b.md", text.encode()))
    document = structs.replace(document, title=fit_title(document.title, tokenizer))
    assert done.passages == plan.passages_of("a/b.md", document, chunk(document, tokenizer))
    assert len(done.passages) == 200
    assert done.document == structs.replace(document, blocks=())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("allocate", "its reader needed more than 256 MB"),
        ("exit", "its reader ended with exit code 3"),
        ("end", "its reader ended with exit code 0"),
        ("crash", "its reader crashed (Segmentation fault)"),
        ("abort", "its reader crashed (Aborted)"),
        ("kill", "its reader was killed: is the machine short of memory?"),
        ("raise", "its reader failed (ZeroDivisionError)"),
        ("recurse", "its reader failed (RecursionError)"),
        ("", "it is empty"),
        ("<!-- nothing to see -->", "it holds no text"),
    ],
)
async def test_a_document_that_breaks_its_reader_fails_alone(readers: Readers, text: str, reason: str) -> None:
    assert await refusal(readers, text) == reason
    assert (await readers.read("b.md", GOOD)).document.title == "Leave"


@pytest.mark.parametrize("deed", ["spin", "break-off", "sleep pid"])
async def test_a_reader_that_hangs_is_ended_in_time(tokenizer: Tokenizer, tmp_path: Path, deed: str) -> None:
    text = deed.replace("pid", str(tmp_path / "pid"))
    async with Readers(tokenizer, timeout_s=1, processes=1, program=PROGRAM) as readers:
        started = time.monotonic()
        assert await refusal(readers, text) in ("its reader took longer than 1 s", "its reader broke off")
        assert time.monotonic() - started < 15
        if "sleep" in deed:
            assert not is_running(await pid_in(tmp_path / "pid"))
        assert (await readers.read("b.md", GOOD)).passages


async def test_others_are_read_while_one_hangs(readers: Readers, tmp_path: Path) -> None:
    hanging = asyncio.create_task(readers.read("a.txt", f"sleep {tmp_path}/pid".encode()))
    pid = await pid_in(tmp_path / "pid")
    for _ in range(5):
        assert (await readers.read("b.md", GOOD)).passages
    assert is_running(pid)
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert not is_running(pid)
    assert (await readers.read("b.md", GOOD)).passages


async def test_a_used_process_gives_the_same_reason(readers: Readers) -> None:
    await readers.read("b.md", GOOD)
    assert await refusal(readers, "exit") == "its reader ended with exit code 3"


async def test_no_document_pays_for_what_one_before_it_did_to_the_process(readers: Readers) -> None:
    assert (await readers.read("a.txt", b"poison")).passages
    assert (await readers.read("b.md", GOOD)).passages


async def test_what_a_library_prints_is_not_taken_for_a_reply(readers: Readers) -> None:
    assert (await readers.read("a.txt", b"chatter")).passages


async def test_keys_of_the_environment_do_not_reach_a_reader(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_API_KEY", "sk-planted")
    async with Readers(tokenizer, program=PROGRAM) as readers:
        assert "CHAT_API_KEY" not in await refusal(readers, "environment")


async def test_processes_end_with_the_readers(tokenizer: Tokenizer) -> None:
    before = children()
    async with Readers(tokenizer) as readers:
        assert children() == before
        await readers.read("b.md", GOOD)
        assert len(children() - before) == 1
    assert children() == before


async def test_a_large_document_crosses_whole(tokenizer: Tokenizer) -> None:
    text = "".join(f"Line {n} of a long file that comes back in several parts.\n\n" for n in range(3_000))
    async with Readers(tokenizer) as readers:
        passages = (await readers.read("a.md", f"<!--{'x' * 2**22}-->\n\n{text}".encode())).passages
    assert "\n\n".join(passage.text for passage in passages) == text.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="only there does the kernel end a process with its parent")
@pytest.mark.parametrize("deed", ["hangs", "is idle"])
async def test_no_process_outlives_a_parent_that_is_killed(tmp_path: Path, deed: str) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ingest.killed_parent", deed, str(tmp_path / "pid")
    )
    try:
        pid = await pid_in(tmp_path / "pid")
        assert is_running(pid)
    finally:
        parent.send_signal(signal.SIGKILL)
        await parent.wait()
    assert await eventually(lambda: not is_running(pid))


async def test_a_process_that_does_not_start_is_said_so(tokenizer: Tokenizer) -> None:
    async with Readers(tokenizer, program="tests.ingest.no_such_module") as readers:
        with pytest.raises(ReadersUnavailable, match="no_such_module"):
            await readers.read("a.md", GOOD)

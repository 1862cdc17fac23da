"""`python -m app ask|search|status` against a running service, as processes of their own."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.settings import Settings
from tests import processes
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says
from tests.service import OFF_TOPIC, QUESTION, running, settings_for


@pytest.fixture
async def port(indexed: Settings, chat: ScriptedChat, tmp_path: Path) -> AsyncIterator[int]:
    """The port of a service that answers with what the scripted endpoint says."""
    async with running(settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as service:
        yield urlsplit(str(service.http.base_url)).port or 0


async def test_an_answer_ends_with_the_sources_it_cites(port: int, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("Every employee gets ", "28 days [1]. Or 30 [9].")
    code, out, err = await processes.run(tmp_path, "app", "ask", QUESTION, PORT=port)
    assert (code, out) == (
        0,
        "Every employee gets 28 days [1]. Or 30.\n\n  [1] Leave > Annual leave … Carry-over (leave.md)\n",
    )
    assert err == "1 invented citation was removed.\n"


@pytest.mark.parametrize(
    ("reply", "question", "code"),
    [
        (says("28 days [1]."), QUESTION, 0),
        (says("28 days."), QUESTION, 3),
        (says("28 days [1]."), OFF_TOPIC, 4),
        (says("28 days [1].", finish="length"), QUESTION, 5),
    ],
)
async def test_the_exit_code_tells_the_verdict_and_json_is_the_reply(
    port: int, chat: ScriptedChat, tmp_path: Path, reply: object, question: str, code: int
) -> None:
    chat.reply = reply
    returned, out, err = await processes.run(tmp_path, "app", "ask", question, "--json", PORT=port)
    assert (returned, err) == (code, "")
    assert json.loads(out)["status"] == {0: "answered", 3: "ungrounded", 4: "refused", 5: "failed"}[code]


async def test_flags_become_fields_of_the_request(port: int, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("Within 30 days [1].")
    asked = ("When are expense reports due?", "--prefix", "leave.md", "--verify", "--top-k", "1", "--json")
    code, out, _ = await processes.run(tmp_path, "app", "ask", *asked, PORT=port)
    assert (code, json.loads(out)["reason"]) == (4, "below_threshold")
    code, out, _ = await processes.run(tmp_path, "app", "ask", QUESTION, "--verify", "--json", PORT=port)
    assert "support" in json.loads(out)


async def test_a_search_shows_scores_and_says_what_would_become_of_the_question(port: int, tmp_path: Path) -> None:
    code, out, _ = await processes.run(tmp_path, "app", "search", QUESTION, PORT=port)
    assert (code, "Leave > Annual leave (leave.md)" in out, "Would be answered" in out) == (0, True, True)
    code, out, _ = await processes.run(tmp_path, "app", "search", OFF_TOPIC, PORT=port)
    assert (code, "Would be refused" in out) == (4, True)
    code, out, _ = await processes.run(tmp_path, "app", "search", QUESTION, "--json", "--top-k", "2", PORT=port)
    assert len(json.loads(out)["candidates"]) == 2


async def test_status_tells_readiness_and_counts(port: int, tmp_path: Path) -> None:
    code, out, _ = await processes.run(tmp_path, "app", "status", PORT=port)
    assert (code, "is ready" in out, "3 documents" in out) == (0, True, True)
    code, out, _ = await processes.run(tmp_path, "app", "status", "--json", PORT=port)
    assert (json.loads(out)["ready"], json.loads(out)["index"]["documents"]) == (True, 3)


async def test_an_index_that_is_empty_is_not_ready(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        port = urlsplit(str(service.http.base_url)).port
        code, out, _ = await processes.run(tmp_path, "app", "status", PORT=port)
    assert (code, "not ready" in out, "make ingest" in out) == (1, True, True)


@pytest.mark.parametrize("command", [("ask", QUESTION), ("search", QUESTION), ("status",)])
async def test_without_a_service_each_command_says_how_to_start_it(tmp_path: Path, command: tuple[str, ...]) -> None:
    code, out, err = await processes.run(tmp_path, "app", *command, PORT=1)
    assert (code, out) == (2, "")
    assert err == "Nothing answers at http://127.0.0.1:1: start the service with `make run`.\n"


async def test_a_key_is_asked_for_and_sent(indexed: Settings, tmp_path: Path) -> None:
    key = "a-key-of-the-portal"
    keys = tmp_path / "keys.toml"
    keys.write_text(f'[[callers]]\nname = "portal"\nsha256 = "{sha256(key.encode()).hexdigest()}"\n')
    async with running(settings_for(tmp_path, API_KEYS_FILE=keys)) as service:
        port = urlsplit(str(service.http.base_url)).port
        code, _, err = await processes.run(tmp_path, "app", "ask", QUESTION, PORT=port)
        assert (code, "API_KEY" in err) == (2, True)
        for command in [("ask", QUESTION), ("search", QUESTION), ("status",)]:
            code, _, err = await processes.run(tmp_path, "app", *command, PORT=port, API_KEY=key)
            assert (code, err) == (0, "")


async def test_ctrl_c_ends_it_without_a_stack_trace(port: int, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("Every employee gets ", Stall())
    process = await processes.start(tmp_path, "app", "ask", QUESTION, PORT=port)
    assert process.stdout is not None
    await process.stdout.readexactly(len("Every employee gets"))
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert (process.returncode, err) == (130, b"")
    await chat.closed_early.wait()


async def test_what_a_model_writes_cannot_drive_the_terminal(port: int, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("\x1b[2J28 days\x07 [bold]really[/bold] [1].")
    _, out, _ = await processes.run(tmp_path, "app", "ask", QUESTION, PORT=port)
    assert not {"\x1b", "\x07"} & set(out)
    assert "[bold]really[/bold]" in out

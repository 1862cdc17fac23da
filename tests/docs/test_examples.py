"""The examples of the documentation do what it says."""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.docs.examples import Checkout, Example, examples, prints
from tests.processes import ROOT
from tests.scripted_chat import ScriptedChat, says

PAGES = [ROOT / "docs" / name for name in ("quickstart.md", "api.md")]
ENDPOINTS = ("https://api.openai.com/v1", "http://localhost:11434/v1", "http://localhost:8001/v1")


@pytest.fixture
async def checkout(tmp_path: Path, chat: ScriptedChat) -> AsyncIterator[Checkout]:
    chat.reply = says("Trips of up to six hours are made in **first class** [1].")
    made = Checkout(tmp_path, _free_port(), dict.fromkeys(ENDPOINTS, chat.base_url))
    yield made
    await made.stop()


@pytest.mark.timeout(300)  # a page starts a service a few times, and each takes its time on a busy machine
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_every_example_prints_what_its_page_says(page: Path, checkout: Checkout) -> None:
    shown = list(examples(page))
    assert shown
    can_run = [example for example in shown if example.kind != "js" or shutil.which("node")]
    for example in can_run:
        printed = await checkout.run(example)
        place = f"{page.name}:{example.line}"
        assert example.printed is None or prints(example.printed, printed), f"{place} printed {printed}"
    if can_run != shown:
        pytest.skip("node is not installed, so the examples in JavaScript were not run; all others were")


def test_every_block_of_code_on_these_pages_is_run() -> None:
    for page in PAGES:
        assert re.findall(r"^```(?:sh|python|js|console|bash)$", page.read_text(encoding="utf-8"), re.MULTILINE) == []


def test_an_example_is_told_from_other_blocks_and_its_output_from_text(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nrm\n```\n\n```sh run\nls\n```\n\n```text\na\n```\nor\n```python run\n1\n```\nso\n```text\nb\n```\n"
    )
    assert list(examples(page)) == [
        Example(5, "sh", False, "ls\n", "a\n"),
        Example(13, "python", False, "1\n", None),
    ]


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("a\nb\n", "x\na\nb\nc\n", True),
        ("a ... c\n", "a b\nc\n", True),
        ("b\na\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("28 days\n", "27 days\n", False),
    ],
)
def test_output_is_compared_line_by_line_with_gaps_where_the_page_has_them(
    expected: str, output: str, same: bool
) -> None:
    assert prints(expected, output) is same


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])

"""Real replies of many hosts, replayed byte for byte: EVAL_DATA names the folder that holds the recordings."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from app.adapters.chat import ChatAnswerer, connect
from tests.scripted_chat import Reply, ScriptedChat, streams

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / os.environ.get("EVAL_DATA", "../shared/data") / "payloads" / "sse_streams"


def recordings() -> dict[str, str]:
    """The text by file of every chat/completions stream that is there, as the index of the recordings has it."""
    index = RECORDINGS / "INDEX.jsonl"
    entries = [json.loads(line) for line in index.read_text().splitlines()] if index.exists() else []
    return {
        entry["file"]: entry["text"]
        for entry in entries
        if "chat/completions" in entry["uri"] and (RECORDINGS / entry["file"]).exists()
    }


TEXTS = recordings()
pytestmark = pytest.mark.skipif(not TEXTS, reason=f"no recorded streams in {RECORDINGS}: set EVAL_DATA")


async def answer(*replies: Reply) -> list[str]:
    """What the answerer makes of each reply in turn."""
    async with ScriptedChat() as chat, connect(20) as client:
        chat.script(*replies)
        answerer = ChatAnswerer(client, base_url=chat.base_url, model="small", api_key="", deadline_s=20)
        return ["".join([piece async for piece in answerer.stream("How long?", [])]) for _ in replies]


def plainly(body: bytes) -> str:
    """The text of a whole reply, read line by line."""
    lines = body.decode().replace("\r\n", "\n").split("\n")
    events = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    chunks = [json.loads(event) for event in events if event != "[DONE]"]
    return "".join(text_of(choice["delta"].get("content")) for chunk in chunks for choice in chunk["choices"])


def text_of(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""


def randomly_cut(body: bytes, longest: int) -> Reply:
    sizes, start, parts = random.Random(longest), 0, []
    while start < len(body):
        parts.append(body[start : start + sizes.randint(1, longest)])
        start += len(parts[-1])
    return streams(*parts)


@pytest.mark.parametrize("file", TEXTS)
async def test_a_recorded_reply_gives_its_text_however_it_is_cut(file: str) -> None:
    body = (RECORDINGS / file).read_bytes()
    assert plainly(body) == TEXTS[file]
    replies = [streams(body), *(randomly_cut(body, longest) for longest in (len(body) // 1_000, 60, 700, 9_000))]
    assert await answer(*replies) == [TEXTS[file]] * len(replies)

"""Starts a reader process and waits to be killed: `python -m tests.ingest.killed_parent hangs|"is idle" FILE`.

FILE gets the id of the reader process.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tokenizers import Tokenizer

from app.adapters import bundled_model
from app.adapters.tokenizer import FastTokenizer
from ingest.reading import Readers
from tests.ingest.hostile_reader import PROGRAM


def bundled_tokenizer() -> FastTokenizer:
    """That of the bundled model, without the second it takes to load that."""
    with bundled_model.model_folder() as folder:
        return FastTokenizer(Tokenizer.from_file(str(folder / "tokenizer.json")), bundled_model.MAX_TOKENS)


def note_child(file: str) -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    Path(file).write_text(children.strip(), encoding="ascii")


async def main(state: str, file: str) -> None:
    async with Readers(bundled_tokenizer(), program=PROGRAM) as readers:
        if state == "hangs":
            await readers.read("a.txt", f"sleep {file}".encode())
        await readers.read("a.md", b"Text.")
        note_child(file)
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

"""A reader process that does what a document tells it to, whatever that is: `python -m tests.ingest.hostile_reader`.

The first word of a document names the deed; `sleep` is followed by a file to write the process id to.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ingest import reader_process, readers
from ingest.document import Document
from ingest.errors import UnreadableDocument

PROGRAM = "tests.ingest.hostile_reader"

_poisoned = False


def sleep(file: str) -> None:
    Path(file).write_text(str(os.getpid()), encoding="ascii")
    time.sleep(3600)


def spin() -> None:
    """In C, without a look at signals or other threads."""
    re.match(r"(a+)+b", "a" * 64)


def allocate() -> None:
    hoard = []
    while True:
        hoard.append(b"x" * 2**24)


def poison() -> None:
    global _poisoned
    _poisoned = True


def chatter() -> None:
    print("noise " * 10_000, flush=True)
    os.write(1, b"\0" * 65_536)


def tell_environment() -> None:
    raise UnreadableDocument(" ".join(os.environ))


def break_off() -> None:
    """Close all that is open, and go on living."""
    os.closerange(0, 64)
    time.sleep(3600)


DEEDS: dict[str, Callable[..., None]] = {
    "sleep": sleep,
    "spin": spin,
    "allocate": allocate,
    "poison": poison,
    "chatter": chatter,
    "environment": tell_environment,
    "break-off": break_off,
    "exit": lambda: os._exit(3),
    "end": sys.exit,
    "crash": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda: 1 / 0,
    "recurse": lambda: recurse(),
}


def recurse() -> None:
    recurse()


def read(name: str, data: bytes) -> Document:
    if _poisoned:
        os.abort()
    match data.decode().split():
        case [deed, *rest] if deed in DEEDS:
            DEEDS[deed](*rest)
    return readers.read(name, data)


if __name__ == "__main__":
    reader_process.read = read  # type: ignore[attr-defined]
    reader_process.main()

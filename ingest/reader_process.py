"""The program of a reader process: from files to passages, within bounds. `ingest.reading` starts and ends it."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, TypeVar

import msgspec
from msgspec import structs

from app.core.model import Passage
from app.ports import Tokenizer
from ingest import plan
from ingest.chunking import chunk, fit_title
from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.reader_messages import (
    LENGTH_BYTES,
    Batch,
    Broke,
    Done,
    Head,
    Order,
    Overrun,
    Ready,
    Refused,
    Reply,
    Start,
    framed,
)
from ingest.readers import read

PASSAGES_A_BATCH = 64

_PR_SET_PDEATHSIG = 1
_ALARM_SLACK_S = 5
_FIRST_TO_GO = "1000"

_Message = TypeVar("_Message", Start, Order)


def main() -> None:
    """Serve one `Start` and any number of `Order`s from standard input, until it is closed."""
    orders, replies = sys.stdin.buffer, _claim_output()
    start = _receive(orders, Start)
    if start is None:
        return
    _die_with(start.parent)
    _bound_memory(start.memory_mb)
    tokenizer: Tokenizer = pickle.loads(start.tokenizer)  # noqa: S301 - the parent's own
    _send(replies, Ready())
    while (order := _receive(orders, Order)) is not None:
        signal.alarm(start.timeout_s + _ALARM_SLACK_S)
        for reply in _answers(order, tokenizer):
            _send(replies, reply)
        signal.alarm(0)


def _answers(order: Order, tokenizer: Tokenizer) -> Iterator[Reply]:
    try:
        document, passages = _read(order, tokenizer)
        yield Head(structs.replace(document, blocks=()))
        for first in range(0, len(passages), PASSAGES_A_BATCH):
            yield Batch(passages[first : first + PASSAGES_A_BATCH])
        yield Done()
    except UnreadableDocument as exc:
        yield Refused(str(exc))
    except MemoryError:
        yield Overrun()
    except Exception as exc:
        yield Broke(type(exc).__name__, traceback.format_exc())


def _read(order: Order, tokenizer: Tokenizer) -> tuple[Document, list[Passage]]:
    document = order.said.over(read(order.name, order.data))
    document = structs.replace(document, title=fit_title(document.title, tokenizer))
    pieces = chunk(document, tokenizer)
    if not pieces:
        raise UnreadableDocument("it holds no text")
    return document, plan.passages_of(order.document_id, document, pieces)


def _claim_output() -> BinaryIO:
    """Standard output for frames alone: what a library prints goes nowhere."""
    claimed = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return claimed


def _die_with(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when it ends, even by kill -9 while a reader hangs.

    Where the kernel can't see to that, the closed input ends an idle process, and the alarm one that hangs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before that
            sys.exit()


def _bound_memory(megabytes: int) -> None:
    """Linux holds to it; elsewhere only time is bounded. Address space is no measure: libraries reserve a lot of it."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    bound = megabytes * 2**20 if most == resource.RLIM_INFINITY else min(megabytes * 2**20, most)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))
    # A machine short of memory shall take this process, not the one that answers.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write(_FIRST_TO_GO)


def _receive(orders: BinaryIO, kind: type[_Message]) -> _Message | None:
    """None at the end of the input."""
    length = orders.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    return msgspec.msgpack.decode(orders.read(int.from_bytes(length, "big")), type=kind)


def _send(replies: BinaryIO, reply: Reply) -> None:
    replies.write(framed(reply))
    replies.flush()


if __name__ == "__main__":
    main()

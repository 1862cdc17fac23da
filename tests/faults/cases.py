"""What a caller gets when an outside system fails: each system, each fault, at three moments.

A case is run against a real service; what happened stands in its `Outcome`, what should happen in EXPECTED.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.faults.proxy import Fault
from tests.faults.world import Gated, Patience, World, world

Moment = Literal["before", "during", "among 50"]
MOMENTS: tuple[Moment, ...] = ("before", "during", "among 50")
CROWD = 50
_SHORT = {
    "Qdrant": Patience(store_s=2),
    "chat": Patience(chat_s=2),
    "embedding model": Patience(chat_s=2, margin_s=1),
}
"""Where the wait for a stalled system is what the case is about."""

_ANSWERED = ("answered",) * 3
_NO_INDEX = ("503 index-unavailable", "failed: index_unavailable", "failed: index_unavailable")
_NO_VECTOR = ("failed: embedder_failed",) * 3
_BROKEN_OFF = ("failed: provider_protocol",) * 3

EXPECTED: dict[tuple[str, Fault], tuple[str, str, str]] = {
    ("Qdrant", Fault.KILLED): _NO_INDEX,
    ("Qdrant", Fault.STALLED): _NO_INDEX,
    ("Qdrant", Fault.SLOW): _ANSWERED,
    ("Qdrant", Fault.RUBBISH): _NO_INDEX,
    ("Qdrant", Fault.RESTARTED): ("answered", *_NO_INDEX[1:]),
    ("Redis", Fault.KILLED): _ANSWERED,
    ("Redis", Fault.STALLED): _ANSWERED,
    ("Redis", Fault.SLOW): _ANSWERED,
    ("Redis", Fault.RUBBISH): _ANSWERED,
    ("Redis", Fault.RESTARTED): _ANSWERED,
    ("chat", Fault.KILLED): ("failed: provider_unreachable", *_BROKEN_OFF[1:]),
    ("chat", Fault.STALLED): ("failed: provider_timeout",) * 3,
    ("chat", Fault.SLOW): _ANSWERED,
    ("chat", Fault.RUBBISH): _BROKEN_OFF,
    ("chat", Fault.RESTARTED): ("answered", *_BROKEN_OFF[1:]),
    ("embedding model", Fault.KILLED): _NO_VECTOR,
    ("embedding model", Fault.STALLED): ("failed: deadline",) * 3,
    ("embedding model", Fault.SLOW): _ANSWERED,
    ("embedding model", Fault.RUBBISH): _NO_VECTOR,
}
"""The verdict, or the status and type of the problem, at each of MOMENTS."""


@dataclass(frozen=True)
class Outcome:
    """What all callers got, how long the slowest waited, and how long it took until all was well again."""

    got: str
    seconds: float
    recovered_s: float


async def outcomes(folder: Path, system: str, fault: Fault) -> list[Outcome]:
    """Of a fault at each of MOMENTS, one after the other in one run of the service."""
    async with world(folder, _SHORT.get(system, Patience()) if fault is Fault.STALLED else Patience()) as here:
        return [await _run(here, system, fault, moment) for moment in MOMENTS]


async def _run(here: World, system: str, fault: Fault, moment: Moment) -> Outcome:
    """Let it happen, and hold the service to what must be true of every case."""
    faulty, gate = here.systems[system], here.gates[system]
    questions = here.questions(CROWD if moment == "among 50" else 1)
    began = time.monotonic()
    if moment == "before":
        await faulty.suffer(fault)
        replies = await asyncio.gather(*map(here.ask, questions))
    else:
        gate.close()
        asking = [asyncio.create_task(here.ask(question)) for question in questions]
        await _until_held(gate, asking)
        began = time.monotonic()
        await faulty.suffer(fault)
        gate.open()
        replies = await asyncio.gather(*asking)
    seconds = time.monotonic() - began
    assert (await here.service.http.get("/health/live")).status_code == 200
    await faulty.mend()
    recovered_s = await here.recovered()
    await _assert_cached_only_when_answered(here, questions[0], replies[0][0])
    return Outcome(" or ".join(sorted({got for got, _ in replies})), seconds, recovered_s)


async def _until_held(gate: Gated, asking: Sequence[asyncio.Task[Any]]) -> None:
    """Until all of them wait at the gate, or one ran out of patience there."""
    held = asyncio.create_task(gate.holds(len(asking)))
    await asyncio.wait([held, *asking], return_when=asyncio.FIRST_COMPLETED)
    held.cancel()


async def _assert_cached_only_when_answered(here: World, question: str, got: str) -> None:
    again, reply = await here.ask(question)
    assert again == "answered"
    assert got == "answered" or not reply["cached"]

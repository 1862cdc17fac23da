"""Signed notices in Redis, for all replicas: which were seen, and the plans they brought.

What this machine has seen and kept by itself counts as well. Without Redis a notice that another replica took within
the last minutes would be taken once more here, and a new plan holds on this machine alone; both are counted.
"""

from __future__ import annotations

from typing import cast

import msgspec

from app.adapters.circuit import CallFailed
from app.adapters.redis_circuit import RedisLink
from app.core.plans import Plan, newest
from app.metrics import NOTICE_FAILURES
from app.ports import NoticeMemory

CALL_S = 2.0
"""For one call: nobody waits for an answer here, and a notice taken twice is worse than one that takes longer."""
_SEEN = "vouch:notice:1:"
_PLANS = "vouch:plans:1"
_READ = msgspec.json.Decoder(Plan)


class RedisNotices:
    """The port `NoticeMemory` on a link of its own, over the memory of this machine.

    A cache that gives up soon is no reason to take a notice twice, so it shares no rest with it.
    """

    def __init__(self, link: RedisLink, own: NoticeMemory) -> None:
        self._link = link
        self._client = link.client
        self._own = own
        self._circuit = link.circuit("notices", NOTICE_FAILURES)

    async def is_new(self, notice: str, lasts_s: float) -> bool:
        if not await self._own.is_new(notice, lasts_s):
            return False
        try:
            return bool(await self._circuit.call("seen", lambda: self._set(notice, lasts_s), CALL_S))
        except CallFailed:
            return True

    async def keep(self, caller: str, plan: Plan) -> None:
        await self._own.keep(caller, plan)
        try:
            await self._circuit.call("keep", lambda: self._keep(caller, plan), CALL_S)
        except CallFailed:
            return

    async def plans(self) -> dict[str, Plan]:
        own = await self._own.plans()
        try:
            return newest(own, await self._circuit.call("plans", self._plans, CALL_S))
        except (CallFailed, msgspec.MsgspecError):
            return own

    async def close(self) -> None:
        await self._link.close()

    async def _set(self, notice: str, lasts_s: float) -> object:
        return await self._client.set(_SEEN + notice, b"", nx=True, ex=int(lasts_s))

    async def _keep(self, caller: str, plan: Plan) -> None:
        await self._client.hset(_PLANS, caller, msgspec.json.encode(plan))

    async def _plans(self) -> dict[str, Plan]:
        stored = cast("dict[bytes, bytes]", await self._client.hgetall(_PLANS))
        return {caller.decode(): _READ.decode(plan) for caller, plan in stored.items()}

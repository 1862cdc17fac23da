"""The callers under their plans: limits that signed notices brought stand above those of the file of callers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from app.core.callers import Caller
from app.core.plans import Plan, under_plan
from app.errors import NoticesUnavailable
from app.logs import log
from app.ports import Keys, NoticeMemory

REFRESH_S = 5.0
"""Until every process and replica knows of a new plan."""


class PlannedKeys:
    """The port `Keys`, over that of the file of callers."""

    def __init__(self, keys: Keys, memory: NoticeMemory) -> None:
        self._keys = keys
        self._memory = memory
        self._plans: Mapping[str, Plan] = {}
        self._task: asyncio.Task[None] | None = None

    def find(self, key: str) -> Caller | None:
        caller = self._keys.find(key)
        return caller and under_plan(caller, self._plans.get(caller.name))

    def reload(self) -> None:
        self._keys.reload()

    async def start(self) -> None:
        """Know the plans from now on, also those that other processes take."""
        await self._refresh_or_tell()
        self._task = asyncio.create_task(self._follow())

    async def change(self, caller: str, plan: Plan) -> bool:
        """Keep a plan, unless a later one is known; whether it was kept. Raises NoticesUnavailable."""
        await self._refresh()
        known = self._plans.get(caller)
        if known is not None and known.signed_at > plan.signed_at:
            return False
        await self._memory.keep(caller, plan)
        await self._refresh()
        return True

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_S)
            await self._refresh_or_tell()

    async def _refresh_or_tell(self) -> None:
        """Plans that can't be read stay as they were."""
        try:
            await self._refresh()
        except NoticesUnavailable as exc:
            log.warning("plans.not_read", problem=str(exc))

    async def _refresh(self) -> None:
        self._plans = await self._memory.plans()

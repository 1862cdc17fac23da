"""Puts together what takes signed notices, and closes it again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from app.adapters.notice_file import NoticeFile
from app.adapters.redis_circuit import RedisLink, connect
from app.adapters.redis_notices import RedisNotices
from app.jobs import Jobs
from app.notices import Notices
from app.plans import PlannedKeys
from app.ports import Keys, NoticeMemory
from app.settings import Settings
from app.web.notices import Desk


@asynccontextmanager
async def open_desk(settings: Settings, keys: Keys | None, jobs: Jobs) -> AsyncIterator[Desk]:
    """Syncs what notices of this run and of earlier ones ask for; `keys` are then under the plans that they brought."""
    async with AsyncExitStack() as stack:
        file = NoticeFile(settings.store_path / f"notices-{settings.index_name}.sqlite")
        stack.push_async_callback(file.close)
        memory: NoticeMemory = file
        if settings.redis_url:
            memory = RedisNotices(RedisLink(connect(settings.redis_url)), file)
            stack.push_async_callback(memory.close)
        notices = Notices(file, jobs)
        notices.start()
        stack.push_async_callback(notices.stop)
        plans = PlannedKeys(keys, memory) if keys is not None else None
        if plans is not None:
            await plans.start()
            stack.push_async_callback(plans.stop)
        yield Desk(settings.shared_secrets, memory, notices, plans)

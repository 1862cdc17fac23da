"""A signed notice is taken once, whoever sends it again and to whom."""

from __future__ import annotations

import time
from pathlib import Path

from app.core.signatures import sign
from tests.redis_server import RedisServer
from tests.service import running, settings_for, write_corpus
from tests.web.test_notices import NOTICE, OTHER, SECRET, send


async def test_a_notice_is_taken_once_also_under_the_other_secret_and_after_a_restart(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    settings = settings_for(tmp_path, NOTICE_SECRETS=f"{SECRET},{OTHER}")
    now = int(time.time())
    async with running(settings) as service:
        first, again = [await send(service, NOTICE, sign(SECRET, now, NOTICE)) for _ in range(2)]
        assert (first.status_code, again.status_code) == (202, 409)
        assert again.json()["type"] == "/problems/replayed-notice"
        assert (await send(service, NOTICE, sign(OTHER, now, NOTICE))).status_code == 409
        assert (await send(service, NOTICE, sign(SECRET, now - 60, NOTICE))).status_code == 202
    async with running(settings) as service:
        assert (await send(service, NOTICE, sign(SECRET, now, NOTICE))).status_code == 409


async def test_replicas_share_what_they_have_seen_and_take_notices_without_redis(
    redis: RedisServer, tmp_path: Path
) -> None:
    replicas = [tmp_path / "one", tmp_path / "two"]
    for folder in replicas:
        write_corpus(folder)
    one, two = (settings_for(folder, NOTICE_SECRETS=SECRET, REDIS_URL=redis.url) for folder in replicas)
    async with running(one) as first, running(two) as second:
        signature = sign(SECRET, int(time.time()), NOTICE)
        replies = [await send(service, NOTICE, signature) for service in (first, second)]
        assert [reply.status_code for reply in replies] == [202, 409]
        redis.kill()
        signature = sign(SECRET, int(time.time()) - 60, NOTICE)
        replies = [await send(first, NOTICE, signature) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [202, 409], "a replica's own memory counts as well"

"""Several chat endpoints: who is asked, who answers, and what is never asked twice."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress

import pytest

from app.adapters.breaker import OPENS_AFTER
from app.adapters.chat import ChatAnswerer, connect
from app.adapters.chat_fallbacks import ChatFallbacks, ChatTurn
from app.core import prompt
from app.core.retry_budget import MOST, RATIO
from app.errors import AnswererFailed
from app.metrics import CHAT_RETRIES
from tests.raw_http import Cut, Stall
from tests.scripted_chat import Reply, ScriptedChat, fails_midway, says, sends, stalls, status

DEADLINE_S = 10.0


@pytest.fixture
async def second() -> AsyncIterator[ScriptedChat]:
    async with ScriptedChat() as server:
        server.reply = says("From the second.")
        yield server


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def pool(stack: AsyncExitStack, *urls: str, deadline_s: float = DEADLINE_S) -> ChatFallbacks:
    """Endpoints whose models are called m0, m1, ..."""
    answerers = [
        ChatAnswerer(
            await stack.enter_async_context(connect(deadline_s)),
            base_url=url,
            model=f"m{number}",
            api_key="",
            deadline_s=deadline_s,
        )
        for number, url in enumerate(urls)
    ]
    return ChatFallbacks(answerers)


async def text(turn: ChatTurn) -> str:
    return "".join([piece async for piece in turn.stream("How long?", [])])


async def failure(turn: ChatTurn) -> AnswererFailed:
    with pytest.raises(AnswererFailed) as failed:
        await text(turn)
    return failed.value


def unreachable() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@pytest.mark.parametrize(
    "reply",
    [
        status(500),
        status(401),
        status(429, retry_after="1"),
        fails_midway(),
        sends(Cut.RESET),
        sends(b"rubbish\r\n\r\n"),
    ],
    ids=["500", "401", "429", "error-event", "reset", "rubbish"],
)
async def test_the_next_endpoint_answers_when_one_fails_before_its_first_word(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack, reply: Reply
) -> None:
    chat.reply = reply
    turn = (await pool(stack, chat.base_url, second.base_url)).begin()
    assert await text(turn) == "From the second."
    assert (turn.model, len(chat.requests), len(second.requests)) == ("m1", 1, 1)
    assert second.requests[0]["model"] == "m1"


async def test_an_endpoint_that_is_not_there_costs_no_retry(second: ScriptedChat, stack: AsyncExitStack) -> None:
    turn = (await pool(stack, unreachable(), second.base_url)).begin()
    assert await text(turn) == "From the second."


async def test_once_text_was_shown_nobody_else_is_asked(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = fails_midway("Six ")
    failed = await failure((await pool(stack, chat.base_url, second.base_url)).begin())
    assert (failed.reason, second.requests) == ("provider_error", [])


async def test_a_filtered_answer_is_not_asked_for_elsewhere(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = says(finish="content_filter")
    failed = await failure((await pool(stack, chat.base_url, second.base_url)).begin())
    assert (failed.reason, second.requests) == ("content_filtered", [])


async def test_an_endpoint_that_stalls_leaves_the_next_its_share_of_the_time(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = stalls(Stall())
    started = asyncio.get_running_loop().time()
    turn = (await pool(stack, chat.base_url, second.base_url, deadline_s=2)).begin()
    assert await text(turn) == "From the second."
    assert 0.9 < asyncio.get_running_loop().time() - started < 2


async def test_all_of_them_together_keep_to_one_deadline(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = second.reply = stalls(Stall())
    started = asyncio.get_running_loop().time()
    failed = await failure((await pool(stack, chat.base_url, second.base_url, deadline_s=1)).begin())
    assert failed.reason == "provider_timeout"
    assert asyncio.get_running_loop().time() - started < 1.5


async def test_a_whole_completion_falls_back_as_well(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = fails_midway("Six ")  # nothing of it was shown
    turn = (await pool(stack, chat.base_url, second.base_url)).begin()
    assert await turn.complete(prompt.build("How long?", [])) == "From the second."
    assert turn.model == "m1"


async def test_the_only_endpoint_is_asked_again_when_it_says_so(chat: ScriptedChat, stack: AsyncExitStack) -> None:
    chat.script(status(503, retry_after="0"), says("Six."))
    assert await text((await pool(stack, chat.base_url)).begin()) == "Six."
    assert len(chat.requests) == 2


@pytest.mark.parametrize(
    "reply",
    [status(429, retry_after="3"), status(503), status(500, retry_after="0"), status(400), sends(Cut.RESET)],
    ids=["too-long", "no-header", "500", "400", "reset"],
)
async def test_what_is_not_safe_or_vain_is_not_asked_again(
    chat: ScriptedChat, stack: AsyncExitStack, reply: Reply
) -> None:
    chat.reply = reply
    await failure((await pool(stack, chat.base_url)).begin())
    assert len(chat.requests) == 1


async def test_an_endpoint_that_is_often_busy_is_asked_again_for_a_share_of_the_questions_only(
    chat: ScriptedChat, stack: AsyncExitStack
) -> None:
    questions, before = 30, CHAT_RETRIES._value.get()
    chat.script(*[status(429, retry_after="0"), says("Six.")] * questions)  # no breaker opens
    endpoints = await pool(stack, chat.base_url)
    for _ in range(questions):
        with suppress(AnswererFailed):
            await text(endpoints.begin())
    assert MOST <= CHAT_RETRIES._value.get() - before <= MOST + questions * RATIO


async def test_an_endpoint_that_keeps_failing_is_left_alone_for_a_while(
    chat: ScriptedChat, second: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = status(500)
    endpoints = await pool(stack, chat.base_url, second.base_url)
    assert endpoints.condition() == (True, "chat: m0 (circuit closed), then m1 (circuit closed)")
    for _ in range(OPENS_AFTER + 3):
        assert await text(endpoints.begin()) == "From the second."
    assert len(chat.requests) == OPENS_AFTER
    assert endpoints.condition() == (True, "chat: m0 (circuit open), then m1 (circuit closed)")


async def test_when_every_endpoint_is_left_alone_the_caller_hears_it_at_once(
    chat: ScriptedChat, stack: AsyncExitStack
) -> None:
    chat.reply = status(500)
    endpoints = await pool(stack, chat.base_url)
    for _ in range(OPENS_AFTER + 1):
        failed = await failure(endpoints.begin())
    assert (failed.reason, len(chat.requests)) == ("provider_unreachable", OPENS_AFTER)
    assert not endpoints.condition()[0]


async def test_a_wrong_key_does_not_open_the_circuit(chat: ScriptedChat, stack: AsyncExitStack) -> None:
    chat.reply = status(401)
    endpoints = await pool(stack, chat.base_url)
    for _ in range(OPENS_AFTER + 1):
        assert "CHAT_API_KEY" in str(await failure(endpoints.begin()))

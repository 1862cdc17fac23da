"""What the service counts, as Prometheus reads it."""

from __future__ import annotations

import asyncio

from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says
from tests.service import OFF_TOPIC, Service


async def sampled(service: Service) -> dict[str, float]:
    text = (await service.http.get("/metrics")).text
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_an_answer_counts_its_model_call_and_estimates_its_tokens(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets 28 days a year [1].")
    before = await sampled(chatting)
    await chatting.ask()
    after = await sampled(chatting)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert grown('vouch_model_calls_total{answerer="chat"}') == 1
    assert grown('vouch_model_tokens_total{direction="prompt"}') > 200
    assert 5 < grown('vouch_model_tokens_total{direction="completion"}') < 50
    assert after["vouch_answers_in_progress"] == after["vouch_embeddings_in_progress"] == 0


async def test_a_call_to_the_model_is_gauged_while_it_lasts(chatting: Service, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall)
    asking = asyncio.create_task(chatting.ask())
    await stall.reached.wait()
    assert (await sampled(chatting))['vouch_calls_in_progress{to="chat"}'] == 1
    asking.cancel()
    await chat.closed_early.wait()
    await chatting.ask(OFF_TOPIC)
    assert (await sampled(chatting))['vouch_calls_in_progress{to="chat"}'] == 0


async def test_a_refusal_costs_no_token(chatting: Service, chat: ScriptedChat) -> None:
    before = await sampled(chatting)
    await chatting.ask(OFF_TOPIC)
    after = await sampled(chatting)
    spent = [name for name in after if "model" in name and "created" not in name and after[name] != before.get(name, 0)]
    assert (spent, chat.requests) == ([], [])


async def test_the_index_is_gauged(service: Service) -> None:
    await service.ask()
    now = await sampled(service)
    assert (now["vouch_index_documents"], now["vouch_index_updating"]) == (3, 0)
    assert now["vouch_index_passages"] >= 3
    assert now["vouch_index_generation"] >= 1

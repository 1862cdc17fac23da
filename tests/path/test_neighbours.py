"""Sources that were merged with their neighbours, from the request to what is kept of the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import structs

from app.metrics import NEIGHBOURS_MISSED
from tests.qdrant_http import Reply, http_server, local_mode
from tests.scripted_chat import ScriptedChat, prompt_of, says
from tests.service import Service, ingest, running, settings_for, write_corpus
from tests.stores import LOCAL_MODE

pytestmark = LOCAL_MODE

FILLER = (
    "Chairs, desks and lamps of this room are counted twice a year by the people who sit there, and by nobody else. "
)
BEFORE = "The lift is repaired by the landlord, who wants to be called before ten o'clock."
HIT = "The espresso machine is descaled on the first Monday of each month with citric acid."
AFTER = "Whoever does it writes the date on the sheet that hangs beside the cupboard."
QUESTION = "When is the espresso machine descaled?"


def paragraph(sentence: str) -> str:
    return f"{sentence} {FILLER * 6}".strip()


HOUSE = {"house.md": "# House\n\n## Machines\n\n" + "\n\n".join(map(paragraph, ("Hello.", BEFORE, HIT, AFTER, "Bye.")))}
"""Each paragraph fills a passage."""


@pytest.fixture
async def house(tmp_path: Path, chat: ScriptedChat) -> AsyncIterator[Service]:
    write_corpus(tmp_path, HOUSE)
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")
    await ingest(settings)
    async with running(settings) as service:
        yield service


async def test_a_source_says_what_it_was_merged_from_and_is_one_fence_in_the_prompt(
    house: Service, chat: ScriptedChat
) -> None:
    chat.reply = says("On Mondays [1].")
    reply = await house.ask(QUESTION, top_k=1)
    (source,) = reply["sources"]
    assert [passage["score"] is None for passage in source["passages"]] == [True, False, True]
    parts = [source["text"][passage["start"] : passage["end"]] for passage in source["passages"]]
    assert [part.split(".")[0] for part in parts] == [text.split(".")[0] for text in (BEFORE, HIT, AFTER)]
    assert source["passage_id"] == source["passages"][1]["passage_id"]
    assert source["score"] == source["passages"][1]["score"]
    assert source["pages"] is None
    prompt = prompt_of(chat.requests[0])
    assert '<source id="1">' in prompt
    assert '<source id="2">' not in prompt
    assert all(text in prompt for text in (BEFORE, HIT, AFTER))
    assert reply["timings_ms"]["neighbours"] > 0


async def test_a_merged_source_is_streamed_replayed_and_kept_as_it_was(house: Service, chat: ScriptedChat) -> None:
    chat.reply = says("On Mondays [1].")
    streamed = await house.stream(QUESTION, top_k=1)
    replayed = await house.ask(QUESTION, top_k=1)
    kept = (await house.http.get(f"/v1/answers/{replayed['id']}")).json()
    assert replayed["cached"]
    assert dict(streamed.events)["sources"]["sources"] == streamed.done["sources"] == replayed["sources"]
    assert [{**source, "withheld": False} for source in replayed["sources"]] == kept["sources"]


async def test_quotes_and_support_are_found_in_a_neighbour(house: Service, chat: ScriptedChat) -> None:
    quoted = json.dumps({"answer": f"{AFTER} [1]", "citations": [{"source": 1, "quote": AFTER}], "confidence": "high"})
    chat.script(says(quoted), says(f"{AFTER} [1]"))
    reply = await house.ask(QUESTION, top_k=1, mode="structured")
    (citation,) = reply["citations"]
    assert reply["sources"][0]["text"][citation["start"] : citation["end"]] == AFTER
    checked = await house.ask(QUESTION, top_k=1, verify=True)
    (sentence,) = checked["support"]["sentences"]
    assert sentence["supported"]
    assert AFTER in checked["sources"][0]["text"][slice(*sentence["span"])]


async def test_without_a_model_the_answer_is_quoted_from_what_was_found(tmp_path: Path) -> None:
    write_corpus(tmp_path, HOUSE)
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        reply = await service.ask(QUESTION, top_k=1)
    assert reply["answer"] == f"{HIT} [1]"


async def test_nothing_is_merged_while_a_job_changes_the_index(house: Service, chat: ScriptedChat) -> None:
    chat.reply = says("On Mondays [1].")
    store = house.app.state.services.store
    state = await store.state()
    await store.write_state(structs.replace(state, state="updating"), known=state)
    reply = await house.ask(QUESTION, top_k=1)
    assert [source["passages"] for source in reply["sources"]] == [[]]
    assert AFTER not in prompt_of(chat.requests[0])


@pytest.mark.parametrize("fault", ["refused", "silent"])
async def test_passages_stand_alone_when_the_index_does_not_give_their_neighbours(tmp_path: Path, fault: str) -> None:
    standing = local_mode()
    broken = False

    async def respond(method: str, path: str, body: bytes) -> Reply:
        if broken and b'"position"' in body:
            if fault == "silent":
                await asyncio.Event().wait()
            return 503, b"{}"
        return await standing(method, path, body)

    write_corpus(tmp_path, HOUSE)
    async with http_server(respond) as server:
        settings = settings_for(tmp_path, QDRANT_URL=server.url)
        await ingest(settings)
        missed = NEIGHBOURS_MISSED._value.get()
        async with running(settings) as service:
            broken = True
            reply = await service.ask(QUESTION, top_k=1)
            broken = False
            merged = await service.ask(f"{QUESTION} Tell me.", top_k=1)
    assert (reply["status"], reply["answer"]) == ("answered", f"{HIT} [1]")
    assert [source["passages"] for source in reply["sources"]] == [[]]
    assert len(merged["sources"][0]["passages"]) == 3
    assert NEIGHBOURS_MISSED._value.get() == missed + 1

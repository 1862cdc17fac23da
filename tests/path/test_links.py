"""Links, images and citations written as links, from the HTTP request to the reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, Service, ingest, running, settings_for, write_corpus

URL = "https://handbook.example/leave"
CITED = f"[Annual leave]({URL})"
CORPUS = {
    "leave.md": f"---\ntitle: Annual leave\nurl: {URL}\n---\n\nEvery employee gets 28 days of annual leave a year. "
    "Ask through the [form](/forms/leave).\n\n![Calendar](https://img.example/calendar.png)\n",
    "expenses.md": "# Expenses\n\nExpense reports are due within 30 days of the trip.\n",
}


@pytest.fixture
async def settings(tmp_path: Path, chat: ScriptedChat) -> Settings:
    write_corpus(tmp_path, CORPUS)
    settings = settings_for(
        tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", IMAGE_HOSTS="cdn.example, IMG.example"
    )
    await ingest(settings)
    return settings


@pytest.fixture
async def linking(settings: Settings) -> AsyncIterator[Service]:
    async with running(settings) as service:
        yield service


def at_markers(reply: dict[str, Any]) -> list[tuple[int, str]]:
    return [(m["number"], reply["answer"][m["start"] : m["end"]]) for m in reply["markers"]]


async def metric(service: Service, name: str) -> float:
    lines = (await service.http.get("/metrics")).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


async def test_citations_can_be_links_to_the_documents_they_name(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets ", "28 days [", "1", "]. In code it stays: `[1]`. Or 30 [9].")
    stream = await linking.stream(citation_style="links")
    assert (
        stream.text == stream.done["answer"] == f"Every employee gets 28 days {CITED}. In code it stays: `[1]`. Or 30."
    )
    assert (stream.done["status"], stream.done["cited"], stream.done["dropped"]) == ("answered", [1], ["[9]"])
    assert at_markers(stream.done) == [(1, CITED)]


async def test_markers_and_links_are_cached_apart_and_replayed_as_they_were(
    linking: Service, chat: ScriptedChat
) -> None:
    chat.reply = says("Every employee gets 28 days [1].")
    plain, linked = await linking.ask(), await linking.ask(citation_style="links")
    again = await linking.ask(citation_style="links")
    assert (plain["answer"], at_markers(plain)) == ("Every employee gets 28 days [1].", [(1, "[1]")])
    assert (linked["cached"], again["cached"], len(chat.requests)) == (False, True, 2)
    assert (again["answer"], again["markers"]) == (linked["answer"], linked["markers"])


async def test_a_document_without_a_url_keeps_its_marker(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says("They are due within 30 days [1].")
    reply = await linking.ask("When are expense reports due?", citation_style="links")
    assert reply["sources"][0]["url"] is None
    assert reply["answer"] == "They are due within 30 days [1]."


async def test_the_support_check_reads_citations_that_are_links(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets 28 days of annual leave a year [1]. Every employee gets 99 cats [1].")
    reply = await linking.ask(citation_style="links", verify=True)
    first, second = reply["support"]["sentences"]
    assert (first["supported"], second["supported"], first["cited"], second["cited"]) == (True, False, [1], [1])
    for sentence in (first, second):
        assert reply["answer"][sentence["start"] : sentence["end"]] == sentence["text"]
    assert first["text"] == f"Every employee gets 28 days of annual leave a year {CITED}."
    assert second["text"].startswith("Every employee gets 99 cats")
    replayed = await linking.ask(citation_style="links", verify=True)
    assert (replayed["cached"], replayed["support"]) == (True, reply["support"])


async def test_quotes_are_weighed_by_citations_that_are_links(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says(
        '{"answer": "Every employee gets 28 days [1].", "confidence": "low",'
        ' "citations": [{"source": 1, "quote": "gets 28 days of annual leave"}]}'
    )
    reply = await linking.ask(mode="structured", citation_style="links")
    assert (reply["confidence"], reply["answer"]) == ("high", f"Every employee gets 28 days {CITED}.")


async def test_a_link_that_no_source_holds_is_not_live_and_is_counted(linking: Service, chat: ScriptedChat) -> None:
    before = await metric(linking, "vouch_links_defanged_total ")
    chat.reply = says("See [the form](https://evil.example/?q=secret) and ![x](https://evil.example/p.png) [1].")
    reply = await linking.ask()
    assert "](" not in reply["answer"]
    assert "://" not in reply["answer"]
    assert "the form" in reply["answer"]
    assert await metric(linking, "vouch_links_defanged_total ") - before == 2


async def test_links_and_images_of_the_source_pass_where_their_host_is_trusted(
    linking: Service, chat: ScriptedChat
) -> None:
    chat.reply = says("Use the [form](/forms/leave): ![plan](https://img.example/calendar.png) [1]")
    reply = await linking.ask()
    form = "[form](https://handbook.example/forms/leave)"
    assert reply["answer"] == f"Use the {form}: ![plan](https://img.example/calendar.png) [1]"
    assert reply["sources"][0]["images"] == ["https://img.example/calendar.png"]
    found = (await linking.http.get("/v1/search", params={"q": QUESTION})).json()["candidates"]
    assert found[0]["images"] == reply["sources"][0]["images"]


async def test_no_image_is_live_unless_its_host_is_named(
    settings: Settings, tmp_path: Path, chat: ScriptedChat
) -> None:
    chat.reply = says("The plan: ![plan](https://img.example/calendar.png) [1]")
    async with running(settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as service:
        reply = await service.ask()
    assert "![" not in reply["answer"]
    assert "plan" in reply["answer"]


async def test_a_link_to_the_document_counts_as_its_citation(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says(f"Every employee gets 28 days ([Annual leave]({URL})).")
    reply = await linking.ask()
    assert (reply["status"], reply["cited"]) == ("answered", [1])
    assert reply["answer"] == "Every employee gets 28 days ([1])."


async def test_dropped_citations_are_counted_by_how_they_were_written(linking: Service, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets 28 days [1] [^9] 【9†source】.")
    await linking.ask()
    text = (await linking.http.get("/metrics")).text
    forms = {
        line.partition("{")[2].partition("}")[0] for line in text.splitlines() if "citations_dropped_total{" in line
    }
    assert len(forms) >= 2


async def test_a_repeated_answer_keeps_its_links_and_its_origin_says_where_its_markers_stand(
    linking: Service, chat: ScriptedChat
) -> None:
    chat.reply = says("Every employee gets 28 days [1].")
    first = await linking.ask(citation_style="links")
    repeated = await linking.ask("Repeat that", previous=first["id"])
    assert (repeated["answer"], repeated["markers"]) == (first["answer"], first["markers"])
    origin = await linking.ask("Where does that come from?", previous=first["id"])
    assert at_markers(origin) == [(1, "[1]")]

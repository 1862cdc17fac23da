"""Catalogue questions and recommendations, from the HTTP request to the reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import structs

from app.adapters.stores import open_store
from app.settings import Settings
from tests import scripted_chat as script
from tests.scripted_chat import ScriptedChat, says
from tests.service import OFF_TOPIC, Service, ingest, running, settings_for, write_corpus

ADVICE = "Start with the rotation [1]."


def page(title: str, text: str, url: str = "", access: str = "public") -> str:
    address = f"url: {url}\n" if url else ""
    return f"---\ntitle: {title}\naccess: {access}\n{address}---\n\n{text}\n"


LIBRARY = {
    "rota.md": page(
        "The on-call rotation",
        "The on-call engineer answers a page within 15 minutes. On-call pay is 300 euros a week.",
        url="https://handbook.example/rota",
    ),
    "handing.md": page("Handing over", "After on-call duty the on-call engineer hands the pager to the next on-call."),
    "leave.md": page("Annual *leave* [1]", "Every employee gets 28 days of annual leave a year."),
    "meals.md": page("Meals", "What you eat on a trip is refunded up to 40 euros a day."),
    "secret.md": page("On-call of the board", "On-call duty of the board is a secret.", access="board"),
}
ON_CALL = "Which documents about on-call are there?"
EVERYTHING = "What documents do you have?"


@pytest.fixture
async def library(tmp_path: Path, chat: ScriptedChat) -> Settings:
    write_corpus(tmp_path, LIBRARY)
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")
    await ingest(settings)
    return settings


@pytest.fixture
async def librarian(library: Settings) -> AsyncIterator[Service]:
    async with running(library) as service:
        yield service


async def test_documents_on_a_topic_are_listed_without_a_model(librarian: Service, chat: ScriptedChat) -> None:
    reply = await librarian.ask(ON_CALL)
    assert reply["answer"] == "- The on-call rotation: https://handbook.example/rota [1]\n- Handing over [2]"
    assert (reply["status"], reply["reason"], reply["intent"]) == ("answered", None, "catalogue")
    assert (reply["cited"], reply["dropped"], reply["model"]) == ([1, 2], [], "catalogue")
    assert [source["document_id"] for source in reply["sources"]] == ["rota.md", "handing.md"]
    assert "15 minutes" in reply["sources"][0]["text"]
    assert (reply["relevance"]["candidates"], reply["relevance"]["accepted"]) == (4, 2)
    assert chat.requests == []


async def test_every_document_that_may_be_seen_is_listed_by_title(librarian: Service, chat: ScriptedChat) -> None:
    reply = await librarian.ask(EVERYTHING)
    assert [source["document_id"] for source in reply["sources"]] == ["leave.md", "handing.md", "meals.md", "rota.md"]
    assert reply["answer"].splitlines()[0] == r"- Annual \*leave\* (1) [1]"
    assert (reply["status"], reply["cited"]) == ("answered", [1, 2, 3, 4])
    assert {source["text"] for source in reply["sources"]} == {""}
    assert "board" not in str(reply)
    assert chat.requests == []


async def test_a_filter_narrows_a_catalogue(librarian: Service) -> None:
    reply = await librarian.ask(EVERYTHING, filter={"source_prefix": "meals.md"})
    assert reply["answer"] == "- Meals [1]"
    nothing = await librarian.ask(EVERYTHING, filter={"source_prefix": "elsewhere"})
    assert (nothing["status"], nothing["reason"], nothing["intent"]) == ("refused", "no_candidates", "catalogue")


async def test_a_title_that_holds_the_topic_is_enough(librarian: Service) -> None:
    reply = await librarian.ask("Which documents about handing are there?")
    assert reply["relevance"]["best"] < reply["relevance"]["threshold"]
    assert (reply["status"], reply["answer"]) == ("answered", "- Handing over [1]")


async def test_a_topic_that_no_document_has_is_refused(librarian: Service, chat: ScriptedChat) -> None:
    stream = await librarian.stream("Which documents about the football world cup are there?")
    assert stream.names == ["done"]
    assert (stream.done["status"], stream.done["reason"]) == ("refused", "below_threshold")
    assert (stream.done["answer"], stream.done["sources"], stream.done["intent"]) == (None, [], "catalogue")
    assert chat.requests == []


async def test_an_empty_index_has_no_documents(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        reply = await service.ask(EVERYTHING)
    assert (reply["status"], reply["reason"], reply["intent"]) == ("refused", "no_candidates", "catalogue")


async def test_a_streamed_a_replayed_and_a_json_catalogue_are_the_same(librarian: Service) -> None:
    stream = await librarian.stream(ON_CALL)
    replayed = await librarian.ask(ON_CALL)
    assert stream.names[0] == "sources"
    assert stream.text == stream.done["answer"] == replayed["answer"]
    assert (stream.done["cached"], replayed["cached"]) == (False, True)
    for name in ("sources", "cited", "intent", "model", "relevance", "status"):
        assert stream.done[name] == replayed[name]


async def test_no_policy_makes_a_catalogue_ungrounded(librarian: Service) -> None:
    for options in ({"citation_policy": "strict"}, {"citation_policy": "supported"}, {"verify": True}):
        assert (await librarian.ask(ON_CALL, **options))["status"] == "answered"


async def test_more_documents_than_are_listed_are_counted_and_stay_grounded(tmp_path: Path) -> None:
    write_corpus(tmp_path, {f"{n:03}.md": page(f"Page {n:03}", f"Duty of team {n}.") for n in range(210)})
    settings = settings_for(tmp_path, RELEVANCE_THRESHOLD=0.05)
    await ingest(settings)
    async with running(settings) as service:
        everything = await service.ask(EVERYTHING)
        on_duty = await service.ask("Which documents about duty are there?")
    for reply in (everything, on_duty):
        assert (reply["status"], len(reply["sources"]), len(reply["cited"])) == ("answered", 40, 40)
    assert everything["answer"].endswith("- Page 039 [40]\n\n… and 170 more in the index")
    assert on_duty["answer"].endswith("[40]\n\n… and at least 160 more in the index")


async def test_a_document_whose_passages_are_hidden_already_is_not_listed(library: Settings) -> None:
    """A job that narrows access writes the passages first; the record still says otherwise when it is killed there."""
    async with open_store(library, "job") as (store, _):
        state = await store.state()
        assert state is not None
        narrowed = [
            structs.replace(passage, access=("board",)) for passage in await store.passages(state.collection, "rota.md")
        ]
        await store.update_passages(state.collection, narrowed)
    async with running(library) as service:
        for question in (ON_CALL, EVERYTHING, "Which documents about the rotation are there?"):
            assert "rota" not in str(await service.ask(question))


async def test_kept_evidence_holds_the_documents(librarian: Service) -> None:
    reply = await librarian.ask(EVERYTHING)
    kept = (await librarian.http.get(f"/v1/answers/{reply['id']}")).json()
    assert (kept["answer"], kept["intent"], kept["withheld"]) == (reply["answer"], "catalogue", False)
    assert [source["title"] for source in kept["sources"]] == [source["title"] for source in reply["sources"]]


async def test_the_caller_may_say_what_is_wanted(librarian: Service, chat: ScriptedChat) -> None:
    chat.reply = says("There is one [1].")
    answered = await librarian.ask(ON_CALL, intent="answer")
    assert (answered["answer"], "intent" in answered) == ("There is one [1].", False)
    listed = await librarian.ask("on-call", intent="catalogue")
    assert [source["document_id"] for source in listed["sources"]] == ["rota.md", "handing.md"]
    assert len(chat.requests) == 1
    refused = await librarian.http.post("/v1/answers", json={"question": ON_CALL, "intent": "guess"})
    assert refused.status_code == 400


async def test_the_intent_is_part_of_the_cache_key(librarian: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ADVICE)
    for intent in ("answer", "catalogue", "recommend"):
        assert not (await librarian.ask(ON_CALL, intent=intent))["cached"]
    assert (await librarian.ask(ON_CALL))["cached"], "the phrase says what the option said"


async def test_a_plain_question_says_nothing_of_intent(librarian: Service, chat: ScriptedChat) -> None:
    chat.reply = says("300 euros [1].")
    reply = await librarian.ask("What is the on-call pay?")
    assert (reply["status"], "intent" in reply) == ("answered", False)
    assert "intent" not in await librarian.ask(OFF_TOPIC)


# Recommendations

BEFORE_THE_SHIFT = "Which pages should I read before my first on-call shift?"


async def test_advice_is_written_from_one_passage_of_each_document_first(tmp_path: Path, chat: ScriptedChat) -> None:
    duty = " ".join(f"On-call duty {n} of the first on-call shift is for engineer {n}." for n in range(40))
    write_corpus(
        tmp_path, {"long.md": page("On-call shifts", duty), "short.md": page("Pagers", "Test yours on Mondays.")}
    )
    settings = settings_for(
        tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted", RELEVANCE_THRESHOLD=0.05, CONTEXT_TOKENS=4000
    )
    await ingest(settings)
    chat.reply = says(ADVICE)
    async with running(settings) as service:
        advice = (await service.stream(BEFORE_THE_SHIFT)).done
        plain = await service.ask(BEFORE_THE_SHIFT, intent="answer")
    assert (advice["status"], advice["answer"], advice["intent"], advice["model"]) == (
        "answered",
        ADVICE,
        "recommend",
        "scripted",
    )
    assert [source["document_id"] for source in advice["sources"]][:3] == ["long.md", "short.md", "long.md"]
    assert [source["document_id"] for source in plain["sources"]] == ["long.md", "short.md"]
    assert len(plain["sources"][0]["passages"]) >= 3  # what follows each other is one source there
    assert len(chat.requests) == 2


async def test_advice_has_at_most_twelve_sources(tmp_path: Path, chat: ScriptedChat) -> None:
    write_corpus(tmp_path, {f"{n}.md": page(f"Team {n}", f"On-call duty of team {n * 7919}.") for n in range(15)})
    settings = settings_for(
        tmp_path,
        CHAT_BASE_URL=chat.base_url,
        CHAT_MODEL="scripted",
        RELEVANCE_THRESHOLD=0.05,
        ANSWERABILITY_THRESHOLD=0,
        CONTEXT_TOKENS=4000,
    )
    await ingest(settings)
    chat.reply = says(ADVICE)
    async with running(settings) as service:
        advice = await service.ask(BEFORE_THE_SHIFT)
        plain = await service.ask(BEFORE_THE_SHIFT, intent="answer")
    assert (len(advice["sources"]), len(plain["sources"])) == (12, 8)
    assert '<source id="12">' in script.prompt_of(chat.requests[0])
    assert '<source id="13">' not in script.prompt_of(chat.requests[0])

"""Every verdict, as a reader sees it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.page.browser import Visit
from tests.raw_http import Cut
from tests.scripted_chat import ScriptedChat, fails_midway, says, status
from tests.service import OFF_TOPIC, QUESTION

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = "Every employee gets 28 days of annual leave a year [1]."


async def test_an_answer_shows_its_verdict_sources_and_small_print(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets ", "28 days of annual leave a year [1].")
    await visit.ask()
    assert await visit.verdict("answered") == "Answered. Cites 1 of 2 sources."
    await expect(visit["#asked"]).to_have_text(QUESTION)
    await expect(visit["#text"]).to_have_text(ANSWER)
    await expect(visit["#sources button"]).to_have_text(["1 Annual leave … Carry-over", "2 Deadline"])
    await expect(visit["#sources button.unused"]).to_have_text("2 Deadline")
    await expect(visit["#facts"]).to_contain_text("written by scripted")
    await expect(visit["#notices p"]).to_have_count(0)
    await expect(visit["#status"]).to_have_text("Answered. Cites 1 of 2 sources.")


async def test_an_ungrounded_answer_is_greyed_and_says_that_nothing_backs_it(visit: Visit, chat: ScriptedChat) -> None:
    chat.script(says(ANSWER), says("It is 28 days, trust me."))
    await visit.ask()
    await visit.verdict("answered")
    black = await visit["#text"].evaluate("(text) => getComputedStyle(text).color")
    await visit.ask("How much annual leave is there?")
    assert "nothing here backs it" in await visit.verdict("ungrounded")
    await expect(visit["#text"]).to_have_text("It is 28 days, trust me.")
    assert await visit["#text"].evaluate("(text) => getComputedStyle(text).color") != black


async def test_a_refusal_says_what_was_missing_and_names_titles_without_text(visit: Visit, chat: ScriptedChat) -> None:
    await visit.ask(OFF_TOPIC)
    assert (await visit.verdict("refused")).startswith("Not answered. No passage in the documents is close enough")
    await expect(visit["#notices .notice"].first).to_contain_text("0.25 is needed: far off.")
    await expect(visit["#notices h3"]).to_have_text("Closest titles, not close enough")
    titles = await visit["#notices li"].all_inner_texts()
    assert sorted(titles) == ["Expenses", "Leave", "on-call.txt"]
    assert "28 days" not in await visit["#answer"].inner_text()
    await expect(visit["#sources button"]).to_have_count(0)
    assert chat.requests == []


async def test_a_refusal_of_what_comes_close_says_what_speaks_against_it(visit: Visit) -> None:
    await visit.ask("Which engineer invented the telephone in 1876?")
    assert "unlikely to hold the answer" in await visit.verdict("refused")
    await expect(visit["#notices .notice"].first).to_contain_text("probability of 0.0")
    await expect(visit["#notices .notice"].nth(1)).to_contain_text("1876")


async def test_sources_leave_with_an_answer_that_the_model_declines(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("NOT_", "FOUND")
    await visit.ask()
    assert "do not hold the answer" in await visit.verdict("refused")
    await expect(visit["#notices h3"]).to_have_text("Read, but without the answer")
    await expect(visit["#sources button"]).to_have_count(0)
    await expect(visit["#text"]).to_have_text("")


async def test_a_failure_strikes_what_was_written_and_offers_to_try_again(visit: Visit, chat: ScriptedChat) -> None:
    chat.script(fails_midway("Every employee gets 28 ", "days [1] a year"), says(ANSWER))
    await visit.ask()
    assert (await visit.verdict("failed")).startswith("Failed. The language model reported an error.")
    await expect(visit["#text"]).to_have_text("Every employee gets 28 days [1] a year")
    await expect(visit["#text"]).to_have_css("text-decoration-line", "line-through")
    await expect(visit["#text button"]).to_have_count(0)
    await expect(visit["#notices"]).to_have_text("Discard what is struck out.")
    await visit.page.get_by_role("button", name="Try again").click()
    await visit.verdict("answered")
    assert len(chat.requests) == 2


async def test_a_failure_before_the_first_word_has_nothing_to_strike(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = status(500)
    await visit.ask()
    await visit.verdict("failed")
    await expect(visit["#text"]).to_have_text("")
    await expect(visit["#notices p"]).to_have_count(0)


async def test_a_reply_that_breaks_off_is_a_failure(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee ", Cut.RESET)
    await visit.ask()
    await visit.verdict("failed")


async def test_a_cached_answer_says_so_with_its_revision(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await visit.ask()
    await visit.verdict("answered")
    revision = (await visit.service.http.get("/v1/index")).json()["revision"]
    await visit.ask()
    await expect(visit["#notices"]).to_have_text(
        f"The same answer as before: it comes from the cache, for revision {revision}."
    )
    await expect(visit["#text"]).to_have_text(ANSWER)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("It is 28 days [1] [9].", "1 invented citation was removed."),
        ("It is 28 days [1] [7][8].", "2 invented citations were removed."),
    ],
)
async def test_removed_citations_are_counted(visit: Visit, chat: ScriptedChat, written: str, told: str) -> None:
    chat.reply = says(written)
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#notices"]).to_contain_text(told)
    await expect(visit["#text"]).to_have_text("It is 28 days [1].")


async def test_sentences_without_support_are_listed_with_what_is_missing(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets 45 days of annual leave a year [1].")
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#notices li"]).to_contain_text("Every employee gets 45 days of annual leave a year")
    await expect(visit["#notices li"]).to_contain_text("not found: 45")


async def test_the_support_check_can_be_left_out(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets 45 days of annual leave a year [1].")
    await visit["#options summary"].click()
    await visit["#verify"].uncheck()
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#notices li"]).to_have_count(0)


async def test_a_service_that_is_away_is_told_and_the_question_stays(visit: Visit) -> None:
    await visit.page.route("**/v1/answers", lambda route: route.abort())
    await visit.ask()
    assert await visit.verdict("failed") == "Failed. The service can't be reached. Is it running?"
    await expect(visit["#question"]).to_have_value(QUESTION)
    await expect(visit.page.get_by_role("button", name="Try again")).to_be_visible()
    visit.expect_complaints("net::ERR_FAILED")


async def test_a_problem_is_told_in_the_service_s_words(visit: Visit) -> None:
    await visit["#question"].evaluate("(field) => field.removeAttribute('maxlength')")
    await visit.ask("why " * 600)
    assert (await visit.verdict("failed")).startswith("Failed. The question can't be asked.")
    visit.expect_complaints("400 (Bad Request)")

"""Getting about: stop, reload, back, history, permalinks, copies, small windows and the keyboard alone."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import BrowserContext, expect

from tests.page.browser import Visit
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = "Every employee gets 28 days [1]."
OTHER_QUESTION = "Until when are expense reports due?"
OTHER_ANSWER = "Within 30 days of the trip [1]."


async def answered(visit: Visit, question: str = QUESTION) -> str:
    """Ask, wait for the end, and give the id that the address then names."""
    await visit.ask(question)
    await expect(visit["#asked"]).to_have_text(question)
    await visit.verdict("answered")
    await expect(visit["#actions a"]).to_be_visible()
    return parse_qs(urlsplit(visit.page.url).query)["answer"][0]


async def test_stop_closes_the_model_s_connection_and_leaves_no_verdict(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Every employee gets ", Stall())
    await visit.ask()
    await expect(visit["#text"]).to_have_text("Every employee gets")
    await visit.page.get_by_role("button", name="Stop").click()
    assert (await visit.verdict("failed")).startswith("Stopped.")
    await chat.closed_early.wait()
    await expect(visit["#stop"]).to_be_hidden()
    await expect(visit["#asked"]).to_be_focused()
    await expect(visit["#sources button"]).to_have_count(0)
    await expect(visit["#history a"]).to_have_count(0)


async def test_a_new_question_ends_the_one_before(visit: Visit, chat: ScriptedChat) -> None:
    chat.script(says("Every employee ", Stall()), says(OTHER_ANSWER))
    await visit.ask()
    await expect(visit["#text"]).to_have_text("Every employee")
    await answered(visit, OTHER_QUESTION)
    await chat.closed_early.wait()
    await expect(visit["#text"]).to_have_text(OTHER_ANSWER)
    await expect(visit["#stop"]).to_be_hidden()


async def test_leaving_the_page_closes_the_model_s_connection(visit: Visit, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("Every employee ", stall)
    await visit.ask()
    await stall.reached.wait()
    await visit.page.goto("about:blank")
    await chat.closed_early.wait()
    visit.requests.clear()


async def test_a_reload_shows_the_kept_evidence_without_asking_again(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await answered(visit)
    await visit.page.reload()
    await visit.verdict("answered")
    await expect(visit["#asked"]).to_have_text(QUESTION)
    await expect(visit["#question"]).to_have_value(QUESTION)
    await expect(visit["#text"]).to_have_text(ANSWER)
    await expect(visit["#text button"]).to_have_text(["[1]"])
    await expect(visit["#facts"]).to_contain_text("kept evidence of")
    await visit["#text button"].click()
    await expect(visit["#passage mark"]).to_have_text("Every employee gets 28 days of annual leave a year.")
    assert len(chat.requests) == 1


async def test_back_and_forward_go_from_answer_to_answer(visit: Visit, chat: ScriptedChat) -> None:
    chat.script(says(ANSWER), says(OTHER_ANSWER))
    await answered(visit)
    await answered(visit, OTHER_QUESTION)
    await visit.page.go_back()
    await expect(visit["#asked"]).to_have_text(QUESTION)
    await expect(visit["#text"]).to_have_text(ANSWER)
    await visit.page.go_back()
    await expect(visit["#answer"]).to_be_hidden()
    await visit.page.go_forward()
    await expect(visit["#text"]).to_have_text(ANSWER)


async def test_a_permalink_works_in_another_browser_s_tab(
    visit: Visit, chat: ScriptedChat, context: BrowserContext
) -> None:
    chat.reply = says(ANSWER)
    await answered(visit)
    href = await visit["#actions a"].get_attribute("href")
    other = await Visit(context, visit.service).open(f"/{href}")
    await expect(other["#text"]).to_have_text(ANSWER)
    assert other.complaints == []


async def test_a_permalink_to_nothing_offers_to_ask_again(visit: Visit, chat: ScriptedChat) -> None:
    await visit.page.goto(f"{visit.address}/?answer=0123456789abcdef0123456789abcdef")
    assert await visit.verdict("failed") == (
        "Failed. There is no such answer. It may have expired: ask the question again."
    )
    visit.expect_complaints("404 (Not Found)")


async def test_history_stays_in_the_browser_opens_answers_and_can_be_forgotten(
    visit: Visit, chat: ScriptedChat
) -> None:
    chat.script(says(ANSWER), says(OTHER_ANSWER))
    await answered(visit)
    await answered(visit, OTHER_QUESTION)
    await expect(visit["#history a"]).to_have_text([OTHER_QUESTION, QUESTION])
    await visit["#history a"].nth(1).click()
    await expect(visit["#text"]).to_have_text(ANSWER)
    await visit.page.get_by_role("button", name="Forget all of it").click()
    await expect(visit["#history"]).to_be_hidden()
    assert await visit.run("() => localStorage.getItem('vouch.history')") == "[]"
    assert await visit.run("() => document.cookie") == ""


async def test_an_answer_is_copied_with_the_sources_it_cites(
    visit: Visit, chat: ScriptedChat, context: BrowserContext
) -> None:
    chat.reply = says("It is **28** days [1].")
    await context.grant_permissions(["clipboard-read", "clipboard-write"], origin=visit.address)
    answer_id = await answered(visit)
    await visit["#actions button"].click()
    await expect(visit["#actions button"]).to_have_text("Copied")
    assert await visit.run("() => navigator.clipboard.readText()") == (
        "It is **28** days [1].\n\n"
        "Sources:\n[1] Leave › Annual leave … Carry-over · leave.md\n\n"
        f"{visit.address}/?answer={answer_id}"
    )


async def test_a_follow_up_is_served_from_the_answer_before(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await expect(visit["#follow-up-field"]).to_be_hidden()
    await answered(visit)
    await visit["#options summary"].click()
    await visit["#follow-up"].check()
    await answered(visit, "Where does that come from?")
    await expect(visit["#text"]).to_have_text("Leave › Annual leave … Carry-over [1]")
    assert len(chat.requests) == 1
    await expect(visit["#history a"]).to_have_text([QUESTION])


async def test_a_kept_answer_of_an_unknown_question_can_not_be_asked_again(visit: Visit, chat: ScriptedChat) -> None:
    await visit.page.goto(f"{visit.page.url.split('?')[0]}?answer=ffff")
    assert "There is no such answer" in await visit.verdict("failed")
    await expect(visit["#actions button"]).to_have_count(0)
    assert chat.requests == []
    visit.expect_complaints("404 (Not Found)")


async def test_filters_narrow_the_search_and_the_closest_titles(visit: Visit, chat: ScriptedChat) -> None:
    await visit["#options summary"].click()
    await visit["#prefix"].fill("expenses.md")
    await visit.ask()
    await visit.verdict("refused")
    await expect(visit["#notices li"]).to_have_text(["Expenses"])
    await visit["#prefix"].fill("")
    await visit["#tags"].fill(" leave, travel ,")
    await visit.ask()
    assert "the filter lets through" in await visit.verdict("refused")
    assert chat.requests == []


async def test_it_is_used_with_the_keyboard_alone(visit: Visit, chat: ScriptedChat) -> None:
    press = visit.page.keyboard.press
    chat.reply = says(ANSWER)
    await press("Tab")
    await expect(visit[".skip"]).to_be_focused()
    await press("Enter")
    await press("Tab")
    await visit["#question"].focus()
    await visit.page.keyboard.type("How many days")
    await press("Shift+Enter")
    await visit.page.keyboard.type("of annual leave does an employee get?")
    await press("Enter")
    await visit.verdict("answered")
    seen = []
    for _ in range(8):
        await press("Tab")
        seen.append(await visit.run("() => document.activeElement.textContent.trim()"))
        assert await visit.run("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert seen[:2] == ["Ask", "Filters and options"]
    assert seen[2:7] == ["1 Annual leave … Carry-over", "2 Deadline", "[1]", "Copy with sources", "Permalink"]


async def test_no_window_is_scrolled_sideways(visit: Visit, chat: ScriptedChat) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 4
    table = f"|{' a column |' * 12}\n|{'---|' * 12}"
    chat.reply = says(f"28 days [1] {long}.\n\n{table}\n\n```\n{long}{long}\n```")
    await visit.ask(f"{QUESTION} {long}")
    await visit.verdict("answered")
    await visit["#sources button"].first.click()
    for width in (1180, 700, 360):
        await visit.page.set_viewport_size({"width": width, "height": 740})
        await expect(visit["#source"]).to_be_in_viewport()
        assert await visit.run("() => document.documentElement.scrollWidth") <= width
        assert await visit.run(FARTHEST_RIGHT) <= width


FARTHEST_RIGHT = """() => {
    const controls = document.querySelectorAll("button, input, textarea, a:not(.skip)");
    return Math.max(...Array.from(controls, (one) => one.getBoundingClientRect().right));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_all_text_has_a_contrast_of_at_least_4_5(visit: Visit, chat: ScriptedChat, scheme: str) -> None:
    replies = {
        "refused": says("NOT_FOUND"),
        "failed": says("It is 28 days [1].", finish="length"),
        "ungrounded": says("It is so."),
        "answered": says("It is 45 days [1] [9], see `code`.\n\n> quoted\n\n| a |\n|---|\n| b |"),
    }
    await visit.page.emulate_media(color_scheme=scheme)
    await visit["#options summary"].click()
    await visit["#access summary"].click()
    for status, reply in replies.items():
        chat.reply = reply
        await visit.ask()
        await visit.verdict(status)
        if status == "answered":
            await visit["#text button"].click()
        assert await visit.run(CONTRAST) == []


CONTRAST = """() => {
    const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
    const isClear = (color) => numbers(color).length === 4 && numbers(color)[3] === 0;
    const light = (value) => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = (color) => {
        const [red, green, blue] = numbers(color).map(light);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (one) => {
        const color = getComputedStyle(one).backgroundColor;
        return isClear(color) ? behind(one.parentElement) : color;
    };
    const contrast = (one) => {
        const [low, high] = [getComputedStyle(one).color, behind(one)].map(luminance).sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const shown = [...document.querySelectorAll("body *")].filter((one) => says(one) && one.checkVisibility());
    return shown.filter((one) => contrast(one) < 4.5).map((one) => `${one.tagName} ${one.className} ${contrast(one)}`);
}"""

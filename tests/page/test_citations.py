"""Citations in a text that streams in: buttons, wherever the pieces were cut, and nothing else is one."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.page.browser import Visit
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, says, split_markers

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = "Every employee gets 28 days [1], and 5 days carry over [2][1]."


async def test_sources_stand_there_before_the_first_word(visit: Visit, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says(stall, ANSWER)
    await visit.ask()
    await expect(visit["#sources button"]).to_have_count(2)
    await expect(visit["#text"]).to_have_text("")
    await expect(visit["#verdict"]).to_have_text("2 sources found. Writing …")
    await expect(visit["#answer"]).to_have_attribute("aria-busy", "true")
    stall.released.set()
    await visit.verdict("answered")
    await expect(visit["#answer"]).to_have_attribute("aria-busy", "false")


async def test_split_markers_become_buttons_while_the_answer_streams(visit: Visit, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says(*split_markers(ANSWER), " More", stall, " to come.")
    await visit.ask()
    await expect(visit["#text button"]).to_have_text(["[1]", "[2]", "[1]"])
    stall.released.set()
    await visit.verdict("answered")
    await expect(visit["#text button"]).to_have_text(["[1]", "[2]", "[1]"])
    await expect(visit["#text"]).to_have_text(f"{ANSWER} More to come.")


async def test_a_citation_that_has_focus_keeps_it_while_the_text_grows(visit: Visit, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("First 28 days [1].\n\nThen ", stall, "5 days carry over [2].")
    await visit.ask()
    await visit["#text button"].first.focus()
    stall.released.set()
    await visit.verdict("answered")
    await expect(visit["#text button"].first).to_be_focused()


async def test_a_click_opens_the_source_with_its_supporting_words_marked(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("Up to 5 unused days of annual leave carry over until 31 March [1].")
    await visit.ask()
    await visit.verdict("answered")
    await visit.page.get_by_role("button", name="Source 1: Leave").click()
    await expect(visit["#source-title"]).to_have_text("1. Leave")
    await expect(visit["#source-place"]).to_have_text("Leave › Annual leave … Carry-over · leave.md")
    await expect(visit["#passage mark"]).to_have_text("Up to 5 unused days of annual leave carry over until 31 March.")
    await expect(visit["[data-source='1'][aria-expanded=true]"]).to_have_count(2)
    await visit.page.get_by_role("button", name="Close the source").click()
    await expect(visit["#source"]).to_be_hidden()


async def test_enter_opens_a_source_and_escape_leads_back(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    await visit.ask()
    await visit.verdict("answered")
    citation = visit["#text button"].nth(1)
    await citation.focus()
    await visit.page.keyboard.press("Enter")
    await expect(visit["#source-title"]).to_be_focused()
    await visit.page.keyboard.press("Escape")
    await expect(visit["#source"]).to_be_hidden()
    await expect(citation).to_be_focused()


async def test_an_open_source_stays_open_when_the_verdict_comes(visit: Visit, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("28 days [1]", stall, ".")
    await visit.ask()
    await visit["#sources button"].first.click()
    stall.released.set()
    await visit.verdict("answered")
    await expect(visit["#source"]).to_be_visible()
    await expect(visit["#source-title"]).to_be_focused()


async def test_places_are_counted_in_characters_not_in_utf_16(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("😀😀 28 days 🏖️ [1] of leave 𝔸 [2].")
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#text"]).to_have_text("😀😀 28 days 🏖️ [1] of leave 𝔸 [2].")
    await expect(visit["#text button"]).to_have_text(["[1]", "[2]"])


async def test_numbers_in_code_are_no_citations(visit: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("28 days [1]. Write `row[1]`:\n\n```\nrow[2]\n```\n")
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#text button"]).to_have_text(["[1]"])
    await expect(visit["#text code"]).to_have_text(["row[1]", "row[2]"])


async def test_what_stands_for_a_citation_inside_the_page_is_none_in_an_answer(
    visit: Visit, chat: ScriptedChat
) -> None:
    chat.reply = says("28 days [1], &#xDC01;, &#56321; and `&#xDC01;`.")
    await visit.ask()
    await visit.verdict("answered")
    await expect(visit["#text button"]).to_have_text(["[1]"])


async def test_half_a_character_of_a_text_is_none_of_its_citations(visit: Visit) -> None:
    found = await visit.run(
        """async () => {
            const { fromMarkers, fromText, pieces } = await import("./static/citations.js");
            const marker = { number: 1, start: 1, end: 4 };
            return [fromText("a \\udc01 [2]", 2), fromMarkers("\\udc01[1]", [marker])].map(pieces);
        }"""
    )
    assert found == [["a \ufffd ", 2], ["\ufffd", 1]]


async def test_an_address_ends_where_a_citation_begins(visit: Visit) -> None:
    shown = await visit.run(
        """async () => {
            const { MarkdownView } = await import("./static/markdown.js");
            const { fromMarkers } = await import("./static/citations.js");
            const root = document.createElement("div");
            const view = new MarkdownView(root, (number) => document.createElement(`x-${number}`));
            view.show(fromMarkers("See https://a.example/b?c=1&amp;d[1].", [{ number: 1, start: 33, end: 36 }]));
            return [root.querySelector("a").href, root.textContent, root.querySelectorAll("x-1").length];
        }"""
    )
    assert shown == ["https://a.example/b?c=1&d", "See https://a.example/b?c=1&d.", 1]


async def test_however_a_text_was_cut_it_ends_in_the_same_elements(visit: Visit) -> None:
    text = (
        "# Leave [1]\n\nA **bold [2]** word, <b>raw</b> &amp; `code [1]`\n- one\n  1. two [2]\n\n"
        "> said [1]\n\n| a | b |\n|---|--:|\n| 1 [1] | 2 |\n\n```py\nx[1]\n```\nhttps://a.example/b[2] ~~gone~~\n\n[1]"
    )
    same = await visit.run(
        """async (text) => {
            const { MarkdownView } = await import("./static/markdown.js");
            const { fromText } = await import("./static/citations.js");
            const shown = (parts) => {
                const root = document.createElement("div");
                const view = new MarkdownView(root, (number) => document.createElement(`x-${number}`));
                for (const part of parts) view.show(fromText(part, 2));
                return root.innerHTML;
            };
            const beginnings = Array.from(text, (_, at) => text.slice(0, at + 1));
            const growing = (step) => [...beginnings.filter((_, at) => at % step === 0), text];
            return [1, 2, 3, 7].map((step) => shown(growing(step)) === shown([text]));
        }""",
        text,
    )
    assert same == [True] * 4

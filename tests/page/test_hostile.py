"""Documents, models and addresses that try to run something in the reader's browser, in every place they can write."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from tests.page.browser import Visit
from tests.scripted_chat import ScriptedChat, says
from tests.service import ingest, running, settings_for, write_corpus

pytestmark = pytest.mark.asyncio(loop_scope="session")

IMAGE = "<img src=x onerror=hacked=1>"
SCRIPT = "<script>hacked=1</script>"
QUESTION = "How many days of annual leave are there?"
CORPUS = {
    f"{IMAGE}.md": "---\n"
    f"title: 'Leave {IMAGE}'\n"
    "url: 'javascript:hacked=1'\n"
    f"tags: ['{IMAGE}']\n"
    "---\n\n"
    f"# Annual {IMAGE} {SCRIPT}\n\n"
    f"There are 28 days of annual leave {SCRIPT} {IMAGE} a year.\n",
    "other.md": f"---\nurl: 'https://a.example/\"onmouseover=\"hacked=1'\n---\n\n"
    f"# Days {IMAGE}\n\nDays of annual leave end on 31 March.\n",
}
HOSTILE_ANSWERS = [
    f"28 days [1]. {IMAGE} {SCRIPT}",
    f"<div onclick=hacked=1>28 days [1]</div>\n\n<svg onload=hacked=1>\n\n{SCRIPT}",
    "28 days [1]. [click](javascript:hacked=1) <javascript:hacked=1> [c][c]\n\n[c]: javascript:hacked=1",
    "28 days [1]. [click](jav&#x61;script:hacked=1) [d](data:text/html,<script>hacked=1</script>)",
    '28 days [1]. ![x](x"onerror="hacked=1) ![y](javascript:hacked=1) [z](https://a.example "t" onclick=hacked=1)',
    f'28 days [1].\n\n```html"onload="hacked=1\n{IMAGE}\n```\n\n`{SCRIPT}`',
    f"28 days [1].\n\n| {IMAGE} | b |\n|---|---|\n| {SCRIPT} | &lt;img src=x onerror=hacked=1&gt; |",
    "28 days [1]. {{constructor.constructor('hacked=1')()}} ${hacked=1} __proto__ constructor",
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_corpus(folder, CORPUS)
    await ingest(settings_for(folder))
    return folder


@pytest_asyncio.fixture(loop_scope="session")
async def hostile(folder: Path, chat: ScriptedChat, context: BrowserContext) -> AsyncIterator[Visit]:
    async with running(settings_for(folder, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as service:
        visit = await Visit(context, service).open()
        yield visit
        await _check(visit)


async def _check(visit: Visit) -> None:
    """Nothing ran, nothing was asked of elsewhere, and no element has what only hostile text could have given it."""
    assert await visit.run("() => window.hacked") is None
    assert visit.foreign_requests() == []
    assert visit.complaints == []
    scripts, images, handlers, links = await visit.run(
        """() => {
            const all = [...document.querySelectorAll("body *")];
            const attributes = all.flatMap((one) => [...one.attributes]);
            return [
                document.scripts.length,
                all.filter((one) => ["IMG", "IFRAME", "SVG", "OBJECT"].includes(one.tagName.toUpperCase())).length,
                attributes.filter((one) => one.name.startsWith("on") || one.name === "style").length,
                [...document.links].map((one) => one.protocol).filter((one) => !/^(https?|mailto):$/.test(one)),
            ];
        }"""
    )
    assert (scripts, images, handlers, links) == (1, 0, 0, [])


async def test_what_a_model_writes_stays_text(hostile: Visit, chat: ScriptedChat) -> None:
    for number, answer in enumerate(HOSTILE_ANSWERS):
        chat.reply = says(answer)
        await hostile.ask(f"{QUESTION} ({number})")
        await expect(hostile["#asked"]).to_have_text(f"{QUESTION} ({number})")
        await hostile.verdict("answered")
        await expect(hostile["#text button"]).to_have_text(["[1]"])
        await _check(hostile)


async def test_the_page_itself_links_to_no_scripts_and_shows_no_markup(hostile: Visit) -> None:
    """The service takes such links out already; here they reach the page."""
    shown = await hostile.run(
        """async (answers) => {
            const { MarkdownView } = await import("./static/markdown.js");
            const root = document.body.appendChild(document.createElement("div"));
            const place = () => root.appendChild(document.createElement("div"));
            for (const answer of answers) new MarkdownView(place(), () => null).show(answer);
            const links = [...root.querySelectorAll("[href], [src]")].map((one) => one.href || one.src);
            return [links, root.querySelectorAll("script, svg, [onclick], [onerror], [style]").length];
        }""",
        [*HOSTILE_ANSWERS, "[mail](mailto:a@a.example) [old](ftp://a.example) [away](//a.example) [near](/v1/index)"],
    )
    assert shown == [["https://a.example/", "mailto:a@a.example"], 0]
    await hostile.run("() => document.body.lastElementChild.remove()")


async def test_what_a_document_brings_stays_text(hostile: Visit, chat: ScriptedChat) -> None:
    chat.reply = says("28 days [1], until 31 March [2].")
    await hostile.ask(QUESTION)
    await hostile.verdict("answered")
    for number in (0, 1):
        await hostile["#sources button"].nth(number).click()
        await expect(hostile["#source-title"]).to_be_focused()
        await _check(hostile)
    shown = await hostile["#sources"].inner_text() + await hostile["#source"].inner_text()
    assert IMAGE in shown


async def test_titles_of_a_refusal_stay_text(hostile: Visit) -> None:
    await hostile.ask("Who won the football world cup in 1998?")
    await hostile.verdict("refused")
    await expect(hostile["#notices li"].first).to_be_visible()


async def test_a_question_stays_text_in_heading_field_and_history(hostile: Visit, chat: ScriptedChat) -> None:
    question = f"</textarea></h2>{IMAGE} {SCRIPT} {QUESTION}"
    chat.reply = says("28 days [1].")
    await hostile.ask(question)
    await expect(hostile["#actions a"]).to_be_visible()
    await expect(hostile["#asked"]).to_have_text(question)
    await expect(hostile["#history a"]).to_have_text(question)
    await _check(hostile)
    await hostile.page.reload()
    await expect(hostile["#asked"]).to_have_text(question)
    await expect(hostile["#question"]).to_have_value(question)


async def test_an_id_in_the_address_stays_text(hostile: Visit) -> None:
    await hostile.page.goto(f"{hostile.address}/?answer={IMAGE}%22%26%3F..%2F..%2Findex")
    assert (await hostile.verdict("failed")).startswith("Failed. Not Found.")
    hostile.expect_complaints("404 (Not Found)")


async def test_a_history_that_someone_else_wrote_stays_text(hostile: Visit) -> None:
    entries = [
        {"id": IMAGE, "question": SCRIPT, "status": "constructor"},
        {"id": "javascript:hacked=1", "question": IMAGE, "status": IMAGE},
        {"id": 7, "question": "What?"},
        {"id": "x", "question": {}},
        None,
    ]
    await hostile.run("(kept) => localStorage.setItem('vouch.history', kept)", json.dumps(entries))
    await hostile.page.reload()
    await expect(hostile["#history a"]).to_have_text([SCRIPT, IMAGE])
    await _check(hostile)
    await hostile["#history a"].nth(1).click()
    await hostile.verdict("failed")
    hostile.expect_complaints("404 (Not Found)")


async def test_a_history_that_is_none_does_no_harm(hostile: Visit) -> None:
    for kept in ("{", "null", '{"a": 1}', '"text"'):
        await hostile.run("(kept) => localStorage.setItem('vouch.history', kept)", kept)
        await hostile.page.reload()
        await expect(hostile["#index"]).to_contain_text("2 documents")
        await expect(hostile["#history"]).to_be_hidden()


async def test_the_browser_itself_refuses_to_turn_text_into_markup(hostile: Visit) -> None:
    refused = await hostile.run(
        """() => {
            const tries = [
                () => { document.body.innerHTML = "<b>x</b>"; },
                () => document.write("x"),
                () => { document.createElement("script").src = "/x.js"; },
                () => { document.createElement("iframe").srcdoc = "x"; },
            ];
            return tries.map((one) => {
                try { one(); return "done"; } catch (error) { return error.name; }
            });
        }"""
    )
    assert refused == ["TypeError"] * 4
    hostile.expect_complaints("TrustedHTML", "TrustedScriptURL")


async def test_text_nested_without_end_is_shown_flat(hostile: Visit, chat: ScriptedChat) -> None:
    for nesting in ("> " * 200, "- " * 200, "> " * 4000):
        chat.reply = says(f"28 days [1].\n\n{nesting}deep")
        question = f"{QUESTION} {len(nesting)} {nesting[0]}"
        await hostile.ask(question)
        await expect(hostile["#asked"]).to_have_text(question)
        await hostile.verdict("answered")
        await expect(hostile["#text button"]).to_have_text(["[1]"])
        assert await hostile.run(DEEPEST) < 80


DEEPEST = """() => {
    const depth = (one) => (one.parentElement ? 1 + depth(one.parentElement) : 0);
    return Math.max(...Array.from(document.querySelectorAll("#text *"), depth));
}"""

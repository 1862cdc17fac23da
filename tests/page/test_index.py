"""The state of the index, and the job that admins may start from the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from tests.page.browser import Visit
from tests.service import ingest, running, settings_for, write_corpus

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECORD = """() => {
    const told = document.querySelector("#sync div");
    window.told = [];
    new MutationObserver(() => window.told.push(told.textContent)).observe(told, { childList: true });
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def editable(tmp_path: Path, context: BrowserContext) -> AsyncIterator[Visit]:
    """The page of a service whose corpus in `tmp_path` may be changed."""
    write_corpus(tmp_path)
    settings = settings_for(tmp_path)
    await ingest(settings)
    async with running(settings) as service:
        visit = await Visit(context, service).open()
        yield visit
        assert visit.complaints == []


async def use_key(visit: Visit, key: str) -> None:
    await visit["#access summary"].click()
    await visit["#key"].fill(key)
    await visit["#key"].press("Enter")


async def test_the_state_of_the_index_is_told(visit: Visit) -> None:
    index = (await visit.service.http.get("/v1/index")).json()
    await expect(visit["#index"]).to_contain_text(f"3 documents · revision {index['revision']} · updated ")
    await expect(visit["#sync"]).to_be_hidden()


async def test_an_empty_index_says_what_to_do(tmp_path: Path, context: BrowserContext) -> None:
    async with running(settings_for(tmp_path)) as service:
        visit = await Visit(context, service).open()
        await expect(visit["#index"]).to_have_text("The index is empty: run `make ingest`.")
        await visit.ask()
        await visit.verdict("refused")
        await expect(visit["#notices"]).to_have_text("There was nothing to compare the question with.")


async def test_failures_and_a_running_update_are_told(visit: Visit) -> None:
    index = (await visit.service.http.get("/v1/index")).json()
    changed = {**index, "failures": 2, "state": "updating"}
    await visit.page.route("**/v1/index", lambda route: route.fulfill(json=changed))
    await visit.page.reload()
    await expect(visit["#index"]).to_contain_text("2 documents could not be read · being updated now")


async def test_only_the_right_token_offers_the_job_and_it_stays_in_the_tab(visit: Visit) -> None:
    await use_key(visit, "wrong")
    await expect(visit.page.get_by_role("button", name="Forget it")).to_be_visible()
    await expect(visit["#sync"]).to_be_hidden()
    await expect(visit["#index"]).to_contain_text("the key is no admin's")
    await visit["#key"].fill(visit.service.token)
    await visit["#key"].press("Enter")
    await expect(visit["#sync button"]).to_be_visible()
    await expect(visit["#index"]).not_to_contain_text("admin")
    await visit.page.reload()
    await expect(visit["#sync button"]).to_be_visible()
    assert visit.service.token not in await visit.run("() => JSON.stringify(localStorage)")
    assert visit.service.token not in await visit.page.content()
    await visit["#access summary"].click()
    await visit.page.get_by_role("button", name="Forget it").click()
    await expect(visit["#sync"]).to_be_hidden()


async def test_a_service_that_wants_a_key_opens_the_place_for_it(visit: Visit) -> None:
    problem = {"type": "/problems/unknown-key", "title": "This needs an API key", "status": 401, "detail": "Send one."}
    await visit.page.route("**/v1/index", lambda route: route.fulfill(status=401, json=problem))
    await visit.page.reload()
    await expect(visit["#index"]).to_have_text("This needs an API key. Send one.")
    await expect(visit["#key"]).to_be_visible()
    visit.expect_complaints("401 (Unauthorized)")


async def test_an_admin_syncs_with_live_progress_and_hears_of_failures(editable: Visit, tmp_path: Path) -> None:
    await use_key(editable, editable.service.token)
    (tmp_path / "corpus" / "new.md").write_text("# New\n\nA page that was not there before.\n")
    (tmp_path / "corpus" / "blank.md").write_text("\n")
    await editable.run(RECORD)
    await editable["#sync button"].click()
    await expect(editable["#sync div"]).to_contain_text("Done in")
    await expect(editable["#sync div"]).to_contain_text("1 added, 3 unchanged, 1 failed.")
    await expect(editable["#sync li"]).to_contain_text("blank.md: ")
    await expect(editable["#index"]).to_contain_text("4 documents")
    told = await editable.run("() => window.told")
    assert told[0] == "Reading the documents …"
    assert any(line.startswith("5 of 5 documents") for line in told)
    await expect(editable["#sync button"]).to_be_enabled()
    await expect(editable["#sync progress"]).to_be_hidden()


async def test_a_job_that_fails_says_why(editable: Visit, tmp_path: Path) -> None:
    await use_key(editable, editable.service.token)
    (tmp_path / "corpus").rename(tmp_path / "elsewhere")
    await editable["#sync button"].click()
    await expect(editable["#sync div"]).to_contain_text("corpus")
    await expect(editable["#sync button"]).to_be_enabled()
    (tmp_path / "elsewhere").rename(tmp_path / "corpus")


async def test_many_removals_have_to_be_meant(editable: Visit, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, {f"page-{n}.md": f"# Page {n}\n\nText of page {n}.\n" for n in range(12)})
    await use_key(editable, editable.service.token)
    await editable["#sync > button"].click()
    await expect(editable["#index"]).to_contain_text("15 documents")
    for path in corpus.glob("page-*.md"):
        path.unlink()
    await editable["#sync > button"].click()
    await expect(editable["#sync div"]).to_contain_text("12 of the 15 documents")
    await expect(editable["#index"]).to_contain_text("15 documents")
    await editable.page.get_by_role("button", name="Remove them all the same").click()
    await expect(editable["#sync div"]).to_contain_text("12 removed")
    await expect(editable["#index"]).to_contain_text("3 documents")

"""A dry run says what the job would do, and leaves no trace."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import qdrant_edge

from app.adapters.stores import open_store
from app.core import hashing
from app.settings import Settings
from ingest import dry_run
from ingest.dry_run import Plan
from ingest.intake import Intake
from ingest.progress import Summary
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.ingest.test_job import DOCUMENTS, LONG, content
from tests.ingest.test_removals import write
from tests.ingest.test_verify import edit
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders
from tests.stores import embedded, passage


async def planned(settings: Settings, *, allow_removals: bool = False) -> Plan:
    """The plan, made on a store that breaks at the first write."""
    async with open_store(settings, "job") as (store, _):
        untouchable: Any = FaultyStore(store, 0, breaks)
        embedder, corpus = await embedders.get("bundled"), Path(settings.corpus)
        return await dry_run.rehearse(
            untouchable,
            embedder,
            settings.index_name,
            corpus,
            lambda _: None,
            Intake.of(settings),
            allow_removals=allow_removals,
        )


def assert_foretold(plan: Plan, done: Summary) -> None:
    passages = done.passages
    assert plan.documents == done.documents
    assert plan.passages == dry_run.PlannedPassages(
        passages.embedded, passages.reused, passages.updated, passages.removed
    )


async def test_the_plan_of_a_first_load_is_what_the_job_does(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    write_corpus(tmp_path, {**CORPUS, "twin.md": CORPUS["leave.md"], "broken.txt": "\0"})
    plan = await planned(settings)
    assert not list((settings.store_path / "collections").glob("*"))
    assert_foretold(plan, await ingest(settings))
    tokenizer = (await embedders.get("bundled")).tokenizer
    async with open_store(settings, "job") as (store, _):
        state = await store.state()
        assert state is not None
        embedded = {
            passage.content_hash: hashing.prepared_text(passage.title, passage.heading, passage.text)
            for name in (*CORPUS, "twin.md")
            for passage in await store.passages(state.collection, name)
        }
    assert plan.tokens == sum(tokenizer.count(text) for text in embedded.values())


async def test_the_plan_of_many_changes_is_what_the_job_does(copied: Settings, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_corpus(tmp_path, {"travel/long.md": "---\ntags: [travel]\n---\n" + LONG.replace("number 3", "number 33")})
    write_corpus(tmp_path, {"new.md": "# New\n\nA rule.\n", "twin.md": "# New\n\nA rule.\n"})
    (corpus / "leave.md").rename(corpus / "holidays.md")
    (corpus / "on-call.txt").unlink()
    before = await content(copied)
    plan = await planned(copied)
    assert await content(copied) == before
    assert (plan.passages.embed, plan.passages.reuse, plan.refusal) == (2, 10, None)
    assert_foretold(plan, await ingest(copied))


async def test_the_plan_of_mending_and_removing_is_what_the_job_does(copied: Settings, tmp_path: Path) -> None:
    async with open_store(copied, "job") as (store, _):
        state = await store.state()
        assert state is not None
        stored = [passage for name in DOCUMENTS for passage in await store.passages(state.collection, name)]
        await store.write_passages(state.collection, [embedded(passage("orphan.md"), [1.0] * state.dimension)])
    lost = qdrant_edge.UpdateOperation.delete_vectors([passage.passage_id for passage in stored], ["dense"])
    edit(copied, state.collection, lost)
    (tmp_path / "corpus" / "on-call.txt").unlink()
    write_corpus(tmp_path, {"travel/long.md": LONG.replace("number 3", "number 33")})
    plan = await planned(copied)
    assert plan.passages.embed > 1
    assert plan.passages.remove > 2
    assert_foretold(plan, await ingest(copied))


async def test_nothing_to_do_costs_no_token(copied: Settings) -> None:
    plan = await planned(copied)
    assert (plan.tokens, plan.documents.unchanged) == (0, 4)
    assert plan.passages == dry_run.PlannedPassages(0, 0, 0, 0)


async def test_a_plan_that_would_be_refused_says_so(tmp_path: Path) -> None:
    write(tmp_path, range(12))
    settings = settings_for(tmp_path)
    await ingest(settings)
    shutil.rmtree(tmp_path / "corpus")
    write(tmp_path, range(3))
    plan = await planned(settings)
    assert "--allow-removals" in str(plan.refusal)
    assert plan.documents.removed == 9
    assert (await planned(settings, allow_removals=True)).refusal is None

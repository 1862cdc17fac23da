"""The index is compared with the folder that it was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings
from ingest.commands import Order, carry_out
from ingest.pushed import ID_TAKEN
from ingest.verify import Verification
from tests.ingest.test_job import DOCUMENTS, content
from tests.ingest.test_verify import Found, found, opened, pushed, repaired, verified
from tests.service import ingest, write_corpus


@pytest.fixture
def settings(copied: Settings) -> Settings:
    return copied


async def test_files_that_are_not_indexed_changed_or_gone_are_found(settings: Settings, tmp_path: Path) -> None:
    write_corpus(tmp_path, {"new.md": "# New\n\nA rule.\n", "leave.md": "# Leave\n\nNone.\n"})
    (tmp_path / "corpus" / "on-call.txt").unlink()
    expected: Found = {("not_indexed", "new.md"), ("changed", "leave.md"), ("gone", "on-call.txt")}
    assert found(await verified(settings)) == expected
    assert (await repaired(settings)).ok


async def test_a_document_that_failed_in_the_last_job_is_in_step(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "corpus" / "binary.txt").write_bytes(b"\x00\x01")
    (tmp_path / "corpus" / "leave.md").write_bytes(b"\x00\x01")
    assert found(await verified(settings)) == {("not_indexed", "binary.txt"), ("changed", "leave.md")}
    await ingest(settings)
    assert (await verified(settings)).ok


async def test_a_document_that_failed_and_was_mended_or_removed_since_is_found(
    settings: Settings, tmp_path: Path
) -> None:
    names = ("leave.md", "new.md", "removed.md")
    for name in names:
        (tmp_path / "corpus" / name).write_bytes(b"\x00\x01")
    await ingest(settings)
    write_corpus(tmp_path, {"leave.md": DOCUMENTS["leave.md"], "new.md": "# New\n\nA rule.\n"})
    (tmp_path / "corpus" / "removed.md").unlink()
    assert found(await verified(settings)) == {("changed", "leave.md"), ("changed", "new.md"), ("gone", "removed.md")}
    mended = await repaired(settings)
    assert (mended.ok, len(mended.mended)) == (True, 3)
    async with opened(settings) as (store, _):
        state = await store.state()
        assert state is not None
        assert [one async for one in store.absent_documents(state.collection)] == []


async def test_a_document_that_cannot_be_read_where_it_was_moved_to_keeps_its_last_version(
    settings: Settings, tmp_path: Path
) -> None:
    before, corpus = await content(settings), tmp_path / "corpus"
    (corpus / "leave.md").rename(corpus / "leave.pdf")
    summary = await ingest(settings)
    assert (summary.documents.removed, summary.documents.failed) == (0, 1)
    assert (await content(settings))[1:] == before[1:]
    assert (await verified(settings)).ok
    (corpus / "leave.pdf").unlink()
    assert found(await verified(settings)) == {("gone", "leave.md"), ("gone", "leave.pdf")}
    assert (await ingest(settings)).documents.removed == 1


async def test_a_file_whose_id_was_pushed_is_told_with_what_to_do(settings: Settings, tmp_path: Path) -> None:
    async with opened(settings) as (store, arguments):
        await pushed(settings, store, arguments, "new.md")
    write_corpus(tmp_path, {"new.md": "# New\n\nA rule.\n"})
    verification = await verified(settings)
    assert [(finding.kind, finding.detail) for finding in verification.findings] == [("not_indexed", ID_TAKEN)]
    assert (await ingest(settings)).documents.failed == 1
    assert (await repaired(settings)).findings == verification.findings


async def test_a_dry_run_mends_nothing(settings: Settings, tmp_path: Path) -> None:
    write_corpus(tmp_path, {"new.md": "# New\n\nA rule.\n"})
    before = await content(settings)
    async with opened(settings) as (_, (store, embedder, index_name, corpus, report, intake)):
        order = Order(command="verify", corpus=str(corpus), dry_run=True, repair=True)
        outcome = await carry_out(order, store, embedder, index_name, report, intake)
    assert isinstance(outcome, Verification)
    assert (outcome.ok, outcome.repair) == (False, None)
    assert await content(settings) == before

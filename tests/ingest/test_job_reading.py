"""The job and its reader processes: what a document that breaks its reader costs, and what it does not."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from app.adapters.stores import open_store
from app.settings import Settings
from ingest import job
from ingest.intake import Intake
from ingest.progress import Progress, Summary
from ingest.reading import Readers
from tests.ingest.hostile_reader import PROGRAM
from tests.ingest.test_reading import children, eventually, is_running, pid_in
from tests.service import CORPUS, ingest, settings_for, write_corpus
from tests.shared_embedder import embedders


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of a job whose readers do what documents tell them to."""
    monkeypatch.setattr(job, "Readers", partial(Readers, program=PROGRAM))
    write_corpus(tmp_path)
    return settings_for(tmp_path)


async def reported(settings: Settings) -> tuple[Summary, dict[str, str]]:
    """The summary, and the failures by document."""
    reports: list[Progress] = []
    async with open_store(settings, "job") as (store, _):
        embedder = await embedders.get(settings.embedding_model)
        corpus, intake = Path(settings.corpus), Intake.of(settings)
        summary = await job.run(store, embedder, settings.index_name, corpus, reports.append, intake)
    return summary, {report.failure.document_id: report.failure.reason for report in reports if report.failure}


async def test_documents_that_break_their_readers_fail_alone_and_keep_their_last_version(
    settings: Settings, tmp_path: Path
) -> None:
    first, failures = await reported(settings)
    assert (first.documents.added, failures) == (3, {})
    hangs = f"sleep {tmp_path}/pid"
    write_corpus(
        tmp_path,
        {
            "leave.md": "crash",
            "expenses.md": hangs,
            "raise.md": "raise",
            "new.md": CORPUS["leave.md"],
        },
    )
    second, failures = await reported(settings_for(tmp_path, READER_TIMEOUT_S=4))
    assert (second.documents.added, second.documents.failed, second.passages.embedded) == (1, 3, 0)
    assert failures == {
        "leave.md": "its reader crashed (Segmentation fault)",
        "expenses.md": "its reader took longer than 4 s",
        "raise.md": "its reader failed (ZeroDivisionError)",
    }
    (tmp_path / "corpus" / "new.md").unlink()
    assert (await reported(settings_for(tmp_path, READER_TIMEOUT_S=4)))[0].revision == first.revision


async def test_a_document_larger_than_the_setting_allows_fails_alone(settings: Settings, tmp_path: Path) -> None:
    write_corpus(tmp_path, {"large.md": "x" * (2**20 + 1)})
    summary, failures = await reported(settings_for(tmp_path, MAX_DOCUMENT_MB=1))
    assert (summary.documents.added, failures) == (3, {"large.md": "it is larger than 1 MB"})


async def test_a_run_without_changes_starts_no_process(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    await ingest(settings)

    async def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", forbidden)
    assert (await ingest(settings)).documents.unchanged == 3


async def test_a_cancelled_job_leaves_no_process(settings: Settings, tmp_path: Path) -> None:
    before = children()
    write_corpus(tmp_path, {"a.md": f"sleep {tmp_path}/pid"})
    running = asyncio.create_task(ingest(settings))
    pid = await pid_in(tmp_path / "pid")
    assert is_running(pid)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert children() == before
    assert await eventually(lambda: not is_running(pid))

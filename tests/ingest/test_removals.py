"""A run that would lose much of the folder stops before it touches anything."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.adapters.stores import open_store
from app.core import hashing
from app.core.records import DocumentRecord
from app.settings import Settings
from ingest import job, removals
from ingest.errors import NothingToIngest, RemovalsRefused
from ingest.intake import Intake
from ingest.progress import Progress
from ingest.sources import DEFAULT, find_files, read_bytes
from tests.ingest.faulty_store import FaultyStore, breaks
from tests.ingest.test_job import content
from tests.service import ingest, settings_for, write_corpus
from tests.shared_embedder import embedders
from tests.stores import document


def text_of(number: int) -> str:
    return f"Rule number {number}.\n"


def records_of(count: int, **fields: Any) -> list[DocumentRecord]:
    return [
        document(f"{n}.txt", **{"byte_hash": hashing.byte_hash(text_of(n).encode()), **fields}) for n in range(count)
    ]


def check(folder: Path, records: list[DocumentRecord], intake: Intake = DEFAULT) -> None:
    folder.mkdir(exist_ok=True)
    removals.check(records, list(find_files(folder, intake)), intake)


def write(folder: Path, numbers: range, name: str = "{}.txt") -> None:
    write_corpus(folder, {name.format(n): text_of(n) for n in numbers})


@pytest.mark.parametrize(
    ("before", "after", "refused"), [(20, 14, False), (20, 13, True), (11, 8, False), (11, 7, True), (10, 1, False)]
)
def test_more_than_three_in_ten_of_more_than_ten_documents_are_refused(
    tmp_path: Path, before: int, after: int, refused: bool
) -> None:
    write(tmp_path, range(after))
    if not refused:
        check(tmp_path / "corpus", records_of(before))
        return
    with pytest.raises(
        RemovalsRefused, match=rf"{before - after} of the {before} documents .*, run it again with --allow-removals"
    ):
        check(tmp_path / "corpus", records_of(before))


def test_renamed_documents_are_not_lost(tmp_path: Path) -> None:
    write(tmp_path, range(20), "moved/{}.txt")
    check(tmp_path / "corpus", records_of(20))
    shutil.rmtree(tmp_path / "corpus")
    write(tmp_path, range(13), "moved/{}.txt")
    with pytest.raises(RemovalsRefused, match="7 of the 20"):
        check(tmp_path / "corpus", records_of(20))


def test_documents_that_a_job_cut_short_has_taken_in_under_their_new_names_are_not_lost(tmp_path: Path) -> None:
    write(tmp_path, range(20), "moved/{}.txt")
    taken_in = [structs.replace(record, document_id=f"moved/{record.document_id}") for record in records_of(20)]
    check(tmp_path / "corpus", records_of(20) + taken_in)
    for number in range(14):
        (tmp_path / "corpus" / "moved" / f"{number}.txt").write_text("Another rule.\n")
    with pytest.raises(RemovalsRefused, match="14 of the 40"):
        check(tmp_path / "corpus", records_of(20) + taken_in)


@pytest.mark.parametrize(("before", "after"), [("", "hr/"), ("hr/", ""), ("hr/", "board/")])
def test_documents_moved_to_where_others_may_see_them_are_not_lost(tmp_path: Path, before: str, after: str) -> None:
    for folder in ("hr/", "board/"):
        write_corpus(tmp_path, {f"{folder}.access.toml": f'access = ["{folder.strip("/")}", "law"]\n'})
    write(tmp_path, range(12), before + "{}.txt")
    intake = Intake(default_access=("staff",))
    records = [
        document(
            file.document_id,
            byte_hash=file.byte_hash(read_bytes(file)),
            access=file.said.access_ceiling or intake.default_access,
        )
        for file in find_files(tmp_path / "corpus", intake)
    ]
    for number in range(12):
        (tmp_path / "corpus" / f"{before}{number}.txt").rename(tmp_path / "corpus" / f"{after}{number}.txt")
    check(tmp_path / "corpus", records, intake)
    for number in range(4):
        (tmp_path / "corpus" / f"{after}{number}.txt").unlink()
    with pytest.raises(RemovalsRefused, match="4 of the 12"):
        check(tmp_path / "corpus", records, intake)


def test_pushed_documents_are_neither_lost_nor_counted(tmp_path: Path) -> None:
    write(tmp_path, range(1))
    check(tmp_path / "corpus", records_of(20, origin="push"))


def test_the_sample_gives_way_to_another_corpus_and_not_the_reverse(tmp_path: Path) -> None:
    sample = [
        document(file.document_id, byte_hash=hashing.byte_hash(Path(file.path).read_bytes()))
        for file in find_files(removals.SAMPLE)
    ]
    assert len(sample) > removals.MIN_DOCUMENTS
    write(tmp_path, range(1))
    check(tmp_path / "corpus", sample)
    with pytest.raises(RemovalsRefused):
        check(removals.SAMPLE, records_of(20))


def test_the_sample_gives_way_whatever_is_said_of_its_access_and_whichever_files_are_chosen(tmp_path: Path) -> None:
    intake = Intake(include=("*.txt",), default_access=("staff",))
    sample = [
        document(file.document_id, byte_hash=file.byte_hash(read_bytes(file)))
        for file in find_files(removals.SAMPLE, Intake(default_access=("staff",)))
    ]
    write(tmp_path, range(1))
    check(tmp_path / "corpus", sample, intake)


def test_a_renamed_document_of_any_permitted_size_is_not_lost(tmp_path: Path) -> None:
    texts = {f"{n}.txt": f"{n}" * (2**20 + 1) for n in range(11)}
    write_corpus(tmp_path, {f"moved/{name}": text for name, text in texts.items()})
    records = [document(name, byte_hash=hashing.byte_hash(text.encode())) for name, text in texts.items()]
    check(tmp_path / "corpus", records, Intake(max_document_mb=2))
    with pytest.raises(RemovalsRefused):
        check(tmp_path / "corpus", records, Intake(max_document_mb=1))


async def test_an_empty_folder_is_taken_for_meant_only_when_confirmed(tmp_path: Path) -> None:
    write(tmp_path, range(3))
    settings = settings_for(tmp_path)
    await ingest(settings)
    for file in (tmp_path / "corpus").iterdir():
        file.unlink()
    embedder = await embedders.get("bundled")
    async with open_store(settings, "job") as (store, _):
        arguments: Any = (store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)
        with pytest.raises(NothingToIngest, match="run it again with --allow-removals"):
            await job.run(*arguments)
        summary = await job.run(*arguments, allow_removals=True)
    assert (summary.documents.removed, summary.passages.total, summary.state) == (3, 0, "ready")


@pytest.fixture
async def emptied(tmp_path: Path) -> Settings:
    """An index of twelve documents whose folder has lost all but one."""
    write(tmp_path, range(12))
    settings = settings_for(tmp_path)
    await ingest(settings)
    for number in range(1, 12):
        (tmp_path / "corpus" / f"{number}.txt").unlink()
    return settings


async def test_a_refused_run_writes_nothing_and_a_confirmed_one_goes_ahead(emptied: Settings) -> None:
    corpus, name, embedder = Path(emptied.corpus), emptied.index_name, await embedders.get("bundled")
    async with open_store(emptied, "job") as (store, _):
        before = await store.state()
        looking: Any = FaultyStore(store, 1, breaks)  # the first is `create`, which only looks
        with pytest.raises(RemovalsRefused):
            await job.run(looking, embedder, name, corpus, lambda _: None)
        assert await store.state() == before
        summary = await job.run(store, embedder, name, corpus, lambda _: None, allow_removals=True)
        assert (summary.documents.removed, summary.documents.unchanged) == (11, 1)


async def test_another_model_does_not_get_around_the_guard(emptied: Settings) -> None:
    """The new collection holds no document that could be removed; what answers now does."""
    embedder: Any = await embedders.get("bundled")
    other: Any = Renamed(embedder)
    async with open_store(emptied, "job") as (store, _):
        before = await store.state()
        with pytest.raises(RemovalsRefused):
            await job.run(store, other, emptied.index_name, Path(emptied.corpus), lambda _: None)
        assert await store.state() == before


class Renamed:
    """The same embedder under another identity: it builds another collection."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.identity = "another model"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_folder_that_goes_away_while_it_is_read_takes_nothing_along(copied: Settings, replaced: bool) -> None:
    corpus, away = Path(copied.corpus), Path(copied.corpus).with_name("away")
    (corpus / "leave.md").rename(corpus / "holidays.md")
    before = await content(copied)
    reports: list[Progress] = []

    def go_away(progress: Progress) -> None:
        reports.append(progress)
        if not away.exists():
            corpus.rename(away)
            if replaced:
                corpus.mkdir()

    async with open_store(copied, "job") as (store, _):
        summary = await job.run(store, await embedders.get("bundled"), copied.index_name, corpus, go_away)
    assert (summary.documents.removed, summary.state) == (0, "ready")
    failed = [report.failure.document_id for report in reports if report.failure]
    assert (failed[-1], len(failed)) == (".", summary.documents.failed)
    assert (await content(copied))[2]["leave.md"] == before[2]["leave.md"]
    shutil.rmtree(corpus, ignore_errors=True)
    away.rename(corpus)
    assert (await ingest(copied)).documents.removed == 1

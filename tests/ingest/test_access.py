"""Who may see a document: what it says, within the ceilings of its folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.stores import open_store
from app.core.model import Candidate, Query, Scope
from app.settings import Settings
from ingest import job
from ingest.access import Access, Ceilings, effective, narrowed
from ingest.intake import Intake
from ingest.progress import Summary
from ingest.sources import find_files
from tests.service import settings_for, write_corpus
from tests.shared_embedder import BrokenEmbedder, embedders

GROUPS = st.sampled_from(["public", "hr", "eng", "tenant:a", "tenant:b"])
ACCESS = st.lists(GROUPS, max_size=4).map(tuple)


def lets_in(access: Access, groups: frozenset[str]) -> bool:
    """The rule of documents: all of the tenants, and one of the other groups if there are others."""
    tenants = {group for group in access if group.startswith("tenant:")}
    others = set(access) - tenants or ({"public"} if tenants else set())
    return tenants <= groups and bool(others & (groups | {"public"}))


@given(access=ACCESS, ceiling=ACCESS, groups=st.frozensets(GROUPS))
def test_for_every_access_nobody_is_let_in_whom_the_ceiling_keeps_out(
    access: Access, ceiling: Access, groups: frozenset[str]
) -> None:
    both = narrowed(access, ceiling)
    assert not lets_in(both, groups) or (lets_in(access, groups) and lets_in(ceiling, groups))
    assert narrowed(both, ceiling) == both or not both


@pytest.mark.parametrize(
    ("access", "ceiling", "wanted"),
    [
        (("public",), ("hr",), ("hr",)),
        (("hr", "eng"), ("hr", "board"), ("hr",)),
        (("hr",), ("public",), ("hr",)),
        (("eng",), ("hr",), ()),
        ((), ("public",), ()),
        (("public",), (), ()),
        (("hr",), ("tenant:a",), ("hr", "tenant:a")),
        (("tenant:a",), ("tenant:b",), ("public", "tenant:a", "tenant:b")),
        (("tenant:a", "hr"), ("tenant:a", "public"), ("hr", "tenant:a")),
    ],
)
def test_a_ceiling_narrows(access: Access, ceiling: Access, wanted: Access) -> None:
    assert narrowed(access, ceiling) == wanted


@pytest.mark.parametrize(
    ("said", "ceiling", "wanted"),
    [
        (None, None, ("staff",)),
        (("public",), None, ("public",)),
        (None, ("hr",), ("hr",)),
        (("public",), ("hr",), ("hr",)),
        ((), ("hr",), ()),
    ],
)
def test_the_default_is_for_documents_of_which_nothing_is_said(
    said: Access | None, ceiling: Access | None, wanted: Access
) -> None:
    assert effective(said, ceiling, ("staff",)) == wanted


@pytest.mark.parametrize(
    "sidecar",
    [
        "access = hr",
        'access = "hr"',
        "",
        'access = ["tenant:"]',
        'access = ["hr"]\nextra = 1',
        "access = [1]",
        "\udcff",
    ],
)
def test_a_sidecar_that_is_not_valid_lets_nobody_in_and_says_so(tmp_path: Path, sidecar: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / ".access.toml").write_bytes(sidecar.encode("utf-8", "surrogateescape"))
    ceilings = Ceilings(tmp_path)
    assert ceilings.of("in") == ()
    assert list(ceilings.faults) == [".access.toml"]


def test_a_sidecar_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text('access = ["public"]')
    (tmp_path / ".access.toml").symlink_to(tmp_path / "real.toml")
    assert Ceilings(tmp_path).of("") == ()


CORPUS = {
    "open.md": "Everyone reads this page about llamas.",
    "hr/pay.md": "---\naccess: [public]\n---\nSalaries of llamas are paid monthly.",
    "hr/board/bonus.md": "---\naccess: [hr, board]\n---\nThe bonus of llamas is secret.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path, CORPUS)


@pytest.fixture
def settings(tmp_path: Path, corpus: Path) -> Settings:
    return settings_for(tmp_path, CORPUS=corpus)


async def ingested(
    settings: Settings, embedding: Callable[[Any], Any] = lambda whole: whole
) -> tuple[Summary, dict[str, tuple[str, ...]], dict[str, str]]:
    """What the job did; the access of each document; and the failures."""
    async with open_store(settings, "job") as (store, _):
        embedder = embedding(await embedders.get(settings.embedding_model))
        corpus, intake = Path(settings.corpus), Intake.of(settings)
        summary = await job.run(store, embedder, settings.index_name, corpus, lambda _: None, intake)
        state = await store.state()
        assert state is not None
        records = [record async for record in store.documents(state.collection)]
        for record in records:
            stored = await store.passages(state.collection, record.document_id)
            assert {passage.access for passage in stored} == {record.access}
        absent = [one async for one in store.absent_documents(state.collection)]
        failures = {record.document_id: record.failure for record in records if record.failure}
        failures |= {one.document_id: one.failure for one in absent}
        found: list[Candidate] = await store.search(state.collection, Query([1.0] + [0.0] * 383), 9, Scope())
        public = {record.document_id for record in records if "public" in record.access}
        assert {candidate.passage.document_id for candidate in found} == public
    return summary, {record.document_id: record.access for record in records}, failures


async def test_a_ceiling_comes_and_goes_without_embedding_anything(settings: Settings, corpus: Path) -> None:
    first, access, _ = await ingested(settings)
    assert access == {"open.md": ("public",), "hr/pay.md": ("public",), "hr/board/bonus.md": ("hr", "board")}
    sidecar = corpus / "hr/.access.toml"
    sidecar.write_text('access = ["hr"]')
    second, access, _ = await ingested(settings)
    assert access == {"open.md": ("public",), "hr/pay.md": ("hr",), "hr/board/bonus.md": ("hr",)}
    assert (second.passages.embedded, second.passages.updated, second.documents.unchanged) == (0, 2, 1)
    assert second.revision != first.revision
    unchanged, _, _ = await ingested(settings)
    assert (unchanged.documents.unchanged, unchanged.revision) == (3, second.revision)
    sidecar.unlink()
    third, _, _ = await ingested(settings)
    assert (third.passages.embedded, third.revision) == (0, first.revision)


async def test_a_broken_sidecar_hides_what_is_below_it_and_is_a_failure(settings: Settings, corpus: Path) -> None:
    await ingested(settings)
    sidecar = corpus / "hr/.access.toml"
    sidecar.write_text("access = hr")
    summary, access, failures = await ingested(settings)
    assert access == {"open.md": ("public",), "hr/pay.md": (), "hr/board/bonus.md": ()}
    assert summary.documents.failed == 1
    assert list(failures) == ["hr/.access.toml"]
    assert "nobody can see" in failures["hr/.access.toml"]
    sidecar.write_text('access = ["hr"]')
    summary, access, failures = await ingested(settings)
    assert (access["hr/pay.md"], failures, summary.passages.embedded) == (("hr",), {}, 0)


async def test_the_last_version_of_a_document_that_fails_is_held_to_the_ceiling(
    settings: Settings, corpus: Path
) -> None:
    await ingested(settings)
    pay = corpus / "hr/pay.md"
    good = pay.read_bytes()
    pay.write_text("---\naccess: [hr\n---\nSalaries.")
    (corpus / "hr/.access.toml").write_text('access = ["hr"]')
    _, access, failures = await ingested(settings)
    assert (access["hr/pay.md"], list(failures)) == (("hr",), ["hr/pay.md"])
    (corpus / "hr/.access.toml").unlink()
    pay.write_bytes(good)
    _, access, failures = await ingested(settings)
    assert (access["hr/pay.md"], failures) == (("public",), {}), "it can be read again, and says so"


async def test_the_last_version_of_a_document_that_can_not_be_embedded_is_held_to_what_it_says_now(
    settings: Settings, corpus: Path
) -> None:
    await ingested(settings)
    (corpus / "hr/pay.md").write_text("---\naccess: [hr]\n---\nSalaries of alpacas are paid weekly.")
    _, access, failures = await ingested(settings, BrokenEmbedder)
    assert (access["hr/pay.md"], failures) == (("hr",), {"hr/pay.md": "The embedder broke."})
    summary, access, failures = await ingested(settings)
    assert (access["hr/pay.md"], failures, summary.passages.embedded) == (("hr",), {}, 1)


async def test_so_are_the_documents_of_a_folder_that_can_not_be_followed(settings: Settings, corpus: Path) -> None:
    await ingested(settings)
    folder = corpus / "hr"
    (folder / ".vouchignore").mkdir()
    (folder / ".access.toml").write_text('access = ["hr"]')
    _, access, failures = await ingested(settings)
    assert (access["hr/pay.md"], access["hr/board/bonus.md"], list(failures)) == (("hr",), ("hr",), ["hr"])
    (folder / ".vouchignore").rmdir()
    (folder / ".access.toml").unlink()
    _, access, _ = await ingested(settings)
    assert (access["hr/pay.md"], access["hr/board/bonus.md"]) == (("public",), ("hr", "board"))


async def test_the_default_may_change_without_embedding_anything(settings: Settings, tmp_path: Path) -> None:
    await ingested(settings)
    closed = settings_for(tmp_path, DEFAULT_ACCESS="staff, tenant:acme")
    summary, access, _ = await ingested(closed)
    assert access == {
        "open.md": ("staff", "tenant:acme"),
        "hr/pay.md": ("public",),
        "hr/board/bonus.md": ("hr", "board"),
    }
    assert summary.passages.embedded == 0


def test_a_link_is_under_the_ceiling_of_where_it_leads_too(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, {**CORPUS, "hr/.access.toml": 'access = ["hr"]'})
    os.symlink("hr/pay.md", corpus / "copy.md")
    ceilings = {file.document_id: file.said.access_ceiling for file in find_files(corpus)}
    assert ceilings == {"open.md": None, "hr/pay.md": ("hr",), "hr/board/bonus.md": ("hr",), "copy.md": ("hr",)}

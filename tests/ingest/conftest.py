"""Fixtures of the ingestion tests."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from app.settings import Settings
from tests.ingest.test_job import DOCUMENTS
from tests.service import ingest, settings_for, write_corpus


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus of DOCUMENTS and their index, not to be changed."""
    folder = tmp_path_factory.mktemp("original")
    write_corpus(folder, DOCUMENTS)
    asyncio.run(ingest(settings_for(folder)))
    return folder


@pytest.fixture
def copied(original: Path, tmp_path: Path) -> Settings:
    """Settings of an index of DOCUMENTS, a copy of the test's own; the corpus is `tmp_path / "corpus"`."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return settings_for(tmp_path)

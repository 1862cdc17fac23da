"""What a job prints may find nobody who reads it, and no room; the job is done all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests import processes
from tests.service import write_corpus

HUNDREDS = {f"{number}.md": f"# Note {number % 3}\n\nThe same few words.\n" for number in range(250)}
"""Enough for two lines of progress, and little to embed."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path, HUNDREDS)
    return tmp_path


def ingest(folder: Path, *options: str, out: IO[bytes] | int, err: IO[bytes] | int) -> tuple[int, bytes]:
    """The exit code, and what it said on standard error if that is a pipe."""
    command = [sys.executable, "-m", "ingest", *options]
    done = subprocess.run(
        command, cwd=folder, env=processes.environment(folder), stdout=out, stderr=err, check=False, timeout=60
    )
    return done.returncode, done.stderr


def pipe_without_reader() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def unchanged(folder: Path) -> int:
    command = [sys.executable, "-m", "ingest", "--json"]
    done = subprocess.run(command, cwd=folder, env=processes.environment(folder), capture_output=True, check=True)
    counted: int = json.loads(done.stdout)["documents"]["unchanged"]
    return counted


def test_a_job_whose_output_nobody_reads_is_done_and_prints_no_traceback(folder: Path) -> None:
    nobody = pipe_without_reader()
    assert ingest(folder, out=nobody, err=nobody)[0] == 0
    assert unchanged(folder) == len(HUNDREDS)
    code, said = ingest(folder, "verify", out=nobody, err=subprocess.PIPE)
    os.close(nobody)
    assert (code, said.splitlines()[-1]) == (0, b"250/250 documents compared")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_outcome_for_which_there_is_no_room_is_one_line_and_code_1(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        code, said = ingest(folder, "--json", out=full, err=subprocess.PIPE)
    assert (code, said.splitlines()[-1]) == (
        1,
        b"It is done, but what came of it can't be printed: No space left on device.",
    )

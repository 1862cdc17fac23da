"""What the exit codes of `python -m ingest` promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingest import options
from tests import processes
from tests.qdrant_http import Reply, http_server, local_mode
from tests.service import CORPUS, write_corpus
from tests.stores import LOCAL_MODE

pytestmark = LOCAL_MODE


async def test_a_server_that_fails_in_the_middle_of_a_job_is_code_2_and_the_next_run_finishes(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    answer, written = local_mode(), 0

    async def fails(method: str, path: str, body: bytes) -> Reply:
        nonlocal written
        writes = (method, path.endswith("/points")) == ("PUT", True)
        written += writes
        return (500, b"") if writes and written == 5 else await answer(method, path, body)

    async with http_server(fails) as server:
        code, out, err = await processes.run(tmp_path, "ingest", QDRANT_URL=server.url)
        assert (code, out) == (2, "")
        assert "HTTP 500" in err
        assert "Traceback" not in err
        code, out, err = await processes.run(tmp_path, "ingest", QDRANT_URL=server.url)
        assert code == 0, err


async def test_where_names_are_not_taken_for_utf_8_nothing_is_lost_and_the_code_is_2(tmp_path: Path) -> None:
    write_corpus(tmp_path, CORPUS | {"büro.md": "# Office\n\nIt is in Bremen.\n"})
    assert (await processes.run(tmp_path, "ingest"))[0] == 0
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    code, out, err = await processes.run(tmp_path, "ingest", **ascii_only)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "PYTHONUTF8=1" in err
    code, out, err = await processes.run(tmp_path, "ingest", LC_ALL="C")
    assert (code, "4 unchanged" in out) == (0, True), "C alone means UTF-8 to Python"


def test_the_codes_of_the_documentation_are_those_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    page = (processes.ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| (\d+) \| ", page.split("| exit code |")[1].split("\n\n")[0], re.MULTILINE)
    with pytest.raises(SystemExit):
        options.parse(["--help"])
    shown = capsys.readouterr().out.split("Exit codes:")[1].split("\n\n")[0]
    assert documented == re.findall(r"(?:^|; )\s*(\d+) ", shown.replace("\n", " "))

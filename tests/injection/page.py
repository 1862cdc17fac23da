"""`python -m tests.injection.page` writes the table of outcomes into docs/security.md."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from tests.injection.run import run, table
from tests.processes import ROOT

PAGE = ROOT / "docs" / "security.md"
_TABLE = re.compile(r"(?<=<!-- outcomes of tests/injection -->\n).*?(?=\n<!-- end -->)", re.DOTALL)


def shown_table() -> str:
    """The table as it stands on the page."""
    found = _TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert found, f"{PAGE} has no place for the table"
    return found[0]


def write(shown: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda _: shown, page), encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write(table(asyncio.run(run(Path(folder)))))

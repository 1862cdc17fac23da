"""`python -m tests.faults.table`: let every fault happen, and write what was seen into docs/failures.md."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from tests.faults.cases import EXPECTED, Outcome, outcomes
from tests.faults.proxy import Fault
from tests.processes import ROOT

PAGE = ROOT / "docs" / "failures.md"
_BEGIN, _END = "<!-- outcomes of tests/faults -->\n", "<!-- end -->\n"
_HEAD = (
    "| what fails | how | before the question | while it is answered | under 50 questions at once | longest wait |\n"
)
Row = tuple[str, str, str, str, str]


def rows(page: str) -> list[Row]:
    """Of the page's table: what fails, how, and what the caller gets at each moment."""
    table = page.partition(_BEGIN)[2].partition(_END)[0]
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return [(what, how, before, during, crowd) for what, how, before, during, crowd, _ in cells]


def expected_rows() -> list[Row]:
    return [(system, str(fault), *got) for (system, fault), got in EXPECTED.items()]


def main() -> None:
    warnings.simplefilter("ignore")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    seen = asyncio.run(_all())
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    PAGE.write_text(f"{before}{_BEGIN}{_written(seen)}{_END}{after}", encoding="utf-8")


async def _all() -> dict[tuple[str, Fault], list[Outcome]]:
    seen = {}
    for system, fault in EXPECTED:
        with tempfile.TemporaryDirectory() as folder:
            seen[system, fault] = await outcomes(Path(folder), system, fault)
            print(system, fault, seen[system, fault], flush=True)
    return seen


def _written(seen: Mapping[tuple[str, Fault], Sequence[Outcome]]) -> str:
    lines = [_HEAD, "|---|---|---|---|---|---|\n"]
    for (system, fault), found in seen.items():
        got = " | ".join(f"`{outcome.got}`" for outcome in found)
        lines.append(f"| {system} | {fault} | {got} | {max(outcome.seconds for outcome in found):.1f} s |\n")
    return "".join(lines)


if __name__ == "__main__":
    main()

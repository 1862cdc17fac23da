"""`python -m eval`: how well documents are found, questions refused and answers made, against the figures kept.

Asks the bundled sample and the public sets in the folder that EVAL_DATA names, each over an index of its own. With
CHAT_BASE_URL set, the model answers some of the questions, too.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app import logs
from app.errors import VouchError
from app.settings import Settings
from eval import baseline, report
from eval.baseline import Change, Part
from eval.figures import Figures
from eval.run import Result, evaluate

DONE, REGRESSED, NOT_DONE = range(3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 1 when `--check` finds a regression, 2 when nothing could be measured."""
    asked = _parse(arguments)
    logs.configure(logging.ERROR)
    part: Part = "quick" if asked.quick else "whole"
    try:
        with tempfile.TemporaryDirectory(prefix="vouch-eval-") as folder:
            result = asyncio.run(evaluate(asked.keep or Path(folder), Settings.load(), quick=asked.quick, tell=_say))
    except VouchError as exc:
        print(exc, file=sys.stderr)
        return NOT_DONE
    kept = baseline.load(part, asked.baseline)
    changes = baseline.changes(kept, result.figures)
    if asked.out:
        report.write(asked.out, result, changes)
    _show(result, kept, changes, asked.out)
    if asked.save:
        baseline.save(part, result.figures, asked.baseline)
        print(f"These figures are the baseline from now on: {asked.baseline}")
    return REGRESSED if asked.check and any(change.fails for change in changes) else DONE


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m eval", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the sample and a small fixed part of two sets; no report")
    parser.add_argument("--check", action="store_true", help="exit with 1 when R@5, AUC or invented markers got worse")
    parser.add_argument("--save", action="store_true", help="keep the figures as the new baseline")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="leave the indexes there, and use those that are there"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the report goes (eval, unless --quick)")
    parser.add_argument("--baseline", type=Path, metavar="FILE", default=baseline.FILE, help="the figures kept")
    asked = parser.parse_args(arguments)
    if asked.out is None and not asked.quick:
        asked.out = Path(__file__).parent
    return asked


def _show(result: Result, kept: Figures, changes: Sequence[Change], out: Path | None) -> None:
    for table in report.tables(result.figures):
        print(f"\n{table}\n{report.table_of(table, result.figures)}")
    for line in result.skipped:
        print(f"\nSkipped: {line}")
    print(f"\n{result.seconds:.0f} s" + (f"; the report is in {out}" if out else ""))
    if not kept:
        print("There is no baseline for this part: keep one with --save.")
        return
    for key in baseline.missing(kept, result.figures):
        print(f"Not measured here: {' / '.join(key)}")
    for change in changes:
        if change.beyond_noise:
            print(f"{'REGRESSION' if change.fails else 'worse' if change.worse else 'changed'}: {change}")
    print(f"{sum(change.fails for change in changes)} regressions in {len(changes)} figures.")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

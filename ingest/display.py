"""A job's progress for people: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ingest.commands import Order, Outcome
from ingest.dry_run import Plan
from ingest.integrity import Finding
from ingest.progress import DocumentCounts, Failure, Progress, Report, Summary
from ingest.prune import Pruned
from ingest.verify import Verification

_PLAIN_STEP = 100
"""Documents between two plain lines."""
_COUNTED: dict[type[Outcome], str] = {
    Summary: ", {} passages embedded",
    Plan: ", {} passages to embed",
    Verification: " compared",
    Pruned: "",
}
"""What follows on the number of documents that are dealt with."""


@contextmanager
def progress(order: Order, output: TextIO | None = None) -> Iterator[Report]:
    """A report that shows progress on `output` (standard error by default, so that `--json` stays clean)."""
    output = output or sys.stderr
    counted = _COUNTED[order.outcome]
    if output.isatty():
        with _bar(counted, output) as report:
            yield report
    else:
        yield lambda progress: _plain(progress, counted, output)


@contextmanager
def failures(output: TextIO | None = None) -> Iterator[Report]:
    """A report that shows nothing but documents that fail."""
    output = output or sys.stderr

    def report(progress: Progress) -> None:
        if progress.failure:
            tell(_failure(progress.failure), output)

    yield report


def tell(text: str, output: TextIO) -> OSError | None:
    """Print the text, and say why it can't be: nobody reads it any more (`| head -1`), or there is no room.

    No job ends for that. What is printed there later is lost without a word, and so is what waits in the buffer, over
    which Python would stumble when it exits.
    """
    try:
        print(text, file=output, flush=True)
    except OSError as exc:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), output.fileno())
        return exc
    return None


def text(outcome: Outcome) -> str:
    """What came of a command, in a few lines."""
    match outcome:
        case Summary():
            return _summary(outcome)
        case Plan():
            return _plan(outcome)
        case Verification():
            return _verification(outcome)
        case Pruned():
            return _pruned(outcome)


def line(outcome: Outcome) -> str:
    """What came of a job, in one line."""
    if not isinstance(outcome, Summary):
        return text(outcome)
    now = datetime.now().strftime("%H:%M:%S")
    return f"{now} {_documents(outcome.documents)}; {outcome.passages.embedded} embedded; revision {outcome.revision}"


def _summary(done: Summary) -> str:
    passages = done.passages
    return (
        f"Documents: {_documents(done.documents)}\n"
        f"Passages:  {passages.embedded} embedded, {passages.reused} reused, {passages.updated} updated,"
        f" {passages.removed} removed, {passages.total} in all\n"
        f"Revision {done.revision} is {done.state} after {done.seconds:.1f} s"
    )


def _plan(plan: Plan) -> str:
    passages = plan.passages
    planned = (
        f"Documents: {_documents(plan.documents)}\n"
        f"Passages:  {passages.embed} to embed ({plan.tokens:,} tokens), {passages.reuse} to reuse,"
        f" {passages.update} to update, {passages.remove} to remove\n"
    )
    return planned + (plan.refusal or "Nothing was written: run it without --dry-run to do it.")


def _verification(found: Verification) -> str:
    lines = [f"Mended: {_finding(finding)}" for finding in found.mended]
    if found.repair is not None:
        lines.append(_summary(found.repair))
    lines += [_finding(finding) for finding in found.findings]
    checked = f"{found.documents} documents and {found.passages} passages were compared in {found.seconds:.1f} s"
    if found.ok:
        return "\n".join([*lines, f"All is well: {checked}."])
    advice = "this could not be mended" if found.repair else "to mend it, run it again with --repair"
    return "\n".join([*lines, f"Findings: {len(found.findings)}. {checked}; {advice}."])


def _finding(finding: Finding) -> str:
    place = "The index" if finding.document_id is None else finding.document_id
    return _printable(f"{place}: {finding.detail} ({finding.kind})")


def _pruned(pruned: Pruned) -> str:
    dropped = "Would drop" if pruned.dry_run else "Dropped"
    lines = [
        f"Kept {found.name} ({found.passages} passages): {found.kept}"
        if found.kept
        else f"{dropped} {found.name} ({found.passages} passages)"
        for found in pruned.collections
    ]
    return "\n".join(lines) or "There is no collection: run `make ingest`."


def _documents(counts: DocumentCounts) -> str:
    return (
        f"{counts.added} added, {counts.changed} changed, {counts.unchanged} unchanged,"
        f" {counts.removed} removed, {counts.failed} failed"
    )


@contextmanager
def _bar(counted: str, output: TextIO) -> Iterator[Report]:
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("documents" + counted.format("{task.fields[embedded]}")),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(file=output)) as bar:
        task = bar.add_task("", total=None, embedded=0)

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, embedded=progress.embedded)
            if progress.failure:
                bar.console.print(_failure(progress.failure), markup=False, highlight=False)

        yield report


def _plain(progress: Progress, counted: str, output: TextIO) -> None:
    if progress.failure:
        tell(_failure(progress.failure), output)
    if progress.done % _PLAIN_STEP == 0 or progress.done == progress.total:
        said = f"{progress.done}/{progress.total} documents" + counted.format(progress.embedded)
        tell(said, output)


def _failure(failure: Failure) -> str:
    return _printable(f"Failed: {failure.document_id}: {failure.reason}")


def _printable(text: str) -> str:
    """Names of files are others' words: nothing in them may steer the terminal, or look like a line of ours."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)

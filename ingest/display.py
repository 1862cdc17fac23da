"""A job's progress for people: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ingest.progress import Failure, Progress, Report, Summary

_PLAIN_STEP = 100
"""Documents between two plain lines."""


@contextmanager
def progress(output: TextIO | None = None) -> Iterator[Report]:
    """A report that shows progress on `output` (standard error by default, so that `--json` stays clean)."""
    output = output or sys.stderr
    if output.isatty():
        with _bar(output) as report:
            yield report
    else:
        yield lambda progress: _plain(progress, output)


def summary(done: Summary) -> str:
    """The summary in a few lines."""
    documents, passages = done.documents, done.passages
    return (
        f"Documents: {documents.added} added, {documents.changed} changed, {documents.unchanged} unchanged,"
        f" {documents.removed} removed, {documents.failed} failed\n"
        f"Passages:  {passages.embedded} embedded, {passages.reused} reused, {passages.updated} updated,"
        f" {passages.removed} removed, {passages.total} in all\n"
        f"Revision {done.revision} is {done.state} after {done.seconds:.1f} s"
    )


@contextmanager
def _bar(output: TextIO) -> Iterator[Report]:
    columns = (
        TextColumn("Indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("documents, {task.fields[embedded]} passages embedded"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(file=output)) as bar:
        task = bar.add_task("", total=None, embedded=0)

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, embedded=progress.embedded)
            if progress.failure:
                bar.console.print(_failure(progress.failure), markup=False, highlight=False)

        yield report


def _plain(progress: Progress, output: TextIO) -> None:
    if progress.failure:
        print(_failure(progress.failure), file=output)
    if progress.done % _PLAIN_STEP == 0 or progress.done == progress.total:
        line = f"{progress.done}/{progress.total} documents, {progress.embedded} passages embedded"
        print(line, file=output, flush=True)


def _failure(failure: Failure) -> str:
    return f"Failed: {failure.document_id}: {failure.reason}"

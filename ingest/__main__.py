"""`python -m ingest`: bring the index in step with a folder of documents."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path

import msgspec

from app import logs
from app.adapters import fastembed_embedder
from app.adapters.stores import open_store
from app.errors import StoreHeld, VouchError
from app.logs import log
from app.settings import Settings
from ingest import display, handover, job
from ingest.errors import JobRunning, NothingToIngest
from ingest.intake import Intake
from ingest.progress import Report, Summary

DONE, SOME_FAILED, NOTHING_DONE, ALREADY_RUNNING = range(4)


def main(arguments: list[str] | None = None) -> int:
    """Run the job, here or in the service that holds the store. Returns the exit code."""
    options = _options(arguments)
    logs.configure(logging.WARNING)
    try:
        settings = Settings.load()
        with display.progress() as report:
            done = _ingest(settings, _corpus(options.corpus or settings.corpus), report)
    except JobRunning as exc:
        return _say(exc, ALREADY_RUNNING)
    except VouchError as exc:
        return _say(exc, NOTHING_DONE)
    except Exception as exc:
        log.error("ingest.internal_error", exc_info=exc)
        return _say("The job failed on an error of its own; the lines above have the details.", NOTHING_DONE)
    except KeyboardInterrupt:
        return _say("Stopped. Run it again to finish the job.", 130)
    print(msgspec.json.encode(done).decode() if options.json else display.summary(done))
    return SOME_FAILED if done.documents.failed else DONE


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ingest",
        description="Bring the index in step with a folder: only what changed is embedded again.",
        epilog="Exit codes: 0 done; 1 some documents failed, the rest is in; 2 nothing done;"
        " 3 another job is running. Then ask: make ask Q='...'",
    )
    parser.add_argument("corpus", nargs="?", help="the folder to read (default: CORPUS)")
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    return parser.parse_args(arguments)


def _corpus(name: str) -> Path:
    corpus = Path(name)
    if not corpus.is_dir():
        raise NothingToIngest(f"There is no folder {name}: set CORPUS to the folder with your documents.")
    return corpus


def _ingest(settings: Settings, corpus: Path, report: Report) -> Summary:
    try:
        return asyncio.run(_ingest_here(settings, corpus, report))
    except StoreHeld as held:
        if held.owner is None or held.owner.role == "job":
            raise JobRunning(str(held)) from held
        if held.owner.address is None:
            raise
        return handover.run(held.owner.address, held.owner.token, corpus, settings, report)


async def _ingest_here(settings: Settings, corpus: Path, report: Report) -> Summary:
    async with open_store(settings, "job") as (store, _):
        embedder = await asyncio.to_thread(fastembed_embedder.load, settings.embedding_model)
        try:
            return await job.run(store, embedder, settings.index_name, corpus, report, Intake.of(settings))
        finally:
            embedder.close()


def _say(problem: object, code: int) -> int:
    print(problem, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""`python -m ingest`: bring the index in step with a folder of documents; verify and prune it."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
from msgspec import structs

from app import logs
from app.adapters import fastembed_embedder
from app.adapters.stores import open_store
from app.errors import StoreHeld, VouchError
from app.logs import log
from app.settings import Settings
from ingest import commands, display, handover, options, stopping
from ingest.commands import Order, Outcome
from ingest.dry_run import Plan
from ingest.errors import JobRunning, RemovalsRefused
from ingest.intake import Intake
from ingest.progress import Report, Summary
from ingest.verify import Verification

DONE, SOMETHING_OFF, NOT_DONE, ALREADY_RUNNING, REMOVALS_REFUSED = range(5)
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says, here or in the service that holds the store. Returns the exit code."""
    asked = options.parse(arguments)
    logs.configure(logging.WARNING)
    try:
        settings = Settings.load()
        order = structs.replace(asked.order, corpus=asked.order.corpus or settings.corpus)
        with stopping.terminated_as_interrupted():
            if asked.watch:
                return _follow(settings, order, asked.json)
            return _once(settings, order, display.progress(order), _as_json if asked.json else display.text)
    except VouchError as exc:
        return _say(exc, NOT_DONE)
    except KeyboardInterrupt as exc:
        return _say(str(exc) or "Stopped. Run it again to finish the job.", INTERRUPTED)


def _follow(settings: Settings, order: Order, as_json: bool) -> int:
    from ingest import watch

    def run() -> bool:
        code = _once(settings, order, display.failures(), _as_json if as_json else display.line)
        return code in (DONE, SOMETHING_OFF)

    commands.check_corpus(order)
    display.tell(f"Following {order.corpus}. Stop with Ctrl-C.", sys.stderr)
    watch.follow(Path(order.corpus), settings.store_path, run)
    return DONE


def _once(
    settings: Settings, order: Order, progress: AbstractContextManager[Report], show: Callable[[Outcome], str]
) -> int:
    try:
        commands.check_corpus(order)
        with progress as report:
            outcome = _carry_out(settings, order, report)
    except JobRunning as exc:
        return _say(exc, ALREADY_RUNNING)
    except RemovalsRefused as exc:
        return _say(exc, REMOVALS_REFUSED)
    except VouchError as exc:
        return _say(exc, NOT_DONE)
    except Exception as exc:
        log.error("ingest.internal_error", exc_info=exc)
        return _say("The job failed on an error of its own; the lines above have the details.", NOT_DONE)
    problem = display.tell(show(outcome), sys.stdout)
    if problem is not None and not isinstance(problem, BrokenPipeError):  # who reads no further knows it
        return _say(f"It is done, but what came of it can't be printed: {problem.strerror}.", SOMETHING_OFF)
    return _code(outcome)


def _carry_out(settings: Settings, order: Order, report: Report) -> Outcome:
    try:
        return stopping.run(_carry_out_here(settings, order, report))
    except StoreHeld as held:
        if held.owner is None or held.owner.role == "job":
            raise JobRunning(str(held)) from held
        if held.owner.address is None:
            raise
        return handover.carry_out(held.owner.address, held.owner.token, order, settings, report)


async def _carry_out_here(settings: Settings, order: Order, report: Report) -> Outcome:
    async with open_store(settings, "job") as (store, _):
        embedder = await asyncio.to_thread(fastembed_embedder.load, settings.embedding_model)
        try:
            intake = Intake.of(settings)
            return await commands.carry_out(order, store, embedder, settings.index_name, report, intake)
        finally:
            embedder.close()


def _code(outcome: Outcome) -> int:
    match outcome:
        case Plan(refusal=str()):
            return REMOVALS_REFUSED
        case Summary() | Plan():
            return SOMETHING_OFF if outcome.documents.failed else DONE
        case Verification():
            return DONE if outcome.ok else SOMETHING_OFF
        case _:
            return DONE


def _as_json(outcome: Outcome) -> str:
    return msgspec.json.encode(outcome).decode()


def _say(problem: object, code: int) -> int:
    display.tell(str(problem), sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

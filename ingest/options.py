"""The command line of `python -m ingest`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from msgspec import Struct

from ingest.commands import Order

_EPILOG = """\
Exit codes: 0 done; 1 some documents failed, the rest is in; 2 not done, or not to its end: run it again;
3 another job is running; 4 stopped before any change, as more than 30 percent of the folder's documents
are gone: look whether it is the right folder, and confirm with --allow-removals; 130 stopped by Ctrl-C.

Other commands (a folder of that name is given as ./verify):
  python -m ingest verify --help    compare the index with itself and with the folder; --repair mends it
  python -m ingest prune --help     drop collections that no longer answer, such as an earlier model's

Then ask: make ask Q='...'"""


class Options(Struct, frozen=True):
    order: Order
    json: bool
    watch: bool


def parse(arguments: Sequence[str] | None) -> Options:
    """The options of a command line, sys.argv when None; its order names no corpus where the line does not.

    Exits with code 2 for one that makes no sense, and with 0 after --help.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = _command(given)
    if command == "ingest":
        return _ingest(given)
    given.remove(command)
    return _verify(given) if command == "verify" else _prune(given)


def _command(given: Sequence[str]) -> str:
    """No option takes a value, so the first word without a dash is the command or the folder."""
    word = next((word for word in given if not word.startswith("-") or word == "--"), "")
    return word if word in ("verify", "prune") else "ingest"


def _ingest(given: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m ingest",
        description="Bring the index in step with a folder: only what changed is embedded again.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_corpus(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="write nothing; print what would be done, with the exit code of that"
    )
    parser.add_argument("--watch", action="store_true", help="go on, and do it again whenever a file changes")
    _add_allow_removals(parser)
    _add_json(parser)
    said = parser.parse_args(given)
    if said.watch and said.dry_run:
        parser.error("--watch and --dry-run do not go together: take one of them")
    order = Order(corpus=said.corpus, dry_run=said.dry_run, allow_removals=said.allow_removals)
    return Options(order, said.json, said.watch)


def _verify(given: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m ingest verify",
        description="Compare the index with itself and with the folder. Writes nothing without --repair.",
        epilog="Exit codes: 0 all is well; 1 something is (after a repair: still) off, and listed; 2 it could not be"
        " compared; 3 a job is running; 4 a repair would remove much of the folder's documents.",
    )
    _add_corpus(parser)
    parser.add_argument("--repair", action="store_true", help="mend what is off, embedding only what is lost")
    _add_allow_removals(parser)
    _add_json(parser)
    said = parser.parse_args(given)
    order = Order(command="verify", corpus=said.corpus, repair=said.repair, allow_removals=said.allow_removals)
    return Options(order, said.json, watch=False)


def _prune(given: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m ingest prune",
        description="Drop the collections of this index that its name no longer points at, such as those of an"
        " embedding model that was replaced.",
        epilog="Exit codes: 0 done; 2 not done, or not to its end; 3 a job is running.",
    )
    parser.add_argument("--dry-run", action="store_true", help="drop nothing; list what would be dropped")
    parser.add_argument("--unfinished", action="store_true", help="drop also what a job has not finished building")
    _add_json(parser)
    said = parser.parse_args(given)
    order = Order(command="prune", corpus="", dry_run=said.dry_run, unfinished=said.unfinished)
    return Options(order, said.json, watch=False)


def _add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="?", default="", help="the folder to read (default: CORPUS)")


def _add_allow_removals(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-removals", action="store_true", help="remove documents even when more than 30 percent are gone"
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the outcome as one JSON object")

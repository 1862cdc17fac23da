"""`python -m app`: serve. `python -m app ask QUESTION` and others: ask the running service."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path

from app import logs
from app.errors import VouchError
from app.settings import Settings
from app.terminal.ask import ask
from app.terminal.client import Client
from app.terminal.search import search
from app.terminal.status import status

BAD_START = 2
INTERRUPTED = 130
"""As shells count: 128 and the number of SIGINT."""


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code; 2 when the service can't start or can't be asked."""
    options = _options(arguments)
    try:
        if options.command == "doctor":
            return _doctor(options)
        return _run(Settings.load(), options)
    except VouchError as exc:
        print(exc, file=sys.stderr)
        return BAD_START
    except KeyboardInterrupt:  # Ctrl-C; closing the connection has stopped the answer too
        return INTERRUPTED
    except BrokenPipeError:  # `| head` has read enough; nothing more may be written, not even at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(settings: Settings, options: argparse.Namespace) -> int:
    client = Client(settings.address, settings.api_key)
    match options.command:
        case "ask":
            return ask(client, options.question, _request(options), as_json=options.json)
        case "search":
            return search(client, options.question, options.top_k, as_json=options.json)
        case "status":
            return status(client, as_json=options.json)
        case "keys":
            return _keys(settings, options)
        case "calibrate":
            return _calibrate(settings, options)
    from app import server, workers  # take a second to import

    logs.configure()
    asyncio.run(server.serve(settings) if settings.workers == 1 else workers.serve(settings))
    return 0


def _keys(settings: Settings, options: argparse.Namespace) -> int:
    from app import keys  # the other commands do not need what it loads

    match options.action:
        case "add":
            keys.add(settings, options.name, options.groups, is_admin=options.admin)
        case "remove":
            keys.remove(settings, options.name)
        case "list":
            keys.show(settings, as_json=options.json)
    return 0


def _calibrate(settings: Settings, options: argparse.Namespace) -> int:
    from app import calibrating  # takes a second to import

    logs.configure(logging.ERROR)
    return calibrating.main(settings, options.labelled, options.false_refusals, as_json=options.json)


def _doctor(options: argparse.Namespace) -> int:
    from app import doctor  # takes a second to import

    return doctor.main(as_json=options.json)


def _request(options: argparse.Namespace) -> dict[str, object]:
    """What the flags of `ask` say in the request; what was not given is left to the service."""
    given = {"top_k": options.top_k, "verify": options.verify or None, "previous": options.previous}
    narrowed = {"source_prefix": options.prefix, "tags": options.tag}
    fields: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if wanted := {name: value for name, value in narrowed.items() if value}:
        fields["filter"] = wanted
    return fields


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m app",
        description="Answer questions over your own documents, with citations. Fill the index with `make ingest`.",
        epilog="When something does not work: python -m app doctor",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print one JSON object")
    asking = argparse.ArgumentParser(add_help=False)
    asking.add_argument("question")
    asking.add_argument("--top-k", type=int, metavar="N", help="passages that are looked at (1 to 40)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("serve", help="run the HTTP service (this is what no command does)")
    ask = commands.add_parser(
        "ask",
        help="ask the running service",
        parents=[asking, shared],
        epilog="Exit codes: 0 answered, 2 could not ask, 3 ungrounded, 4 refused, 5 failed.",
    )
    ask.add_argument("--prefix", metavar="PATH", help="only documents below this path")
    ask.add_argument(
        "--tag", action="append", metavar="TAG", help="only documents with this tag (or another one given)"
    )
    ask.add_argument("--verify", action="store_true", help="check each sentence against the sources it cites")
    ask.add_argument("--previous", metavar="ID", help="the id of the answer that the question follows up on")
    commands.add_parser(
        "search",
        help="what a question would be answered from, without a model call",
        parents=[asking, shared],
        epilog="Exit codes: 0 it would be answered, 2 could not ask, 4 it would be refused.",
    )
    commands.add_parser(
        "status",
        help="is the service ready, and what does its index hold",
        parents=[shared],
        epilog="Exit codes: 0 ready, 1 not ready, 2 nothing answers.",
    )
    commands.add_parser(
        "doctor",
        help="check settings, store, model, thresholds, Redis and chat endpoint, and name the fix for each",
        parents=[shared],
        epilog="Exit codes: 0 all is well, 1 something is wrong. The chat endpoint is asked for one short reply.",
    )
    _add_calibrate(
        commands.add_parser(
            "calibrate",
            help="measure on your own index when to refuse, and keep it for the service",
            parents=[shared],
            epilog="Exit codes: 0 measured and kept, 2 not. Stop the service first where it holds the embedded store.",
        )
    )
    _add_keys(commands.add_parser("keys", help="callers and their keys, in API_KEYS_FILE"), shared)
    return parser.parse_args(arguments)


def _add_calibrate(calibrate: argparse.ArgumentParser) -> None:
    calibrate.add_argument(
        "--labelled",
        type=Path,
        metavar="FILE",
        help='questions of your own, a line of {"question": "...", "answerable": true} each;'
        " without any of a kind they are built from the documents",
    )
    calibrate.add_argument(
        "--false-refusals",
        type=float,
        default=0.05,
        metavar="SHARE",
        help="how many of the questions that are answerable may be refused (0.05)",
    )


def _add_keys(keys: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    actions = keys.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="add a caller and print the key, which is shown this once")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--groups", default="", metavar="GROUPS", help="whose documents it sees, such as hr,tenant:acme")
    add.add_argument("--admin", action="store_true", help="it may sync, push and delete")
    remove = actions.add_parser("remove", help="remove a caller: the key is of no use at once")
    remove.add_argument("name", metavar="NAME")
    actions.add_parser("list", help="the callers, their rights and groups", parents=[shared])


if __name__ == "__main__":
    sys.exit(main())

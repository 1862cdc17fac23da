"""`python -m app`: serve. `python -m app ask QUESTION`: ask the running service."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from app import logs, server, terminal
from app.errors import VouchError
from app.settings import Settings

BAD_START = 2


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code; 2 when the service can't start or can't be asked."""
    options = _options(arguments)
    try:
        settings = Settings.load()
        if options.command == "ask":
            return terminal.ask(settings.address, options.question)
        logs.configure()
        asyncio.run(server.serve(settings))
    except VouchError as exc:
        print(exc, file=sys.stderr)
        return BAD_START
    except BrokenPipeError:  # `| head` has read enough; nothing more may be written, not even at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m app",
        description="Answer questions over your own documents, with citations. Fill the index with `make ingest`.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("serve", help="run the HTTP service (this is what no command does)")
    ask = commands.add_parser(
        "ask",
        help="ask the running service",
        epilog="Exit codes: 0 answered, 2 could not ask, 3 ungrounded, 4 refused, 5 failed.",
    )
    ask.add_argument("question")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

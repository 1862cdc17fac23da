"""The command line of `python -m ingest`."""

from __future__ import annotations

import pytest

from ingest import options
from ingest.commands import Order


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("", Order(corpus="")),
        ("handbook --allow-removals", Order(corpus="handbook", allow_removals=True)),
        ("--dry-run handbook", Order(corpus="handbook", dry_run=True)),
        ("verify", Order(command="verify", corpus="")),
        ("--json verify handbook --repair", Order(command="verify", corpus="handbook", repair=True)),
        ("./verify", Order(corpus="./verify")),
        ("-- verify", Order(corpus="verify")),
        ("handbook/verify", Order(corpus="handbook/verify")),
        ("verify verify", Order(command="verify", corpus="verify")),
        ("prune --dry-run --unfinished", Order(command="prune", corpus="", dry_run=True, unfinished=True)),
    ],
)
def test_the_first_word_is_a_command_or_the_folder(line: str, order: Order) -> None:
    assert options.parse(line.split()).order == order


def test_json_and_watch_are_no_part_of_the_order() -> None:
    assert options.parse(["--watch", "--json"]) == options.Options(Order(corpus=""), json=True, watch=True)


@pytest.mark.parametrize("line", ["--watch --dry-run", "a b", "prune folder", "--repair", "verify --dry-run"])
def test_a_line_that_makes_no_sense_ends_with_code_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        options.parse(line.split())
    assert (stopped.value.code, "usage: python -m ingest" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize("line", ["--help", "verify --help", "prune --help"])
def test_help_names_every_exit_code(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        options.parse(line.split())
    assert (stopped.value.code, "Exit codes: 0 " in capsys.readouterr().out) == (0, True)

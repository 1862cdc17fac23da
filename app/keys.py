"""`python -m app keys`: give callers keys, and take them back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.adapters.keys_edit import add_caller, remove_caller
from app.adapters.keys_file import read_callers
from app.core.callers import PUBLIC, Caller
from app.errors import SettingsError
from app.settings import Settings


def add(settings: Settings, name: str, groups: str, *, is_admin: bool) -> None:
    """Print a new caller's key, the only time that it is seen. Raises SettingsError."""
    wanted = list(dict.fromkeys(filter(None, map(str.strip, groups.split(",")))))
    print(add_caller(_file(settings), name, wanted, is_admin=is_admin))


def remove(settings: Settings, name: str) -> None:
    """Raises SettingsError. A running service knows of it with its next request."""
    remove_caller(_file(settings), name)


def show(settings: Settings, *, as_json: bool) -> None:
    """List the callers, without a word of their keys. Raises SettingsError."""
    callers = [entry.caller for entry in read_callers(_file(settings))]
    if as_json:
        print(msgspec.json.encode({"callers": callers}, order="sorted").decode())
        return
    for row in _rows(callers):
        print(row)


def _rows(callers: Sequence[Caller]) -> list[str]:
    width = max((len(caller.name) for caller in callers), default=0)
    rows = []
    for caller in callers:
        right, groups = "admin" if caller.is_admin else "", ", ".join(sorted(caller.groups - {PUBLIC}))
        rows.append(f"{caller.name:{width}}  {right:5}  {groups}".rstrip())
    return rows


def _file(settings: Settings) -> Path:
    if not settings.api_keys_file:
        raise SettingsError("Set API_KEYS_FILE to the file of callers first, such as API_KEYS_FILE=.data/keys.toml.")
    return Path(settings.api_keys_file)

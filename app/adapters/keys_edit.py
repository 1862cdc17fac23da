"""Changes of the file of callers. What people wrote into it, comments too, stays as it is."""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.atomic_file import replace_file
from app.adapters.keys_file import parse_callers, read_text
from app.core.callers import key_digest
from app.errors import SettingsError

_ONLY_OWNER = 0o600
_TABLE = re.compile(r"^(?=[ \t]*\[\[[ \t]*callers[ \t]*\]\])", re.MULTILINE)


def add_caller(path: Path, name: str, groups: Collection[str], *, is_admin: bool) -> str:
    """Add a caller; makes the file if there is none. Returns the key, which is kept nowhere.

    Raises SettingsError when the name is taken, the name or a group is no valid one, or the file can't be written.
    """
    key = f"vouch_{secrets.token_urlsafe(32)}"
    lines = [
        "[[callers]]",
        f"name = {_quoted(name)}",
        f"sha256 = {_quoted(key_digest(key))}",
        f"groups = [{', '.join(map(_quoted, groups))}]",
        *(["admin = true"] if is_admin else []),
    ]
    with _locked(path):
        text = read_text(path) if path.exists() else ""
        known = parse_callers(text, path)  # what is wrong already shall not be blamed on the new caller
        if any(entry.caller.name == name for entry in known):
            raise SettingsError(f"There is a caller {name} already: `keys remove` it first, or add another.")
        _write(path, f"{text.rstrip()}\n\n".lstrip() + "\n".join(lines) + "\n")
    return key


def remove_caller(path: Path, name: str) -> None:
    """Raises SettingsError when there is no such caller, or the file can't be written."""
    with _locked(path):
        text = read_text(path)
        before = [entry.caller.name for entry in parse_callers(text, path)]
        if name not in before:
            raise SettingsError(f"There is no caller {name}: `python -m app keys list` names those there are.")
        head, *tables = _TABLE.split(text)
        kept = head + "".join(table for table in tables if not _is_of(table, name, path))
        after = [entry.caller.name for entry in parse_callers(kept, path)]
        if after != [other for other in before if other != name]:
            raise SettingsError(f"{path} is written in an unusual way: remove {name} from it by hand.")
        _write(path, kept)


def _is_of(table: str, name: str, path: Path) -> bool:
    try:
        return [entry.caller.name for entry in parse_callers(table, path)] == [name]
    except SettingsError:  # a piece of a longer value: then the names that are left do not fit, and nothing is written
        return False


def _write(path: Path, text: str) -> None:
    parse_callers(text, path)
    try:
        replace_file(Path(os.path.realpath(path)), text.encode(), _ONLY_OWNER)
    except OSError as exc:
        raise SettingsError(f"API_KEYS_FILE={path} can't be written ({exc.strerror}).") from exc


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One change at a time: the folder itself is the lock."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as exc:
        raise SettingsError(f"The folder of API_KEYS_FILE={path} can't be used ({exc.strerror}).") from exc
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _quoted(text: str) -> str:
    """A string of TOML; names and groups hold nothing that JSON would escape in another way."""
    return json.dumps(text, ensure_ascii=False)

"""The file of callers (API_KEYS_FILE): TOML with one table `[[callers]]` for each.

[[callers]]
name = "hr-portal"
sha256 = "..."                   # of the key: 64 hex digits
groups = ["hr", "tenant:acme"]
admin = false
limits = { requests_per_minute = 60 }
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from app.core.callers import PUBLIC, Caller, KeyedCaller, Limits, find_caller, is_group, is_name
from app.errors import SettingsError
from app.logs import log

_MAX_BYTES = 2**20

_Stamp = tuple[int, int, int] | None
"""Inode, size and time of change; None for a file that is not there."""


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    groups: tuple[str, ...] = ()
    admin: bool = False
    limits: Limits = Limits()


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    callers: tuple[_Entry, ...] = ()


class KeysFile:
    """The Keys of app/ports.py: what the file says now, or said when it last was valid."""

    def __init__(self, path: Path) -> None:
        """Raises SettingsError when the file can't be read or is not valid."""
        self._path = path
        self._stamp = _stamp(path)
        self._callers = read_callers(path)

    def find(self, key: str) -> Caller | None:
        if _stamp(self._path) != self._stamp:
            self.reload()
        return find_caller(key, self._callers)

    def reload(self) -> None:
        """Read the file again. While it is not valid, the callers of the last valid one stay."""
        self._stamp = _stamp(self._path)
        try:
            self._callers = read_callers(self._path)
        except SettingsError as exc:
            log.error("keys.not_reloaded", problem=str(exc), callers_kept=len(self._callers))
            return
        log.info("keys.reloaded", callers=len(self._callers))


def read_callers(path: Path) -> tuple[KeyedCaller, ...]:
    """Raises SettingsError, one line that says nothing of a key or of its digest."""
    return parse_callers(read_text(path), path)


def read_text(path: Path) -> str:
    """Raises SettingsError."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise SettingsError(
            f"API_KEYS_FILE={path} can't be read ({exc.strerror}): make it with `python -m app keys add NAME`."
        ) from exc
    if len(data) > _MAX_BYTES:
        raise SettingsError(f"API_KEYS_FILE={path} is larger than 1 MB: remove callers that are not needed.")
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise SettingsError(f"API_KEYS_FILE={path} must be UTF-8 text.") from exc


def parse_callers(text: str, path: Path) -> tuple[KeyedCaller, ...]:
    """The callers that the text of the file names. Raises SettingsError."""
    try:
        entries = msgspec.toml.decode(text, type=_File).callers
    except msgspec.ValidationError as exc:
        raise SettingsError(f"API_KEYS_FILE={path} is not valid: {str(exc).replace('`', '')}.") from exc
    except msgspec.DecodeError as exc:  # its text may show what stands there
        raise SettingsError(f"API_KEYS_FILE={path} is not valid TOML.") from exc
    for entry in entries:
        _check(entry, path)
    _check_distinct(entries, path)
    return tuple(KeyedCaller(_caller(entry), entry.sha256) for entry in entries)


def _caller(entry: _Entry) -> Caller:
    groups = frozenset({PUBLIC, *entry.groups})
    return Caller(name=entry.name, groups=groups, is_admin=entry.admin, limits=entry.limits)


def _check(entry: _Entry, path: Path) -> None:
    if not is_name(entry.name):
        raise SettingsError(
            f"API_KEYS_FILE={path}: a caller's name is 1 to 64 letters, digits, . _ @ or -, and not anonymous or owner."
        )
    if not all(map(is_group, entry.groups)):
        raise SettingsError(f"API_KEYS_FILE={path}: a group of {entry.name} is no name, such as hr or tenant:acme.")


def _check_distinct(entries: Sequence[_Entry], path: Path) -> None:
    for name, times in Counter(entry.name for entry in entries).items():
        if times > 1:
            raise SettingsError(f"API_KEYS_FILE={path} names {name} twice: remove one of them.")
    if len({entry.sha256 for entry in entries}) < len(entries):
        raise SettingsError(f"API_KEYS_FILE={path} gives two callers the same key.")


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns

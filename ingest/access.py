"""Who may see a document of the folder: what it says itself, within what its folders allow.

A folder's `.access.toml` holds one line, such as `access = ["hr"]`. It is a ceiling for everything below the folder,
which the files of inner folders and the documents themselves can only narrow.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

from app.core.callers import PUBLIC, is_group, is_tenant

ACCESS_FILE = ".access.toml"
_MAX_BYTES = 2**16

Access = tuple[str, ...]
"""Groups, of which a reader needs all tenants and one of the others; empty means nobody."""


class _Sidecar(Struct, frozen=True, forbid_unknown_fields=True):
    access: tuple[str, ...]


def narrowed(access: Access, ceiling: Access) -> Access:
    """Who both let in, as far as groups can say it: where they share none, nobody. Sorted."""
    if not access or not ceiling:
        return ()
    tenants = {group for group in (*access, *ceiling) if is_tenant(group)}
    ours, theirs = _others(access), _others(ceiling)
    if PUBLIC in ours:
        both = theirs
    elif PUBLIC in theirs:
        both = ours
    else:
        both = ours & theirs
    return tuple(sorted(tenants | both)) if both else ()


def effective(said: Access | None, ceiling: Access | None, default: Access) -> Access:
    """Who may see a document that says `said` of it, or nothing (None), below a `ceiling`, if there is one."""
    if ceiling is None:
        return default if said is None else said
    return ceiling if said is None else narrowed(said, ceiling)


def _others(access: Access) -> set[str]:
    """The groups that are no tenants; tenants alone let all of their members in."""
    return {group for group in access if not is_tenant(group)} or {PUBLIC}


class Ceilings:
    """The ceilings of a corpus's folders. A path is relative to the corpus, which itself is ""."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, Access | None] = {}
        self.faults: dict[str, str] = {}
        """Sidecars that can't be understood, by path: nobody sees what is below them."""

    def of(self, folder: str) -> Access | None:
        """What its own sidecar and those above allow together; None when there is none."""
        if folder not in self._known:
            above = self.of(os.path.dirname(folder)) if folder else None
            self._known[folder] = _together(above, self._own(folder))
        return self._known[folder]

    def of_link(self, target: str, folder: str) -> Access | None:
        """Of a symbolic link in `folder`: also what holds for the file it leads to."""
        return _together(self.of(os.path.dirname(target)), self.of(folder))

    def _own(self, folder: str) -> Access | None:
        try:
            return _read(self._root / folder / ACCESS_FILE)
        except (OSError, ValueError) as exc:
            reason = (exc.strerror or "it can't be read") if isinstance(exc, OSError) else str(exc)
            self.faults[str(PurePosixPath(folder, ACCESS_FILE))] = (
                f"nobody can see what is below its folder, as it can't be followed: {reason}"
            )
            return ()


def _together(above: Access | None, own: Access | None) -> Access | None:
    if above is None or own is None:
        return own if above is None else above
    return narrowed(own, above)


def _read(file: Path) -> Access | None:
    """None when there is no such file. Raises OSError, and ValueError that says what is wrong."""
    try:
        status = os.lstat(file)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
        raise ValueError("it is not a regular file of up to 64 KB")
    try:
        groups = msgspec.toml.decode(file.read_bytes(), type=_Sidecar).access
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise ValueError('it must be one line such as access = ["hr"]') from exc
    if not all(map(is_group, groups)):
        raise ValueError("a group in it is no name, such as hr or tenant:acme")
    return groups

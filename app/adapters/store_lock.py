"""Who owns the embedded store: a lock that dies with its process, and a note beside it that says who holds it.

<path>/lock         held with flock, so a killed owner frees it
<path>/owner.json   the owner's StoreOwner, readable by its user alone: the token in it stands for admin
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from filelock import FileLock, Timeout

from app.adapters.atomic_file import replace_file
from app.errors import StoreHeld, StoreOwner, StoreUnavailable

Role = Literal["service", "job"]

_WAY_ON = "let this user write to it, or set QDRANT_PATH to a folder on another disk"


class StoreLock:
    """Ownership of the store in a folder, from `acquire` to `release`. Never waits."""

    owner: StoreOwner
    """What the note says; there from `acquire` on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._note = path / "owner.json"
        self._lock = FileLock(path / "lock", blocking=False, thread_local=False)

    def acquire(self, role: Role) -> None:
        """Take the store and leave the note.

        Raises StoreHeld when another holder is there, StoreUnavailable when the folder can't be written to.
        """
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout as error:
            raise _held(self._path, self._read_note()) from error
        except (OSError, NotImplementedError) as error:
            raise StoreUnavailable(f"The folder {self._path} can't be locked ({error}): {_WAY_ON}.") from error
        now = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._leave_note(StoreOwner(os.getpid(), now, role, None, secrets.token_urlsafe(32)))
        except StoreUnavailable:
            self._lock.release()
            raise

    def announce(self, address: str) -> None:
        """Add to the note where the service listens, such as `http://127.0.0.1:8000`."""
        self._leave_note(replace(self.owner, address=address))

    def release(self) -> None:
        """Take the note away, then free the store; harmless when it is not held."""
        if not self._lock.is_locked:
            return
        try:
            self._note.unlink(missing_ok=True)
        finally:
            self._lock.release()

    def _leave_note(self, owner: StoreOwner) -> None:
        try:
            replace_file(self._note, msgspec.json.encode(owner), mode=0o600)
        except OSError as error:
            raise StoreUnavailable(f"The folder {self._path} can't be written to ({error}): {_WAY_ON}.") from error
        self.owner = owner

    def _read_note(self) -> StoreOwner | None:
        try:
            owner = msgspec.json.decode(self._note.read_bytes(), type=StoreOwner)
        except (OSError, msgspec.DecodeError):
            return None
        return owner if _is_running(owner.pid) else None


@contextmanager
def own_store(path: Path, role: Role) -> Iterator[StoreLock]:
    """Hold the store in `path` for the length of the block. Raises as StoreLock.acquire."""
    lock = StoreLock(path)
    lock.acquire(role)
    try:
        yield lock
    finally:
        lock.release()


def _held(path: Path, owner: StoreOwner | None) -> StoreHeld:
    if owner is None:
        return StoreHeld(f"Another process holds the store in {path}: stop it first.")
    holder = f"process {owner.pid}, a {owner.role} since {owner.since}"
    way_on = "stop it first" if owner.role == "service" else "wait until it is done, or stop it first"
    return StoreHeld(f"The store in {path} is held by {holder}: {way_on}.", owner)


def _is_running(pid: int) -> bool:
    """False for the note of a killed owner, whose successor has the lock but has not written its own yet."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True

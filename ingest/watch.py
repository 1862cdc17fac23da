"""Following a folder: the job runs at once, and again after each change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from watchfiles import Change, watch

from ingest.access import ACCESS_FILE
from ingest.errors import CannotWatch
from ingest.patterns import IGNORE_FILE
from ingest.sources import folder_identity

QUIET_MS = 400
"""A burst of changes is over when nothing has happened for so long."""
BURST_MS = 5_000
"""A burst that does not end is dealt with after so long."""
TICK_MS = 500
"""Between two looks at whether the folder still stands, and whether a failed run is to be tried again."""
RETRY_S = 30.0
"""After a failed run, when no change starts one sooner: what was away may have come back."""


def follow(corpus: Path, store: Path, run: Callable[[], bool]) -> None:
    """Call `run` now and after every change below `corpus`, until a KeyboardInterrupt.

    `run` returns whether it worked out. Changes while it runs start another one. What happens in the folder `store`,
    to hidden files and in hidden folders counts as none, except to `.vouchignore` and `.access.toml`.

    Raises CannotWatch when the system does not tell of changes.
    """
    with suppress(KeyboardInterrupt):
        due = _Due()
        for _ in _occasions(corpus, _Filter(corpus, store), due):
            due.at(time.monotonic() + RETRY_S if not run() else None)


class _Due:
    """When to run without a change, if at all."""

    def __init__(self) -> None:
        self._moment: float | None = None

    def at(self, moment: float | None) -> None:
        self._moment = moment

    def now(self) -> None:
        self._moment = time.monotonic()

    def __bool__(self) -> bool:
        return self._moment is not None and time.monotonic() >= self._moment


def _occasions(corpus: Path, counts: Callable[[Change, str], bool], due: _Due) -> Iterator[None]:
    """One item whenever the job is to run. A folder that was removed, and one in its place, is a change as well."""
    while True:
        due.now()
        yield from _changes(corpus, counts, due)
        while folder_identity(corpus) is None:
            if due:
                yield
            time.sleep(TICK_MS / 1000)


def _changes(corpus: Path, counts: Callable[[Change, str], bool], due: _Due) -> Iterator[None]:
    """Until the folder is another one. The first run comes after the watching has begun: no change falls between."""
    standing = folder_identity(corpus)
    try:
        for changes in watch(
            corpus,
            watch_filter=counts,
            debounce=BURST_MS,
            step=QUIET_MS,
            rust_timeout=TICK_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if folder_identity(corpus) != standing:
                due.now()
                return
            if changes or due:
                yield
    except FileNotFoundError:
        return
    except OSError as exc:
        raise CannotWatch(
            f"{corpus} can't be watched ({exc}): raise the system's limit of watches (on Linux the sysctl"
            " fs.inotify.max_user_watches), or set WATCHFILES_FORCE_POLLING=1."
        ) from exc


class _Filter:
    """Which changes count."""

    def __init__(self, corpus: Path, store: Path) -> None:
        self._corpus = corpus.resolve()
        self._store = store.resolve()

    def __call__(self, _: Change, path: str) -> bool:
        changed = Path(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if changed.is_relative_to(self._store):
            return False
        below = changed.relative_to(self._corpus) if changed.is_relative_to(self._corpus) else changed
        return all(not part.startswith(".") or part in (IGNORE_FILE, ACCESS_FILE) for part in below.parts)

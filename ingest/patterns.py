"""Patterns as in .gitignore, in `.vouchignore` files and in INCLUDE."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

IGNORE_FILE = ".vouchignore"
_MAX_BYTES = 2**20
_BRACKETS = re.compile(r"(?<!\\)\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]")
_CLASS = re.compile(r"\[:(\w+):\]")
_MEMBERS = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": ":-@!-.[-`{-~",
    "space": " \t",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""Of the classes that stand in brackets, such as `[[:digit:]]`; pathspec knows none."""


class Patterns:
    """Of several patterns that match, the last one counts, as in Git. Accents match in either encoding."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Raises ValueError, which names the pattern that is none."""
        from pathspec import GitIgnoreSpec  # slow to import, and seldom needed

        patterns: list[Pattern] = []
        for line in lines:
            try:
                patterns += GitIgnoreSpec.from_lines([_without_classes(_composed(line))]).patterns
            except (ValueError, re.error) as exc:
                raise ValueError(f"`{line}` is not a valid pattern") from exc
        self._last_first = [pattern for pattern in reversed(patterns) if pattern.include is not None]

    def name(self, path: str) -> bool:
        """Whether a file is named: the last pattern that speaks of it, or of a folder above it, decides."""
        path = _composed(path)
        return next((bool(each.include) for each in self._last_first if each.match_file(path) is not None), False)

    def verdict(self, path: str) -> bool | None:
        """Whether `path` itself is named or exempted (`!`), whatever is said of the folders above it; None when no
        pattern speaks of it. A folder's path ends with `/`."""
        path = _composed(path)
        for pattern in self._last_first:
            found = pattern.match_file(path)
            if found is not None and _reaches_end(found.match, path):
                return pattern.include
        return None


def _reaches_end(match: re.Match[str], path: str) -> bool:
    """A pattern that speaks of a folder above matches too: then its one group is the slash behind that folder."""
    return match.lastindex is None or match.end(match.lastindex) == len(path)


class IgnoreFiles:
    """The `.vouchignore` files of a corpus: each speaks of what is below its folder, the nearest one first.

    Paths are relative to the corpus, with `/` between their parts; the corpus itself is "".
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: dict[str, Patterns] = {}

    def enter(self, folder: str) -> None:
        """Take in the folder's own file, if it has one. Raises OSError and ValueError when it can't be followed."""
        file = self._root / folder / IGNORE_FILE
        try:
            status = os.lstat(file)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            raise ValueError("it is not a regular file of up to 1 MB")
        text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
        if "\0" in text:  # UTF-16, as some editors on Windows save: its patterns would match nothing
            raise ValueError("it is not UTF-8: save it as that")
        self._found[folder] = Patterns(text.splitlines())

    def leave_out(self, path: str) -> bool:
        """Whether to pass over a file, or a folder (it ends with `/`) with all that is in it."""
        if not self._found:
            return False
        end = len(path.rstrip("/"))
        while end >= 0:
            end = path.rfind("/", 0, end)
            patterns = self._found.get(path[: max(end, 0)])
            if patterns is not None and (named := patterns.verdict(path[end + 1 :])) is not None:
                return named
        return False


def _without_classes(pattern: str) -> str:
    """With the members of a class in brackets instead of its name."""

    def spelled_out(brackets: re.Match[str]) -> str:
        return "[" + _CLASS.sub(lambda found: _MEMBERS.get(found[1], found[0]), brackets[0][1:])

    return _BRACKETS.sub(spelled_out, pattern)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)

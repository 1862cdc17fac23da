"""A replaced file is the old one or the new one."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from app.adapters.atomic_file import replace_file


def test_a_file_is_made_and_replaced_with_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "note"
    replace_file(file, b"one", mode=0o600)
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    file = tmp_path / "note"
    whole = {b"a" * 100_000, b"b" * 90_000}
    replace_file(file, b"a" * 100_000)
    seen = set()

    def read() -> None:
        while writing.is_alive():
            seen.add(file.read_bytes())

    writing = threading.Thread(target=lambda: [replace_file(file, content) for content in [*whole] * 20])
    reading = threading.Thread(target=read)
    writing.start()
    reading.start()
    writing.join()
    reading.join()
    assert seen <= whole


def test_a_failed_replacement_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "note"
    replace_file(file, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(file, b"new")
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["note"]

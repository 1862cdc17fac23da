"""The file that `make calibrate` writes and the service reads."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from app.adapters import calibration_file
from app.core.calibration import Calibration
from app.core.model import Bars
from app.errors import CalibrationRefused, SettingsError

MEASURED = Calibration(
    embedding_model="bundled",
    identity="bundled@1",
    gate="abc",
    relevance_threshold=0.25,
    cosine_alone=0.4,
    answerability_threshold=0.06,
    false_refusals=0.05,
    answerable=150,
    others=200,
    labelled=False,
    index_name="vouch",
    revision="0123",
    measured_at="2026-01-01T00:00:00+00:00",
)
WRITTEN = msgspec.json.decode(msgspec.json.encode(MEASURED))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "calibration.json"
    calibration_file.write(path, MEASURED, b"chart")
    assert calibration_file.read(path) == MEASURED
    assert MEASURED.bars == Bars(0.25, 0.06, 0.4)
    assert (path.parent / "calibration.png").read_bytes() == b"chart"


def test_no_file_is_no_calibration(tmp_path: Path) -> None:
    assert calibration_file.read(tmp_path / "calibration.json") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"\xff\xfe{}",
        b"[" * 60_000,
        json.dumps(WRITTEN).encode() + b" " * 70_000,
        json.dumps(WRITTEN | {"relevance_threshold": 7}).encode(),
        json.dumps(WRITTEN | {"answerability_threshold": 1.0}).encode(),
        json.dumps(WRITTEN | {"relevance_threshold": float("nan")}).encode(),
        json.dumps(WRITTEN | {"relevance_threshold": "0.3"}).encode(),
        json.dumps(WRITTEN | {"surprise": 1}).encode(),
        json.dumps({key: value for key, value in WRITTEN.items() if key != "identity"}).encode(),
    ],
    ids=range(11),
)
def test_another_file_is_one_line_that_names_the_way_on(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        calibration_file.read(path)
    said = str(caught.value)
    assert str(path) in said
    assert "make calibrate" in said
    assert "\n" not in said
    assert len(said) < 500


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "calibration.json")
    for path in (tmp_path / "calibration.json", tmp_path):
        with pytest.raises(SettingsError, match="it is no such file"):
            calibration_file.read(path)


def test_folder_that_can_not_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(CalibrationRefused, match="CALIBRATION_FILE"):
        calibration_file.write(tmp_path / "file" / "calibration.json", MEASURED, b"")

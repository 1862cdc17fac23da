"""The file that holds what `make calibrate` measured."""

from __future__ import annotations

from pathlib import Path

import msgspec

from app.adapters.atomic_file import replace_file
from app.core.calibration import Calibration
from app.errors import CalibrationRefused, SettingsError

_MOST_BYTES = 64 * 1024


def read(path: Path) -> Calibration | None:
    """None when there is no file. Raises SettingsError when it is not one that `make calibrate` wrote."""
    try:
        if not path.exists():
            return None
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise _unusable(path, "it is no such file")
        return msgspec.json.decode(path.read_bytes(), type=Calibration)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise _unusable(path, str(exc)) from exc


def write(path: Path, calibration: Calibration, chart: bytes) -> None:
    """The file, and beside it the plots as PNG. Raises CalibrationRefused when it can't; then the old file stands."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(chart_path(path), chart)
        replace_file(path, msgspec.json.format(msgspec.json.encode(calibration)) + b"\n")
    except OSError as exc:
        raise CalibrationRefused(f"{path} can't be written ({exc}): set CALIBRATION_FILE to another place.") from exc


def chart_path(path: Path) -> Path:
    return path.with_suffix(".png")


def _unusable(path: Path, why: str) -> SettingsError:
    return SettingsError(
        f"The calibration in {path} can't be used ({why}): run `make calibrate` again, or remove the file."
    )

"""What passages must reach, by embedding model: as set, else as calibrated, else as it was measured for Vouch."""

from __future__ import annotations

from app.adapters import calibration_file, fastembed_embedder
from app.core.calibration import Calibration, gate_identity
from app.core.model import Bars
from app.errors import ModelUnavailable, SettingsError
from app.settings import Settings

_NOT_THERE = "CALIBRATION_FILE names a file that is not there: run `make calibrate`, or leave it empty."


class Thresholds:
    """The settings, and the calibration that stands when the service starts."""

    def __init__(self, settings: Settings, calibration: Calibration | None) -> None:
        self._settings = settings
        self._calibration = calibration

    @classmethod
    def read(cls, settings: Settings) -> Thresholds:
        """Raises SettingsError when the calibration can't be read, and when EMBEDDING_MODEL has no thresholds."""
        thresholds = cls(settings, calibration_file.read(settings.calibration_path))
        thresholds._bars(settings.embedding_model)
        return thresholds

    def bars(self, model: str) -> Bars:
        """Raises ModelUnavailable for a model of which nothing is known."""
        try:
            return self._bars(model)
        except SettingsError as exc:
            raise ModelUnavailable(str(exc)) from exc

    def void(self, model: str) -> str | None:
        """Why the calibration does not hold for `model`; None when it does, or is neither there nor named."""
        kept = self._calibration
        if kept is None:
            return _NOT_THERE if self._settings.calibration_file else None
        if kept.identity != fastembed_embedder.identity_of(model):
            why = f"for another embedding model, {kept.embedding_model}"
        elif kept.gate != gate_identity():
            why = "with another version of the gate"
        else:
            return None
        return f"The calibration is void, as it was measured {why}: run `make calibrate`, or remove its file."

    def _bars(self, model: str) -> Bars:
        calibrated = self._calibration if self.void(model) is None else None
        return self._settings.bars(model, calibrated.bars if calibrated else None)

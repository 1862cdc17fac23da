"""The figures that the repository keeps, and what has become worse since.

Worse is a figure that has moved the wrong way by more than the noise that was measured with the one kept. Three kinds
fail the check: R@5 of the fused order, the AUC of the gate, and invented markers, which have no noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from eval import answers, ranking, refusal
from eval.figures import Figure, Figures, Key

FILE = Path(__file__).with_name("baseline.json")
Part = Literal["whole", "quick"]
_LESS_IS_BETTER = frozenset({"false refusals", "AURC", "ECE", answers.SHOWN})
_NEITHER = frozenset({"words"})


class Change(Struct, frozen=True):
    key: Key
    kept: Figure
    now: Figure

    @property
    def difference(self) -> float:
        return self.now.value - self.kept.value

    @property
    def beyond_noise(self) -> bool:
        return abs(self.difference) > self.kept.noise + 1e-9

    @property
    def worse(self) -> bool:
        """By more than the noise."""
        wrong_way = self.difference > 0 if self.key[2] in _LESS_IS_BETTER else self.difference < 0
        return self.beyond_noise and wrong_way and self.key[2] not in _NEITHER

    @property
    def fails(self) -> bool:
        return self.worse and is_checked(self.key)

    def __str__(self) -> str:
        return (
            f"{' / '.join(self.key)}: {self.kept.value:.3f} -> {self.now.value:.3f}"
            f" ({self.difference:+.3f}, noise {self.kept.noise:.3f})"
        )


def is_checked(key: Key) -> bool:
    table, row, column = key
    return (
        (table == ranking.TABLE and row.endswith(ranking.FUSED) and column == "R@5")
        or (table == refusal.TABLE and column == "AUC")
        or table == answers.MARKERS_TABLE
    )


def changes(kept: Figures, now: Figures) -> list[Change]:
    """Of the figures that both have."""
    return [Change(key, kept[key], now[key]) for key in kept if key in now]


def missing(kept: Figures, now: Figures) -> list[Key]:
    """What is checked and was not measured now."""
    return [key for key in kept if is_checked(key) and key not in now]


def load(part: Part, file: Path = FILE) -> Figures:
    """Empty when none were kept."""
    stored = _read(file).get(part, {})
    return {_key(name): figure for name, figure in stored.items()}


def save(part: Part, figures: Figures, file: Path = FILE) -> None:
    """Replace one part; the other stays."""
    stored = {**_read(file), part: as_json(figures)}
    file.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n")


def as_json(figures: Figures) -> dict[str, Figure]:
    return {" / ".join(key): figure for key, figure in figures.items()}


def _read(file: Path) -> Mapping[str, dict[str, Figure]]:
    return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, Figure]]) if file.exists() else {}


def _key(name: str) -> Key:
    table, row, column = name.split(" / ")
    return table, row, column

"""The comparison with the figures that the repository keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval import baseline
from eval.figures import Figure, Figures

RECALL = ("retrieval", "set, fused", "R@5")
KEPT: Figures = {
    RECALL: Figure(0.8, 0.05, 100),
    ("retrieval", "set, dense", "R@5"): Figure(0.8, 0.05, 100),
    ("refusal", "set", "AUC"): Figure(0.9, 0.02, 100),
    ("refusal", "set", "false refusals"): Figure(0.1, 0.02, 100),
    ("invented markers", "answers", "shown"): Figure(0.0, 0.0, 100),
    ("answers", "set", "words"): Figure(40.0, 1.0, 100),
}


def change(key: tuple[str, str, str], value: float) -> baseline.Change:
    [one] = baseline.changes({key: KEPT[key]}, {key: Figure(value, 0.0, 100)})
    return one


@pytest.mark.parametrize(
    ("key", "value"),
    [(RECALL, 0.74), (("refusal", "set", "AUC"), 0.87), (("invented markers", "answers", "shown"), 1.0)],
)
def test_what_gets_worse_by_more_than_the_noise_fails(key: tuple[str, str, str], value: float) -> None:
    assert change(key, value).fails


@pytest.mark.parametrize(
    ("key", "value"),
    [(RECALL, 0.75), (RECALL, 0.9), (("refusal", "set", "AUC"), 0.88), (("invented markers", "answers", "shown"), 0.0)],
)
def test_what_stays_within_the_noise_or_gets_better_does_not(key: tuple[str, str, str], value: float) -> None:
    assert not change(key, value).fails


def test_other_figures_are_told_of_and_fail_nothing() -> None:
    dense, refusals = change(("retrieval", "set, dense", "R@5"), 0.2), change(("refusal", "set", "false refusals"), 0.2)
    assert (dense.worse, dense.fails) == (True, False)
    assert (refusals.worse, refusals.fails) == (True, False)
    assert not change(("refusal", "set", "false refusals"), 0.0).worse
    assert not change(("answers", "set", "words"), 90.0).worse


def test_checked_figure_that_was_not_measured_is_named() -> None:
    assert baseline.missing(KEPT, {key: KEPT[key] for key in KEPT if key != RECALL}) == [RECALL]


def test_saving_one_part_leaves_the_other(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    assert baseline.load("quick", file) == {}
    baseline.save("whole", KEPT, file)
    baseline.save("quick", {RECALL: KEPT[RECALL]}, file)
    assert baseline.load("whole", file) == KEPT
    assert baseline.load("quick", file) == {RECALL: KEPT[RECALL]}

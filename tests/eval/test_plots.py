"""The plots."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from eval import plots
from eval.plots import Curve
from eval.refusal import Judged

SVG = "{http://www.w3.org/2000/svg}"


def lines(svg: str) -> list[list[tuple[float, float]]]:
    """The curves' points, in pixels, those of the legend left out."""
    found = [line.attrib["points"].split() for line in ElementTree.fromstring(svg).iter(f"{SVG}polyline")]
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in points)] for points in found[::2]]


def test_curve_runs_from_corner_to_corner_of_the_square() -> None:
    [line] = lines(plots.chart("<title> & more", "x", "y", [Curve("name", [(0, 0), (1, 0.5)], 0)], highest=0.5))
    assert line == [(60.0, 360.0), (380.0, 40.0)]


@pytest.mark.parametrize("probability", [None, 0.8])
def test_only_a_gate_that_gives_a_probability_has_a_calibration_curve(probability: float | None) -> None:
    part = [Judged(answerable, 0.8, refused=False, probability=probability) for answerable in (True, True, False)]
    found = plots.charts({"set": part, "answerable only": part[:2]})
    assert ("calibration.svg" in found) == (probability is not None)
    assert len(lines(found["risk-coverage.svg"])) == 1
    assert len(lines(found["scores.svg"])) == 2
    if probability is not None:
        assert lines(found["calibration.svg"]) == [[(60 + 320 * 0.8, pytest.approx(360 - 320 * 2 / 3, abs=0.1))]]

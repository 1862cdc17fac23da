"""Line charts as SVG, written by hand: they need no library, and a changed curve is a changed line in the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

import numpy as np

from eval import refusal
from eval.refusal import Judged

Point = tuple[float, float]
_COLOURS = (
    "#1b6ca8",
    "#c8553d",
    "#3a7d44",
    "#8d5a97",
    "#b8860b",
    "#2a9d8f",
    "#6c757d",
    "#d1495b",
    "#4a4e69",
    "#7f5539",
)
_WIDTH, _HEIGHT, _LEFT, _TOP, _SIDE = 760, 400, 60, 40, 320
"""Of the picture, and of the square that the curves are in, in pixels."""
_BINS = 20


def charts(judged: Mapping[str, Sequence[Judged]]) -> dict[str, str]:
    """The plots by their file names. What has one kind of question only has no curve."""
    both = {row: part for row, part in judged.items() if len({one.answerable for one in part}) == 2}
    found = {
        "risk-coverage.svg": chart(
            "Risk and coverage", "share answered", "share of it without an answer",
            {row: refusal.risk_coverage(part) for row, part in both.items()},
        ),
        "scores.svg": chart(
            "What the gate goes by", "score", "share of the questions", _distributions(both)
        ),
    }  # fmt: skip
    reliable = {row: curve for row, part in both.items() if (curve := _reliability(part))}
    if reliable:
        found["calibration.svg"] = chart("Calibration", "probability given", "share answerable", reliable)
    return found


def chart(title: str, x_label: str, y_label: str, series: Mapping[str, Sequence[Point]]) -> str:
    """Curves over 0..1 on both axes."""
    bottom = _TOP + _SIDE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 24, title, size=15),
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>',
        _text(_LEFT + _SIDE / 2, _HEIGHT - 8, x_label, anchor="middle"),
        f'<g transform="translate(16 {_TOP + _SIDE / 2}) rotate(-90)">{_text(0, 0, y_label, anchor="middle")}</g>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        lines.append(_text(_LEFT + tick * _SIDE, bottom + 16, f"{tick:g}", anchor="middle"))
        lines.append(_text(_LEFT - 6, bottom - tick * _SIDE + 4, f"{tick:g}", anchor="end"))
    for number, (name, points) in enumerate(series.items()):
        colour, dash = _COLOURS[number % len(_COLOURS)], ' stroke-dasharray="5 3"' if number >= len(_COLOURS) else ""
        path = " ".join(f"{_LEFT + _SIDE * x:.1f},{bottom - _SIDE * y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')
        height = _TOP + 12 + 20 * number
        lines.append(f'<rect x="{_LEFT + _SIDE + 20}" y="{height - 8}" width="14" height="4" fill="{colour}"/>')
        lines.append(_text(_LEFT + _SIDE + 40, height, name))
    return "\n".join([*lines, "</svg>", ""])


def _text(x: float, y: float, words: str, *, size: int = 12, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def _distributions(judged: Mapping[str, Sequence[Judged]]) -> dict[str, list[Point]]:
    found = {}
    for row, part in judged.items():
        for answerable, words in ((True, "answerable"), (False, "not")):
            scores = [min(max(one.score, 0.0), 1.0) for one in part if one.answerable is answerable]
            counts, edges = np.histogram(scores, bins=_BINS, range=(0, 1))
            middles = (edges[:-1] + edges[1:]) / 2
            found[f"{row}: {words}"] = list(zip(middles.tolist(), (counts / len(scores)).tolist(), strict=True))
    return found


def _reliability(part: Sequence[Judged]) -> list[Point]:
    """(mean probability, share answerable) of each tenth of the scale that holds a question."""
    rows = sorted((one.probability, one.answerable) for one in part if one.probability is not None)
    points = []
    for tenth in range(10):
        inside = [row for row in rows if min(int(row[0] * 10), 9) == tenth]
        if inside:
            probabilities, outcomes = zip(*inside, strict=True)
            points.append((float(np.mean(probabilities)), float(np.mean(outcomes))))
    return points

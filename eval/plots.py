"""Line charts as SVG, written by hand: they need no library, and a changed curve is a changed line in the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

import numpy as np
from msgspec import Struct

from eval import refusal
from eval.refusal import Judged

Point = tuple[float, float]
_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8d5a97", "#b8860b", "#2a9d8f", "#6c757d", "#d1495b")
_WIDTH, _HEIGHT, _LEFT, _TOP, _SIDE = 760, 400, 60, 40, 320
"""Of the picture, and of the square that the curves are in, in pixels."""
_BINS = 20


class Curve(Struct, frozen=True):
    name: str
    points: Sequence[Point]
    colour: int
    dashed: bool = False


def charts(judged: Mapping[str, Sequence[Judged]]) -> dict[str, str]:
    """The plots by their file names. What has one kind of question only has no curve."""
    both = {row: part for row, part in judged.items() if len({one.answerable for one in part}) == 2}
    risks = [Curve(row, refusal.risk_coverage(part), number) for number, (row, part) in enumerate(both.items())]
    reliable = [Curve(row, _reliability(part), number) for number, (row, part) in enumerate(both.items())]
    found = {
        "risk-coverage.svg": chart("Risk and coverage", "share answered", "share of it without an answer", risks),
        "scores.svg": chart(
            "What the gate goes by", "score", "share of the questions", list(_distributions(both)), highest=0.5
        ),
    }
    if any(curve.points for curve in reliable):
        found["calibration.svg"] = chart("Calibration", "probability given", "share answerable", reliable)
    return found


def chart(title: str, x_label: str, y_label: str, curves: Sequence[Curve], *, highest: float = 1.0) -> str:
    """Curves over 0..1 on the one axis and 0..`highest` on the other."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 24, title, size=15),
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>',
        _text(_LEFT + _SIDE / 2, _HEIGHT - 8, x_label, anchor="middle"),
        f'<g transform="translate(16 {_TOP + _SIDE / 2}) rotate(-90)">{_text(0, 0, y_label, anchor="middle")}</g>',
        *_ticks(highest),
    ]
    for number, curve in enumerate(curves):
        lines += _drawn(curve, _TOP + 12 + 20 * number, highest)
    return "\n".join([*lines, "</svg>", ""])


def _ticks(highest: float) -> Iterator[str]:
    bottom = _TOP + _SIDE
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield _text(_LEFT + share * _SIDE, bottom + 16, f"{share:g}", anchor="middle")
        yield _text(_LEFT - 6, bottom - share * _SIDE + 4, f"{share * highest:g}", anchor="end")


def _drawn(curve: Curve, height: float, highest: float) -> list[str]:
    """The curve, and its line of the legend at `height`."""
    style = f'fill="none" stroke="{_COLOURS[curve.colour % len(_COLOURS)]}" stroke-width="1.5"'
    if curve.dashed:
        style += ' stroke-dasharray="5 3"'
    bottom = _TOP + _SIDE
    path = " ".join(f"{_LEFT + _SIDE * x:.1f},{bottom - _SIDE * min(y / highest, 1):.1f}" for x, y in curve.points)
    legend = _LEFT + _SIDE + 20
    return [
        f'<polyline points="{path}" {style}/>',
        f'<polyline points="{legend},{height - 4} {legend + 24},{height - 4}" {style}/>',
        _text(legend + 32, height, curve.name),
    ]


def _text(x: float, y: float, words: str, *, size: int = 12, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def _distributions(judged: Mapping[str, Sequence[Judged]]) -> Iterator[Curve]:
    for number, (row, part) in enumerate(judged.items()):
        for answerable in (True, False):
            scores = [min(max(one.score, 0.0), 1.0) for one in part if one.answerable is answerable]
            counts, edges = np.histogram(scores, bins=_BINS, range=(0, 1))
            middles = (edges[:-1] + edges[1:]) / 2
            points = list(zip(middles.tolist(), (counts / len(scores)).tolist(), strict=True))
            yield Curve(row if answerable else "without an answer", points, number, dashed=not answerable)


def _reliability(part: Sequence[Judged]) -> list[Point]:
    """(mean probability, share answerable) of each tenth of the scale that holds a question."""
    rows = [(one.probability, one.answerable) for one in part if one.probability is not None]
    points = []
    for tenth in range(10):
        inside = [row for row in rows if min(int(row[0] * 10), 9) == tenth]
        if inside:
            probabilities, outcomes = zip(*inside, strict=True)
            points.append((float(np.mean(probabilities)), float(np.mean(outcomes))))
    return points

"""The plots of a calibration as one PNG, drawn by Pillow: for each score both distributions, and the ROC curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO

from msgspec import Struct
from PIL import Image, ImageDraw, ImageFont

_SCALE = 2
"""Drawn so much larger and then made smaller, which smooths the lines."""
_WIDTH, _HEIGHT, _PANEL, _LEFT, _TOP = 960, 420, 320, 80, 50
"""Of the two panels that a score has, in pixels: the width and height of both with their margins, a panel's side."""
_SECOND = 540
"""Where the second panel starts."""
_DOT = 5
_BINS = 20
_ANSWERABLE, _OTHERS, _MARK, _FRAME = "#1b6ca8", "#c8553d", "#444444", "#999999"

Point = tuple[float, float]


class Score(Struct, frozen=True):
    """One of the scores that the gate goes by."""

    name: str
    answerable: Sequence[float]
    others: Sequence[float]
    threshold: float


def png(scores: Sequence[Score]) -> bytes:
    """One row for each score. Scores below 0 are drawn at 0."""
    image = Image.new("RGB", (_WIDTH * _SCALE, _HEIGHT * len(scores) * _SCALE), "white")
    for row, score in enumerate(scores):
        canvas = _Canvas(ImageDraw.Draw(image), row * _HEIGHT)
        _draw_distributions(canvas, score)
        _draw_roc(canvas, score)
    written = BytesIO()
    image.resize((_WIDTH, _HEIGHT * len(scores)), Image.Resampling.LANCZOS).save(written, "PNG", optimize=True)
    return written.getvalue()


class _Canvas:
    """Draws at places in pixels of the finished picture, below `top`."""

    def __init__(self, draw: ImageDraw.ImageDraw, top: int) -> None:
        self._draw = draw
        self._top = top
        self._font = ImageFont.load_default(13 * _SCALE)

    def text(self, x: float, y: float, words: str, anchor: str = "ls", fill: str = "black") -> None:
        self._draw.text(self._at(x, y), words, fill, self._font, anchor)

    def line(self, points: Sequence[Point], colour: str, width: int = 2) -> None:
        self._draw.line([self._at(*point) for point in points], colour, width * _SCALE)

    def dot(self, x: float, y: float, colour: str) -> None:
        self._draw.circle(self._at(x, y), _DOT * _SCALE, colour)

    def panel(self, left: float, title: str, x_label: str) -> None:
        """A square with its title, and 0 to 1 along its lower side."""
        self._draw.rectangle([self._at(left, _TOP), self._at(left + _PANEL, _TOP + _PANEL)], outline=_FRAME)
        self.text(left, _TOP - 14, title)
        self.text(left + _PANEL / 2, _TOP + _PANEL + 38, x_label, "ms")
        for tenth in range(0, 11, 2):
            self.text(left + _PANEL * tenth / 10, _TOP + _PANEL + 18, f"{tenth / 10:g}", "ms")

    def _at(self, x: float, y: float) -> Point:
        return x * _SCALE, (y + self._top) * _SCALE


def _draw_distributions(canvas: _Canvas, score: Score) -> None:
    canvas.panel(_LEFT, "Share of the questions", score.name)
    sides = [(_shares(score.answerable), _ANSWERABLE), (_shares(score.others), _OTHERS)]
    highest = max(max(shares) for shares, _ in sides)
    for shares, colour in sides:
        canvas.line([_in_panel(_LEFT, x, share / highest) for x, share in _steps(shares)], colour)
    canvas.text(_LEFT - 8, _TOP + 10, f"{highest:.0%}", "rs")
    canvas.text(_LEFT - 8, _TOP + _PANEL, "0%", "rs")
    canvas.line([_in_panel(_LEFT, score.threshold, 0), _in_panel(_LEFT, score.threshold, 1)], _MARK, 1)
    for number, (words, colour) in enumerate([("answerable", _ANSWERABLE), ("the others", _OTHERS)]):
        canvas.text(_LEFT + _PANEL - 10, _TOP + 24 + 20 * number, words, "rs", colour)
    canvas.text(_LEFT + _PANEL - 10, _TOP + 64, f"threshold {score.threshold:.3f}", "rs", _MARK)


def _draw_roc(canvas: _Canvas, score: Score) -> None:
    canvas.panel(_SECOND, "ROC: share of the others that is refused", "share of the answerable that is refused")
    canvas.line([_in_panel(_SECOND, 0, 0), _in_panel(_SECOND, 1, 1)], _FRAME, 1)
    canvas.line([_in_panel(_SECOND, x, y) for x, y in _roc(score)], _ANSWERABLE)
    x, y = _refused(score, score.threshold)
    canvas.dot(*_in_panel(_SECOND, x, y), _MARK)
    for share in (0.0, 0.5, 1.0):
        canvas.text(_SECOND - 8, _TOP + _PANEL * (1 - share) + 5, f"{share:g}", "rs")


def _shares(scores: Sequence[float]) -> list[float]:
    counts = [0] * _BINS
    for score in scores:
        counts[min(int(max(score, 0.0) * _BINS), _BINS - 1)] += 1
    return [count / len(scores) for count in counts]


def _steps(shares: Sequence[float]) -> Iterator[Point]:
    """The outline of the columns."""
    for number, share in enumerate(shares):
        yield number / _BINS, share
        yield (number + 1) / _BINS, share


def _roc(score: Score) -> list[Point]:
    bars = sorted({*score.answerable, *score.others})
    return [(0.0, 0.0), *(_refused(score, bar) for bar in bars), (1.0, 1.0)]


def _refused(score: Score, bar: float) -> Point:
    answerable, others = (sum(one < bar for one in side) / len(side) for side in (score.answerable, score.others))
    return answerable, others


def _in_panel(left: float, x: float, y: float) -> Point:
    return left + _PANEL * min(max(x, 0.0), 1.0), _TOP + _PANEL * (1 - min(max(y, 0.0), 1.0))

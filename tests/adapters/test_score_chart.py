"""The plots of a calibration."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from app.adapters.score_chart import Score, png

BLUE, RED = (27, 108, 168), (200, 85, 61)


def drawn(*scores: Score) -> Image.Image:
    return Image.open(BytesIO(png(scores))).convert("RGB")


def has(image: Image.Image, colour: tuple[int, int, int], box: tuple[int, int, int, int]) -> bool:
    """Whether a part of the picture, from left and top to right and bottom, has something of about this colour."""
    pixels = image.crop(box).get_flattened_data()
    return any(all(abs(a - b) < 40 for a, b in zip(pixel, colour, strict=True)) for pixel in pixels)


def test_each_score_has_a_row_with_both_of_its_sides() -> None:
    image = drawn(Score("first", [0.9, 0.95], [0.1], 0.5), Score("second", [0.1], [0.9], 0.5))
    assert image.width > image.height / 2
    half = image.height // 2
    low, high = (85, 160), (320, 395)
    for top, left, right in ((0, RED, BLUE), (half, BLUE, RED)):
        body = (top + 150, top + 360)
        assert has(image, left, (low[0], body[0], low[1], body[1]))
        assert not has(image, right, (low[0], body[0], low[1], body[1] - 20))
        assert has(image, right, (high[0], body[0], high[1], body[1]))


def test_curve_of_a_perfect_score_runs_along_the_corner() -> None:
    corner, middle = (536, 46, 560, 70), (650, 120, 800, 300)
    perfect, useless = Score("s", [0.8, 0.9], [0.1, 0.2], 0.5), Score("s", [0.1, 0.9], [0.1, 0.9], 0.5)
    assert has(drawn(perfect), BLUE, corner)
    assert not has(drawn(useless), BLUE, corner)
    assert has(drawn(useless), BLUE, middle)
    assert not has(drawn(perfect), BLUE, middle)


def test_scores_outside_of_the_scale_are_drawn_at_its_ends() -> None:
    assert drawn(Score("s", [1.0, 1.5], [-1.0], -1.0)).size == drawn(Score("s", [0.5], [0.5], 0.5)).size

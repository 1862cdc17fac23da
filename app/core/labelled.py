"""Questions that people labelled: JSON Lines of `{"question": "...", "answerable": true}`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from app.core.question import BadQuestion, normalise
from app.core.trial_questions import Trial
from app.errors import CalibrationRefused


class _Line(Struct):
    question: str
    answerable: bool


def read(data: bytes) -> list[Trial]:
    """Each question once, as it is labelled last. Other fields are left alone. Raises CalibrationRefused."""
    labels = dict(_lines(data))
    return [Trial("answerable" if label else "unanswerable", question) for question, label in labels.items()]


def _lines(data: bytes) -> Iterator[tuple[str, bool]]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            asked = msgspec.json.decode(line, type=_Line)
            yield normalise(asked.question), asked.answerable
        except (msgspec.DecodeError, UnicodeDecodeError, BadQuestion) as exc:
            raise CalibrationRefused(
                f'Line {number} of the labelled questions can\'t be read ({exc}): write {{"question": "...",'
                ' "answerable": true}.'
            ) from exc
